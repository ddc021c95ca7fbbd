/** A histogram with growing steps: answers take from one millisecond to one second. */

/** The upper bound of each step, ms; larger values have a step of their own. */
export const BOUNDS = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000] as const

/** The number of values in each step, and above the last bound. */
export function histogramOf(values: readonly number[]): readonly number[] {
  const counts = new Array<number>(BOUNDS.length + 1).fill(0)
  for (const value of values) {
    const step = BOUNDS.findIndex((bound) => value <= bound)
    counts[step === -1 ? BOUNDS.length : step]!++
  }
  return counts
}

/** The smallest value that at least this share of the values does not exceed. @param part  0 to 1 */
export function quantile(values: readonly number[], part: number): number {
  const ordered = [...values].sort((a, b) => a - b)
  return ordered[Math.max(0, Math.ceil(part * ordered.length) - 1)]!
}
