/** Values by size, in steps that grow: a service answers within one millisecond or within one second. */

/** The upper bound of each step, ms; what is above the last has a step of its own. */
export const BOUNDS = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000] as const

/** How many values fall into each step, and into that above the last. */
export function histogramOf(values: readonly number[]): readonly number[] {
  const counts = new Array<number>(BOUNDS.length + 1).fill(0)
  for (const value of values) {
    const step = BOUNDS.findIndex((bound) => value <= bound)
    counts[step === -1 ? BOUNDS.length : step]!++
  }
  return counts
}

/** The least of the values that at least such a part of them does not exceed. @param part  0 to 1 */
export function quantile(values: readonly number[], part: number): number {
  const ordered = [...values].sort((a, b) => a - b)
  return ordered[Math.max(0, Math.ceil(part * ordered.length) - 1)]!
}
