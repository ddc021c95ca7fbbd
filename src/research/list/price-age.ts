/** How old a price may be before it is called stale, everywhere, ms. */
export const STALE_MS = 60_000

/**
 * Whether a price is so old that it should not be taken for the market's.
 * @param priceTs  ms epoch; null where there is no price
 * @param at       ms epoch
 */
export function isPriceStale(priceTs: number | null, at: number): boolean {
  return priceTs !== null && at - priceTs > STALE_MS
}
