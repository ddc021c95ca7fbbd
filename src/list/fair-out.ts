/**
 * What an order should give by the token list's prices, against which an offer
 * is held that is far above all others.
 */
import { priceUnits } from '../chains/usd.ts'
import type { TokenSet } from './token-set.ts'

/** An older price says nothing of a swap that is offered now. */
const MAX_AGE_MS = 300_000

interface Side {
  readonly address: string
  readonly decimals: number
}

interface Priced {
  readonly chain: { readonly key: string }
  readonly tokenIn: Side
  readonly tokenOut: Side
  readonly amountIn: bigint
}

/**
 * @param date  Unix time, ms
 * @returns base units of what is bought; null where a price is unknown or old
 */
export function fairOut(
  tokens: TokenSet,
  { chain, tokenIn, tokenOut, amountIn }: Priced,
  date: number,
): bigint | null {
  const [priceIn, priceOut] = [tokenIn, tokenOut].map(({ address }) => {
    const listed = tokens.find(chain.key, address)
    const isRecent = listed?.priceTs != null && date - listed.priceTs <= MAX_AGE_MS
    return isRecent ? listed.price : null
  })
  if (priceIn == null || priceOut == null || priceUnits(priceOut) === 0n) return null
  const value = amountIn * priceUnits(priceIn) * 10n ** BigInt(tokenOut.decimals)
  return value / (priceUnits(priceOut) * 10n ** BigInt(tokenIn.decimals))
}
