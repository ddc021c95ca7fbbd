/**
 * The last price that the list had in each of the last 24 hours. No source has hourly prices of many tokens in one
 * call, so they are kept from the list's own rebuilds, and begin with the process or when a token enters the list.
 */

const HOUR_MS = 3_600_000
const HOURS = 24
const SIGNIFICANT_DIGITS = 6

export interface HourlyPrices {
  /** The hour of the last price, counted from the epoch. */
  readonly hour: number
  /** Dollars, oldest first; null for an hour without a price. */
  readonly prices: readonly (number | null)[]
}

export const NO_PRICES: HourlyPrices = { hour: 0, prices: Array<null>(HOURS).fill(null) }

/** @param at  ms epoch */
export function pricesUpTo({ hour, prices }: HourlyPrices, at: number): HourlyPrices {
  const passed = Math.max(0, Math.floor(at / HOUR_MS) - hour)
  const missed = Array<null>(Math.min(HOURS, passed)).fill(null)
  return { hour: hour + passed, prices: [...prices, ...missed].slice(-HOURS) }
}

/**
 * @param price  dollars, or null if none is known
 * @param at     ms epoch
 */
export function withPrice(known: HourlyPrices, price: number | null, at: number): HourlyPrices {
  if (price === null) return known
  const { hour, prices } = pricesUpTo(known, at)
  return { hour, prices: prices.with(-1, Number(price.toPrecision(SIGNIFICANT_DIGITS))) }
}
