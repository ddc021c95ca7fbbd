/**
 * Splits an amount in proportion to weights, in integers throughout: the parts
 * add up to the amount exactly.
 */

/**
 * The largest-remainder method: each part is rounded down, and the leftover units go one each to the parts
 * with the largest remainders, ties go to the earlier.
 * @param total    not negative
 * @param weights  not negative, some above zero
 */
export function split(total: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((one, other) => one + other, 0n)
  const parts = weights.map((weight) => (total * weight) / sum)
  const lost = weights.map((weight, at) => ({ at, remainder: (total * weight) % sum }))
  // The sort is stable: ties keep their order.
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
 * The same with a minimum per part: while a part is below it, the one with the least weight is dropped, of
 * ties the last, and the amount is split again.
 * @param total    at least the minimum
 * @param weights  all above zero
 * @returns one part per weight; 0 for a dropped one
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
