/** The types of the market at one moment: prices, pools and trades. */

import type { MarketToken } from './tokens.ts'

export interface PoolHop {
  readonly pool: string
  readonly venue: string
  readonly tokenIn: MarketToken
  readonly tokenOut: MarketToken
  readonly amountIn: bigint
  readonly amountOut: bigint
  /** Base units of `tokenIn`, kept by the pool. */
  readonly fee: bigint
}

export interface Fill {
  readonly amountOut: bigint
  /** Percent, positive is a loss: against the price before the trade, the pools' fees aside. */
  readonly priceImpactPct: number
  readonly amountInUsd: string
  readonly amountOutUsd: string
  readonly hops: readonly PoolHop[]
}

/** A pool at one moment. */
export interface PoolState {
  readonly address: string
  readonly venue: string
  readonly base: MarketToken
  readonly quote: MarketToken
  /** Base units of each. */
  readonly baseReserve: bigint
  readonly quoteReserve: bigint
  /** The value of both sides together, a decimal string. */
  readonly liquidityUsd: string
  /** The same on average, around which it swings. */
  readonly usualUsd: number
}

/** The market at one moment. */
export interface Prices {
  /** Unix time in ms. */
  readonly at: number
  /** @returns null without a route, or if the output would be zero */
  swap(tokenIn: MarketToken, tokenOut: MarketToken, amountIn: bigint): Fill | null
  /** A trade in the pool of these two, possibly with a zero output; null without a pool. */
  direct(tokenIn: MarketToken, tokenOut: MarketToken, amountIn: bigint): PoolHop | null
  /** @returns a decimal string */
  usd(token: MarketToken): string
  /** How far its price has moved since then, in percent with two digits. @param since  Unix time in ms */
  changePct(token: MarketToken, since: number): number
  /** The pools that it is traded in, on either side, deepest first. A wrapper counts as the native coin. */
  pools(token: MarketToken): readonly PoolState[]
}
