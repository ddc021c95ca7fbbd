/** More than a pool of Uniswap V2 can hold. */
const MAX_BITS = 112n

/**
 * The least input that gives an output.
 * @param outOf  never falls
 * @returns null if no input gives as much
 */
export function inputFor(
  amountOut: bigint,
  outOf: (amountIn: bigint) => bigint | null | undefined,
): bigint | null {
  const isEnough = (amountIn: bigint): boolean => (outOf(amountIn) ?? 0n) >= amountOut
  let [less, enough] = [0n, 1n]
  for (; !isEnough(enough); enough *= 2n) {
    if (enough >> MAX_BITS > 0n) return null
    less = enough
  }
  while (enough - less > 1n) {
    const middle = (less + enough) / 2n
    if (isEnough(middle)) enough = middle
    else less = middle
  }
  return enough
}
