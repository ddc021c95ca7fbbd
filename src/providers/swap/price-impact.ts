/** A swap's loss against the market, from the dollar values that a provider gives for both sides. For display only. */

/**
 * @param inUsd, outUsd  decimal text; zero or empty if the provider knows no price
 * @returns percent, positive is a loss; null when unknown
 */
export function priceImpactPct(inUsd: string, outUsd: string): number | null {
  const paid = Number(inUsd)
  const got = Number(outUsd)
  if (!(paid > 0 && got > 0) || paid === Infinity || got === Infinity) return null
  return Math.round(((paid - got) / paid) * 1_000_000) / 10_000
}
