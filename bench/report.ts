/**
 * Figures as tables: on the terminal, and in bench/RESULTS.md between two
 * markers. What stands outside the markers is written by hand and stays.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'

const RESULTS = fileURLToPath(new URL('../../bench/RESULTS.md', import.meta.url))

/** Between what a command's figures stand. */
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
const EMPTY = `# Benchmark results\n\n${BENCH.begin}\n${BENCH.end}\n\n${SIEGE.begin}\n${SIEGE.end}\n\n${SOAK.begin}\n${SOAK.end}\n\n${RESTARTS.begin}\n${RESTARTS.end}\n\n## What was missed, and why\n`

export interface Table {
  readonly title: string
  /** What was measured, and what the figures do not say. */
  readonly text: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Figures of several rounds. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** What `measure` found of a piece of code alone: nanoseconds per call. */
export interface Row {
  readonly name: string
  readonly ns: Spread
  /** How many times as long the row takes as the first one that it was compared with, sample by sample. */
  readonly ratio?: Spread
}

/** A figure that was promised. */
export interface Lease {
  readonly what: string
  readonly figure: Spread
  /** Of its median. */
  readonly is: 'at least' | 'at most' | 'above'
  readonly bound: number
  /** False where the run cannot tell, because the machine was too busy with other things. */
  readonly isDecided?: boolean
}

/** What a part of the benchmarks gives. */
export interface Part {
  readonly tables: readonly Table[]
  readonly claims: readonly Lease[]
}

/** @param samples  at least one; not changed */
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

/** A part of one table, of pieces that were measured alone. */
export function toPart(title: string, text: string, rows: readonly Row[], claims: readonly Lease[]): Part {
  const cells = rows.map(({ name, ns, ratio }) => [
    name,
    show(ns, ns.median < 1_000 ? 1 : 0),
    ratio === undefined ? '' : show(ratio, 2),
  ])
  return { tables: [{ title, text, columns: ['', 'ns per call', 'times the first'], rows: cells }], claims }
}

/** All that was promised, and whether it was kept. */
export function toTargets(claims: readonly Lease[]): Table {
  const rows = claims.map((claim) => {
    const { what, figure, is, bound, isDecided = true } = claim
    const verdict = !isDecided ? 'undecided' : isMet(claim) ? 'met' : 'MISSED'
    return [what, show(figure, 2), `${is} ${bound.toLocaleString('en')}`, verdict]
  })
  return {
    title: 'Targets',
    text: `Judged by the median; undecided where the client, not the servers, was the bottleneck, or where the bare peer itself
moved by more than the bound and not every round missed it, or is above the bound.`,
    columns: ['', 'figure', 'target', ''],
    rows,
  }
}

function isMet({ figure: { median }, is, bound }: Lease): boolean {
  if (is === 'at least') return median >= bound
  return is === 'at most' ? median <= bound : median > bound
}

/** A table as aligned lines of text, its title above it. */
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

/** Where and when the figures were taken, in one line. */
export function describeMachine(): string {
  const [{ model } = { model: 'unknown processor' }, ...others] = cpus()
  const gib = Math.round(totalmem() / 2 ** 30)
  const date = new Date().toISOString().slice(0, 10)
  return `${model.trim()}, ${others.length + 1} cores, ${gib} GiB, ${process.platform}; Node.js ${process.version}; ${date}`
}

/** Replaces what the last run wrote. @param command  that gave these tables */
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
