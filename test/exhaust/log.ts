/** What a run came to, as run.json keeps it. */

import { createHash } from 'node:crypto'
import type { Block, Result } from './block.ts'
import { VERDICTS } from './compare.ts'
import { FAMILIES } from './families.ts'
import type { MachineTally } from './machine.ts'

export interface FamilyLog {
  readonly cases: number
  /** How many cases had each verdict. */
  readonly verdicts: Readonly<Record<string, number>>
  /** SHA-256 of the digests of its blocks. */
  readonly digest: string
}

export interface RunLog {
  readonly commit: string
  readonly node: string
  readonly processes: number
  readonly seconds: number
  readonly cases: number
  readonly disagreements: number
  /** SHA-256 of the families' digests. */
  readonly digest: string
  readonly families: Readonly<Record<string, FamilyLog>>
}

/** As it is written. */
export interface WholeLog extends RunLog {
  readonly machine: MachineTally
}

const sha256 = (parts: readonly string[]): string => createHash('sha256').update(parts.join()).digest('hex')

export function logOf(
  blocks: readonly Block[],
  results: readonly Result[],
  about: Pick<RunLog, 'commit' | 'node' | 'processes' | 'seconds'>,
): RunLog {
  const families = Object.fromEntries(
    FAMILIES.flatMap(({ name }, family) => {
      const own = results.filter((_, i) => blocks[i]!.family === family)
      return own.length === 0 ? [] : [[name, familyLog(own)]]
    }),
  )
  const logs = Object.values(families)
  return {
    ...about,
    cases: logs.reduce((sum, { cases }) => sum + cases, 0),
    disagreements: results.filter(({ disagreement }) => disagreement !== null).length,
    digest: sha256(logs.map(({ digest }) => digest)),
    families,
  }
}

function familyLog(results: readonly Result[]): FamilyLog {
  const counts = VERDICTS.map((_, i) => results.reduce((sum, { counts }) => sum + counts[i]!, 0))
  return {
    cases: counts.reduce((sum, count) => sum + count),
    verdicts: Object.fromEntries(
      VERDICTS.map((verdict, i) => [verdict, counts[i]!] as const).filter(([, count]) => count > 0),
    ),
    digest: sha256(results.map(({ digest }) => digest)),
  }
}
