/**
 * Candles and trades of the sandbox's GeckoTerminal, derived from the market's past
 * prices, so every request gets the same.
 *
 * Source: CoinGecko's OpenAPI document of its API, the paths below /onchain
 */
import { findEvmChain } from '../../chains/find.ts'
import { type SandboxTrade, volumeOf } from './activity.ts'
import type { Market } from './market.ts'
import { type SandboxPair, tradedAs } from './research.ts'
import type { MarketToken } from './tokens.ts'

/** Price samples in each candle, both ends included. */
const LOOKS = 12

interface CandleSpan {
  /** Ms epoch. */
  readonly before: number
  readonly intervalMs: number
  readonly limit: number
}

/** @returns `[seconds, open, high, low, close, volume]`, newest first; none from before the pool */
export function candlesOf(
  market: Market,
  pair: SandboxPair,
  token: MarketToken,
  span: CandleSpan,
): number[][] {
  const { before, intervalMs, limit } = span
  // It was never traded.
  if (pair.turnover === 0) return []
  const candles: number[][] = []
  for (
    let start = Math.floor(before / intervalMs) * intervalMs;
    candles.length < limit;
    start -= intervalMs
  ) {
    if (start + intervalMs <= pair.createdAt) break
    const end = Math.min(before, start + intervalMs)
    const looks = Array.from({ length: LOOKS }, (_, i) =>
      Number(market.at(start + ((end - start) * i) / (LOOKS - 1)).usd(token)),
    )
    const volume = volumeOf(market, pair, Math.max(start, pair.createdAt), end)
    candles.push([start / 1_000, looks[0]!, Math.max(...looks), Math.min(...looks), looks.at(-1)!, volume])
  }
  return candles
}

/** @param isInverted  the kind is the quote token's */
export function shownTrade(market: Market, pair: SandboxPair, trade: SandboxTrade, isInverted: boolean) {
  const { base, quote } = pair
  const { at, kind, tx, trader, worth } = trade
  const [from, to] = kind === 'buy' ? [quote, base] : [base, quote]
  const price = (token: MarketToken): number => Number(market.at(at).usd(token))
  const amount = (token: MarketToken): string => (worth / price(token)).toFixed(Math.min(token.decimals, 15))
  const block = Math.floor(at / 2_000)
  const isBuy = (kind === 'buy') !== isInverted
  return {
    id: `${pair.address}_${block}_${tx}`,
    type: 'trade',
    attributes: {
      block_number: block,
      tx_hash: tx,
      tx_from_address: trader,
      from_token_amount: amount(from),
      to_token_amount: amount(to),
      price_from_in_currency_token: '1.0',
      price_to_in_currency_token: String(price(to) / price(from)),
      price_from_in_usd: String(price(from)),
      price_to_in_usd: String(price(to)),
      block_timestamp: new Date(at).toISOString(),
      kind: isBuy ? 'buy' : 'sell',
      volume_in_usd: String(worth),
      from_token_address: spelled(from),
      to_token_address: spelled(to),
    },
  }
}

/** EVM addresses are in lower case. */
export function spelled(token: MarketToken): string {
  const { chain, address } = tradedAs(token)
  return findEvmChain(chain) !== null ? address.toLowerCase() : address
}
