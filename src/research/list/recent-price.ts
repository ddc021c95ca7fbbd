/**
 * Recent prices of the token list: of one token, and the amount that they
 * predict for an order. A quote far above all others is checked against it.
 */
import { priceUnits } from '../../chains/usd.ts'
import type { TokenSet } from './token-set.ts'

/** An older price says nothing about a swap made now. */
const MAX_AGE_MS = 300_000

interface PricedToken {
  readonly address: string
  readonly decimals: number
}

interface PricedOrder {
  readonly chain: { readonly key: string }
  readonly tokenIn: PricedToken
  readonly tokenOut: PricedToken
  readonly amountIn: bigint
}

/**
 * @param address  canonical
 * @param date     Unix time, ms
 * @returns null if the price is unknown or too old
 */
export function recentPrice(
  tokens: Pick<TokenSet, 'find'>,
  chainKey: string,
  address: string,
  date: number,
): { readonly price: number; readonly priceTs: number } | null {
  const { price = null, priceTs = null } = tokens.find(chainKey, address) ?? {}
  return price === null || priceTs === null || date - priceTs > MAX_AGE_MS ? null : { price, priceTs }
}

/**
 * The output that an order should give at current prices.
 * @param date  Unix time, ms
 * @returns base units of `tokenOut`; null if a price is unknown or too old
 */
export function fairOut(
  tokens: TokenSet,
  { chain, tokenIn, tokenOut, amountIn }: PricedOrder,
  date: number,
): bigint | null {
  const priceIn = recentPrice(tokens, chain.key, tokenIn.address, date)?.price
  const priceOut = recentPrice(tokens, chain.key, tokenOut.address, date)?.price
  if (priceIn === undefined || priceOut === undefined || priceUnits(priceOut) === 0n) return null
  const value = amountIn * priceUnits(priceIn) * 10n ** BigInt(tokenOut.decimals)
  return value / (priceUnits(priceOut) * 10n ** BigInt(tokenIn.decimals))
}
