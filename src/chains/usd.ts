/**
 * Dollars, exactly: whole micro-dollars as bigint from the amount and the
 * price's own digits. A reply shows them as numbers with up to six fraction
 * digits, which a double holds exactly below 2^33 dollars, and to 15 digits above.
 *
 * Source: §2 Portfolio, §4.4 `dust`
 */

import { formatAmount } from './amount.ts'
import { floorUnits } from './json/decimal.ts'

/** Values are counted in so many decimals of a dollar. */
export const USD_DECIMALS = 6
/**
 * Prices are read to so many decimals: the cheapest tokens cost 10^-20 dollars,
 * and a double has 17 digits.
 */
export const PRICE_DECIMALS = 36
/** Micro-dollars that no wallet holds of anything: such a balance, or its price, is made up. */
const MAX_VALUE = 10n ** 12n * 10n ** BigInt(USD_DECIMALS)

/**
 * What an amount is worth.
 * @param amount    base units
 * @param decimals  of the token
 * @param price     dollars of one whole token, not negative
 * @returns micro-dollars, rounded down; null where it is more than can be true
 */
export function worth(amount: bigint, decimals: number, price: number): bigint | null {
  const value = (amount * priceUnits(price)) / 10n ** BigInt(decimals + PRICE_DECIMALS - USD_DECIMALS)
  return value > MAX_VALUE ? null : value
}

/**
 * The least value, in micro-dollars, that is not under a threshold.
 * @param threshold  dollars; zero, or at least 10^-20
 */
export function leastValue(threshold: number): bigint {
  const whole = decimalUnits(threshold, USD_DECIMALS)
  const isExact =
    decimalUnits(threshold, PRICE_DECIMALS) === whole * 10n ** BigInt(PRICE_DECIMALS - USD_DECIMALS)
  return isExact ? whole : whole + 1n
}

/** @param dollars  not negative. @returns micro-dollars, rounded down */
export function fromUsd(dollars: number): bigint {
  return decimalUnits(dollars, USD_DECIMALS)
}

/** @param value  micro-dollars */
export function toUsd(value: bigint): number {
  return Number(formatAmount(value, USD_DECIMALS))
}

/** A price as an integer, in units that are the same for all prices. */
export const priceUnits = (price: number): bigint => decimalUnits(price, PRICE_DECIMALS)

/** The digits that JSON writes for a number, which are its shortest. */
function decimalUnits(value: number, decimals: number): bigint {
  const units = floorUnits(String(value), decimals)
  if (units === null) throw new TypeError('A price or threshold must be finite.')
  return units
}
