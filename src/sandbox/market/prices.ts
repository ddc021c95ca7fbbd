/** What the market says at one moment: prices, pools, and what a trade would give. */

import type { MarketToken } from './tokens.ts'

export interface Hop {
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
  readonly hops: readonly Hop[]
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
  /** The worth of both sides together, a decimal string. */
  readonly liquidityUsd: string
}

/** The market at one moment. */
export interface Prices {
  /** Unix time in ms. */
  readonly at: number
  /** @returns null where there is no route, or nothing would come out */
  swap(tokenIn: MarketToken, tokenOut: MarketToken, amountIn: bigint): Fill | null
  /** A trade with the one pool of these two, also one that gives nothing; null where they have no pool. */
  direct(tokenIn: MarketToken, tokenOut: MarketToken, amountIn: bigint): Hop | null
  /** @returns a decimal string */
  usd(token: MarketToken): string
  /** The pools that it is traded in, on either side, deepest first. A wrapper stands for the native coin. */
  pools(token: MarketToken): readonly PoolState[]
}
