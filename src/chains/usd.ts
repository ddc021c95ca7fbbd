/**
 * Dollar values, exactly: integer micro-dollars as bigint, computed from the amount and the digits of the
 * price. A reply has them as numbers with up to six fraction digits, which a double holds exactly below 2^33
 * dollars, and to 15 digits above.
 *
 * Source: §2 Portfolio, §4.4 `dust`
 */

import { formatAmount } from './amount.ts'
import { floorUnits } from './json/decimal.ts'

/** Values have this many decimals: micro-dollars. */
export const USD_DECIMALS = 6
/**
 * Prices are read with this many decimals: the cheapest tokens cost 10^-20 dollars, and a double has 17
 * digits.
 */
export const PRICE_DECIMALS = 36
/** Micro-dollars. No wallet's holding is worth more: such a balance, or its price, is made up. */
const MAX_VALUE = 10n ** 12n * 10n ** BigInt(USD_DECIMALS)

/**
 * The value of an amount.
 * @param amount    base units
 * @param decimals  of the token
 * @param price     dollars per whole token, not negative
 * @returns micro-dollars, rounded down; null if it is more than MAX_VALUE
 */
export function worth(amount: bigint, decimals: number, price: number): bigint | null {
  const value = valueAt(amount, decimals, priceUnits(price))
  return value > MAX_VALUE ? null : value
}

/**
 * The value of an amount at an exact price, without a bound.
 * @param units  10^-36 dollars per whole token
 * @returns micro-dollars, rounded down
 */
export function valueAt(amount: bigint, decimals: number, units: bigint): bigint {
  return (amount * units) / 10n ** BigInt(decimals + PRICE_DECIMALS - USD_DECIMALS)
}

/**
 * The least value, in micro-dollars, that is not below a threshold.
 * @param threshold  dollars, not negative
 */
export function leastValue(threshold: number): bigint {
  const whole = decimalUnits(threshold, USD_DECIMALS)
  const units = decimalUnits(threshold, PRICE_DECIMALS)
  const isExact = units === whole * 10n ** BigInt(PRICE_DECIMALS - USD_DECIMALS)
  return isExact && (units > 0n || threshold === 0) ? whole : whole + 1n
}

/** @param dollars  not negative. @returns micro-dollars, rounded down */
export function fromUsd(dollars: number): bigint {
  return decimalUnits(dollars, USD_DECIMALS)
}

/** @param value  micro-dollars */
export function toUsd(value: bigint): number {
  return Number(formatAmount(value, USD_DECIMALS))
}

/** A price as an integer of 10^-36 dollars. */
export const priceUnits = (price: number): bigint => decimalUnits(price, PRICE_DECIMALS)

/** The number's shortest decimal digits, as JSON writes them, scaled to an integer and rounded down. */
function decimalUnits(value: number, decimals: number): bigint {
  const units = floorUnits(String(value), decimals)
  if (units === null) throw new TypeError('A price or threshold must be finite.')
  return units
}
