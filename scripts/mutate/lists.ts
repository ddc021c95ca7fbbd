/** What `npm run mutate` reads and writes: the explained survivors, and the figures of each room. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { table } from '../docs/table.ts'
import { ROOMS } from './rooms.ts'

const EXPLAINED = fileURLToPath(new URL('./explained.tsv', import.meta.url))
const FIGURES = fileURLToPath(new URL('./figures.tsv', import.meta.url))

/** A mutant that no test has to notice. */
export interface Explanation {
  readonly key: string
  /** `equivalent`: it changes nothing that can be seen. `accepted`: a test of it would cost more than it says. */
  readonly kind: 'equivalent' | 'accepted'
  readonly reason: string
}

/** What a run found in a room. */
export interface Figures {
  readonly room: string
  readonly mutants: number
  readonly killed: number
  readonly equivalent: number
  readonly accepted: number
}

/** Of explained.tsv: file, function, before, after, kind, reason. */
export function readExplanations(): ReadonlyMap<string, Explanation> {
  const rows = linesOf(EXPLAINED).map((line) => {
    const cells = line.split('\t')
    const [kind, reason] = cells.slice(4)
    if (cells.length !== 6 || (kind !== 'equivalent' && kind !== 'accepted') || !reason)
      throw new Error(
        `explained.tsv wants file, function, before, after, equivalent or accepted, and why: ${line}`,
      )
    return { key: cells.slice(0, 4).join('\t'), kind, reason } as Explanation
  })
  return new Map(rows.map((row) => [row.key, row]))
}

/** Keeps the rows of rooms that were not run. */
export function writeFigures(measured: readonly Figures[]): void {
  const date = new Date().toISOString().slice(0, 10)
  const rows = new Map(linesOf(FIGURES).map((line) => [line.split('\t')[0]!, line]))
  for (const { room, mutants, killed, equivalent, accepted } of measured)
    rows.set(room, [room, mutants, killed, equivalent, accepted, date].join('\t'))
  const lines = ROOMS.flatMap(({ name }) => rows.get(name) ?? [])
  writeFileSync(FIGURES, `${lines.join('\n')}\n`)
}

/** The table of CONTRIBUTING.md. */
export function figuresTable(): string {
  const rows = linesOf(FIGURES).map((line) => {
    const [room, mutants, killed, equivalent, accepted, date] = line.split('\t')
    const score = (100 * Number(killed)) / (Number(mutants) - Number(equivalent))
    const source = ROOMS.find(({ name }) => name === room)!.source
    return [
      `${room}`,
      `\`src/${source}/\``,
      mutants!,
      killed!,
      equivalent!,
      accepted!,
      `${score.toFixed(1)} %`,
      date!,
    ]
  })
  return table(['room', 'folder', 'mutants', 'killed', 'equivalent', 'accepted', 'score', 'measured'], rows)
}

const linesOf = (path: string): readonly string[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []
