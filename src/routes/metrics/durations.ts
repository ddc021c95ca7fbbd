/**
 * Counts durations in cells that grow with them, 32 to a doubling: a quantile of any number of them is within 1.6%
 * of the exact one, and an observation is one index and one increment.
 *
 * Source: G. Tene, HdrHistogram; the cells are the exponent and the five highest bits of the fraction (IEEE 754)
 */

const FRACTION_BITS = 5
/** Of 32 bits, 23 are the fraction. */
const SHIFT = 23 - FRACTION_BITS
/** Shorter durations count as this one, longer ones as the last: 0.03 ms, and two minutes. */
const FIRST = bitsOf(2 ** -5) >>> SHIFT
const CELLS = (bitsOf(2 ** 17) >>> SHIFT) - FIRST

export type Durations = Uint32Array

/** A duration, ms, and how often it was observed. */
export type DurationCount = readonly [ms: number, count: number]

export const newDurations = (): Durations => new Uint32Array(CELLS)

const float = new Float32Array(1)
const bits = new Uint32Array(float.buffer)

const MIDDLES = Array.from({ length: CELLS }, (_, cell) =>
  Number(((startOf(cell) + startOf(cell + 1)) / 2).toPrecision(5)),
)

/** The index of a duration's cell. */
export function cellOf(ms: number): number {
  float[0] = ms
  const cell = (bits[0]! >>> SHIFT) - FIRST
  return cell < 0 ? 0 : cell < CELLS ? cell : CELLS - 1
}

/** Those that were observed, shortest first; each is its cell's middle, to five digits. */
export function countsOf(durations: Durations): DurationCount[] {
  const counts: DurationCount[] = []
  for (let cell = 0; cell < CELLS; cell++) {
    if (durations[cell]! > 0) counts.push([MIDDLES[cell]!, durations[cell]!])
  }
  return counts
}

/** @param part  0 to 1. @returns ms; null if nothing was observed */
export function quantileOf(all: readonly Durations[], part: number): number | null {
  let count = 0
  for (const durations of all) for (const one of durations) count += one
  const rank = Math.max(1, Math.ceil(part * count))
  let below = 0
  for (let cell = 0; cell < CELLS && count > 0; cell++) {
    for (const durations of all) below += durations[cell]!
    if (below >= rank) return MIDDLES[cell]!
  }
  return null
}

function startOf(cell: number): number {
  bits[0] = (cell + FIRST) << SHIFT
  return float[0]!
}

function bitsOf(value: number): number {
  return new Uint32Array(Float32Array.of(value).buffer)[0]!
}
