/**
 * Writes figures as tables: to the terminal, and to bench/RESULTS.md between two
 * markers. Text outside the markers is written by hand and stays.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'

const RESULTS = fileURLToPath(new URL('../../bench/RESULTS.md', import.meta.url))

/** The lines of RESULTS.md around the figures of one command. */
interface Markers {
  readonly begin: string
  readonly end: string
}

const BENCH: Markers = {
  begin: '<!-- written by npm run bench -- --write -->',
  end: '<!-- end of what is written -->',
}
export const SIEGE: Markers = {
  begin: '<!-- written by npm run siege -- --write -->',
  end: '<!-- end of the siege -->',
}
export const SOAK: Markers = {
  begin: '<!-- written by npm run soak -- --write -->',
  end: '<!-- end of the soak -->',
}
export const RESTARTS: Markers = {
  begin: '<!-- written by npm run soak -- restarts --write -->',
  end: '<!-- end of the restarts -->',
}
const EMPTY = `# Benchmark results\n\n${BENCH.begin}\n${BENCH.end}\n\n${SIEGE.begin}\n${SIEGE.end}\n\n${SOAK.begin}\n${SOAK.end}\n\n${RESTARTS.begin}\n${RESTARTS.end}\n\n## Missed targets, and why\n`

export interface Table {
  readonly title: string
  /** What was measured, and what the figures do not show. */
  readonly text: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** One figure over several rounds. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** A piece of code measured alone, in nanoseconds per call. */
export interface Timing {
  readonly name: string
  readonly ns: Spread
  /** Its time divided by that of the first piece it was compared with, sample by sample. */
  readonly ratio?: Spread
}

/** A figure with a target. */
export interface Claim {
  readonly what: string
  readonly figure: Spread
  /** How the figure's median must compare with the bound. */
  readonly is: 'at least' | 'at most' | 'above'
  readonly bound: number
  /** False where the run cannot tell, because the machine was too busy with other work. */
  readonly isDecided?: boolean
}

/** The outcome of one benchmark. */
export interface BenchReport {
  readonly tables: readonly Table[]
  readonly claims: readonly Claim[]
}

/** @param samples  at least one; the array is not changed */
export function spread(samples: readonly number[]): Spread {
  const sorted = [...samples].sort((a, b) => a - b)
  return { median: sorted[sorted.length >> 1]!, min: sorted[0]!, max: sorted[sorted.length - 1]! }
}

/** `median [min..max]` */
export function show({ median, min, max }: Spread, digits: number): string {
  const text = (value: number): string =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return `${text(median)} [${text(min)}..${text(max)}]`
}

/** A report of one table, over pieces that were measured alone. */
export function toReport(
  title: string,
  text: string,
  timings: readonly Timing[],
  claims: readonly Claim[],
): BenchReport {
  const rows = timings.map(({ name, ns, ratio }) => [
    name,
    show(ns, ns.median < 1_000 ? 1 : 0),
    ratio === undefined ? '' : show(ratio, 2),
  ])
  return { tables: [{ title, text, columns: ['', 'ns per call', 'times the first'], rows }], claims }
}

/** All targets, and whether each was met. */
export function toTargets(claims: readonly Claim[]): Table {
  const rows = claims.map((claim) => {
    const { what, figure, is, bound, isDecided = true } = claim
    const verdict = !isDecided ? 'undecided' : isMet(claim) ? 'met' : 'MISSED'
    return [what, show(figure, 2), `${is} ${bound.toLocaleString('en')}`, verdict]
  })
  return {
    title: 'Targets',
    text: `Judged by the median. Undecided where the client was the bottleneck, where the bare peer itself varied by more than the
bound and not every round missed it, or where the bare peer alone exceeds the bound.`,
    columns: ['', 'figure', 'target', ''],
    rows,
  }
}

function isMet({ figure: { median }, is, bound }: Claim): boolean {
  if (is === 'at least') return median >= bound
  return is === 'at most' ? median <= bound : median > bound
}

/** A table as aligned lines of text, under its title. */
export function toText({ title, columns, rows }: Table): string {
  const lines = [columns, ...rows]
  const widths = columns.map((_, i) => Math.max(...lines.map((cells) => cells[i]!.length)))
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join('  ')
      .trimEnd()
  return [title, ...lines.map(line), ''].join('\n')
}

/** The machine and the date of the figures, in one line. */
export function describeMachine(): string {
  const [{ model } = { model: 'unknown processor' }, ...others] = cpus()
  const gib = Math.round(totalmem() / 2 ** 30)
  const date = new Date().toISOString().slice(0, 10)
  return `${model.trim()}, ${others.length + 1} cores, ${gib} GiB, ${process.platform}; Node.js ${process.version}; ${date}`
}

/** Replaces the tables of the last run. @param command  the command that produced the tables */
export function writeResults(tables: readonly Table[], command: string, markers: Markers = BENCH): void {
  const written = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8') : EMPTY
  const begin = written.indexOf(markers.begin)
  const end = written.indexOf(markers.end)
  if (begin === -1 || end < begin)
    throw new Error(`RESULTS.md must contain ${markers.begin} and ${markers.end}, in order.`)
  const parts = [`${describeMachine()}; \`${command}\``, ...tables.map(toMarkdown)]
  writeFileSync(
    RESULTS,
    `${written.slice(0, begin)}${markers.begin}\n\n${parts.join('\n\n')}\n\n${written.slice(end)}`,
  )
}

function toMarkdown({ title, text, columns, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const rule = line(columns.map((_, i) => (i === 0 ? '---' : '--:')))
  return [`## ${title}`, '', text, '', line(columns), rule, ...rows.map(line)].join('\n')
}
