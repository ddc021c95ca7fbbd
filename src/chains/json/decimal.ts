/**
 * Converts a JSON number's digits to base units without a float in between: some providers count in whole
 * tokens, and write doubles such as 3.4717588560243358 or 1.2E-7.
 *
 * Source: RFC 8259 §6
 */

/** Longer than the shortest decimal form of any double; bounds the work. */
const MAX_LENGTH = 400
const NUMBER = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/

/**
 * @param literal  the text of a JSON number
 * @param decimals  of the token
 * @returns base units, rounded down; null for a negative number, or for text that is not a number
 */
export function floorUnits(literal: string, decimals: number): bigint | null {
  const match = literal.length <= MAX_LENGTH ? NUMBER.exec(literal) : null
  if (match === null) return null
  const [, whole = '', fraction = '', exponent = '0'] = match
  const digits = BigInt(whole + fraction)
  const shift = decimals + Number(exponent) - fraction.length
  return shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift)
}
