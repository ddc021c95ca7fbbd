/** Why a swap shouldn't be signed: it is known to fail, or something has to be accepted first. */
import { type Held, heldOf } from '../form/held.ts'
import type { SwapCoin } from '../order.ts'

/** How long a build is offered for signature: a blockhash lasts a minute, and prices move. */
const SOLANA_LASTS_MS = 60_000
const LASTS_MS = 120_000

/** How long a build is still offered, ms; 0 once it is expired. */
export const leftMs = (chain: string, builtAt: number, now: number): number =>
  Math.max(0, (chain === 'solana' ? SOLANA_LASTS_MS : LASTS_MS) - (now - builtAt))

/** A decimal in base units; null if it has more digits than the coin. */
export function baseOf(amount: string, decimals: number): bigint | null {
  const [whole = '', fraction = ''] = amount.split('.')
  return /^\d+$/.test(whole) && /^\d*$/.test(fraction) && fraction.length <= decimals
    ? BigInt(whole + fraction.padEnd(decimals, '0'))
    : null
}

/**
 * Whether the wallet is known to hold less than that. An unlisted token may be missing from the known
 * balances, so its absence there proves nothing.
 */
export function isShort(
  held: Held,
  coin: SwapCoin & { readonly isListed?: boolean },
  isNative: boolean,
  amountIn: bigint | null,
): boolean {
  const { base } = heldOf(held.chain, coin, isNative)
  if (base === null || amountIn === null || (base === '0' && coin.isListed === false)) return false
  return BigInt(base) < amountIn
}
