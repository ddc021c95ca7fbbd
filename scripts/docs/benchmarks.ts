import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PARTS, sourcesOfParts } from '../../bench/measured.ts'
import { ageOf, ageSection, recordedSources } from '../../bench/results.ts'
import { ROOT } from './pages.ts'

/** The sentences in bench/RESULTS.md that say which parts are older than the code they measure. */
export async function ages(): Promise<readonly (readonly [section: string, text: string])[]> {
  const results = readFileSync(join(ROOT, 'bench/RESULTS.md'), 'utf8')
  const now = await sourcesOfParts(ROOT)
  return Object.keys(PARTS).map((part) => [
    ageSection(part),
    ageOf(recordedSources(results, part), now.get(part)!),
  ])
}
