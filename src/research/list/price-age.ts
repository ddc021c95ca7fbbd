/** The age above which a price is called stale everywhere, ms. */
export const STALE_MS = 60_000

/**
 * Whether a price is too old to be taken for the market's current one.
 * @param priceTs  ms epoch; null where there is no price
 * @param at       ms epoch
 */
export function isPriceStale(priceTs: number | null, at: number): boolean {
  return priceTs !== null && at - priceTs > STALE_MS
}
