/**
 * An amount in parts that stand to each other as their weights do, in integers
 * from beginning to end: the parts add up to the amount, to its last unit.
 */

/**
 * Largest remainders: each part is rounded down, and what is left goes a unit
 * each to those that lost most by it; of equals, to the earlier.
 * @param total    not negative
 * @param weights  not negative, some above zero
 */
export function split(total: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((one, other) => one + other, 0n)
  const parts = weights.map((weight) => (total * weight) / sum)
  const lost = weights.map((weight, at) => ({ at, remainder: (total * weight) % sum }))
  // A sort is stable: of equals the earlier stays before.
  lost.sort((a, b) => (a.remainder === b.remainder ? 0 : a.remainder > b.remainder ? -1 : 1))
  let left = total - parts.reduce((one, other) => one + other, 0n)
  for (const { at } of lost) {
    if (left === 0n) break
    parts[at]!++
    left--
  }
  return parts
}

/**
 * The same, but no part below a minimum: the lightest is dropped, of equals the
 * last, and the amount is split over the others, until all have enough.
 * @param total    at least the minimum
 * @param weights  all above zero
 * @returns a part for each weight; 0 for what was dropped
 */
export function splitInClips(total: bigint, weights: readonly bigint[], minimum: bigint): bigint[] {
  const kept = [...weights]
  for (;;) {
    const parts = split(total, kept)
    if (parts.every((part, at) => kept[at] === 0n || part >= minimum)) return parts
    kept[lightestOf(kept)] = 0n
  }
}

function lightestOf(weights: readonly bigint[]): number {
  let lightest = -1
  for (const [at, weight] of weights.entries()) {
    if (weight > 0n && (lightest === -1 || weight <= weights[lightest]!)) lightest = at
  }
  return lightest
}
