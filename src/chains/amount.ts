/**
 * Converts amounts between decimal text and base units, exactly: with strings and bigint, no floats.
 *
 * Source: §2 (`^\d*\.?\d+$`), §4.5, §8
 */
import { GatewayError } from '../runtime/errors.ts'
import type { Family } from './definition.ts'

const DECIMAL = /^(?:\d+(?:\.\d+)?|\.\d+)$/
/** No amount needs more: 2^256 has 78 digits, and a token has at most 36 decimals. */
const MAX_CHARACTERS = 100

/** The size of the family's own amount type: uint256, u64, u64, VarUInteger 16. */
const MAX_BITS: Readonly<Record<Family, bigint>> = { evm: 256n, solana: 64n, sui: 64n, ton: 120n }

const FULL_BPS = 10_000n

/**
 * Parses an amount. @returns base units, above zero
 *
 * @param text   matches `^\d*\.?\d+$`; trailing zeros beyond the token's decimals are accepted
 * @param field  its name in the request
 * @throws 400  amount_precision, amount_too_small, amount_too_large; invalid_parameter for any other text
 */
export function parseAmount(text: string, decimals: number, family: Family, field = 'amount'): bigint {
  if (text.length > MAX_CHARACTERS || !DECIMAL.test(text)) {
    const message = `\`${field}\` must be a decimal number such as 12.5, of at most ${MAX_CHARACTERS} characters.`
    throw new GatewayError('invalid_parameter', message, { field })
  }
  const point = text.indexOf('.')
  const whole = point === -1 ? text : text.slice(0, point)
  const fraction = point === -1 ? '' : text.slice(point + 1).replace(/0+$/, '')
  if (fraction.length > decimals) {
    const message = `\`${field}\` must have at most ${decimals} fraction digits, because the token has no smaller unit.`
    throw new GatewayError('amount_precision', message, { field })
  }
  const amount = BigInt(whole + fraction.padEnd(decimals, '0'))
  if (amount === 0n) {
    throw new GatewayError('amount_too_small', `\`${field}\` must be more than zero.`, { field })
  }
  if (amount >> MAX_BITS[family] > 0n) {
    const message = `\`${field}\` must be below 2^${MAX_BITS[family]} base units, the most that the chain can represent.`
    throw new GatewayError('amount_too_large', message, { field })
  }
  return amount
}

/**
 * The shortest decimal text of exactly this amount.
 * @param base  base units, not negative
 */
export function formatAmount(base: bigint, decimals: number): string {
  const digits = base.toString().padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const fraction = digits.slice(point).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, point) : `${digits.slice(0, point)}.${fraction}`
}

/** The nearest double, for display only. */
export function toHuman(base: bigint, decimals: number): number {
  return Number(formatAmount(base, decimals))
}

/** The most that a swap may take for an exact output: the expected input and the slippage, rounded up. */
export function maxIn(expected: bigint, slippageBps: number): bigint {
  return (expected * (FULL_BPS + BigInt(slippageBps)) + FULL_BPS - 1n) / FULL_BPS
}

/** The minimum output of a swap: the expected output less the slippage, rounded down. */
export function minOut(expected: bigint, slippageBps: number): bigint {
  return (expected * (FULL_BPS - BigInt(slippageBps))) / FULL_BPS
}
