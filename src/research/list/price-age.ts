/** The age above which a price is called stale everywhere, ms. */
export const STALE_MS = 60_000
/** The age above which a price is shown only if no other source has a newer one, ms. */
const OLD_MS = 60 * 60_000

/**
 * Whether a price is too old to count as the current one.
 * @param priceTs  ms epoch; null if there is no price
 * @param at       ms epoch
 */
export function isPriceStale(priceTs: number | null, at: number): boolean {
  return priceTs !== null && at - priceTs > STALE_MS
}

/** Whether to ask another source for a newer price. */
export const isPriceOld = (priceTs: number, at: number): boolean => at - priceTs > OLD_MS
