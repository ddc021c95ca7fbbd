/**
 * The state of every EVM chain of the sandbox, without a virtual machine: blocks that
 * follow the clock, and wallets with equal balances.
 */
import type { MarketToken } from '../market/tokens.ts'

export const BLOCK_MS = 2_000
/** Every wallet's balance of the native coin. */
export const HELD_WEI = 10n * 10n ** 18n
/** Every wallet's balance of each token, in whole tokens. */
const HELD_TOKENS = 1_000n

/** Base units. */
export function heldOf({ decimals }: MarketToken): bigint {
  return HELD_TOKENS * 10n ** BigInt(decimals)
}

/** @param now  Unix time in ms */
export function blockAt(now: number): bigint {
  return BigInt(Math.floor(now / BLOCK_MS))
}
