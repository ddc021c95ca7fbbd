/**
 * Figures as tables: medians with their extremes, and targets. bench/figures/results.ts writes them to
 * RESULTS.md.
 */
import { cpus, totalmem } from 'node:os'

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
    const { what, figure, is, bound } = claim
    const target = `${is} ${bound.toLocaleString('en')}`
    return [what, show(figure, 2), target, isMet(claim) ? 'met' : 'MISSED']
  })
  return {
    title: 'Targets',
    text: '',
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
