/**
 * Orders and prices of the sandbox's Jupiter, including refusals.
 *
 * Source: jup-ag/docs, OpenAPI of the Swap API v2
 */

import { isBase58Of } from '../../chains/solana/base58.ts'
import { WRAPPED_SOL_MINT } from '../../chains/solana/programs.ts'
import type { Market } from '../market/market.ts'
import type { Fill } from '../market/prices.ts'
import type { MarketToken } from '../market/tokens.ts'

const CHAIN = 'solana'
const MAX_U64 = 2n ** 64n - 1n
/** Above this impact the route counts as unable to consume the amount: the pool is nearly empty. */
const MAX_IMPACT_PCT = 95
const QUOTE_DEFAULT_BPS = 50

export interface JupiterOrder {
  readonly tokenIn: MarketToken
  readonly tokenOut: MarketToken
  readonly amountIn: bigint
  readonly slippageBps: number
}

export interface PricedOrder extends JupiterOrder {
  readonly fill: Fill
  readonly minOut: bigint
}

/** Thrown to end a request early. */
export class JupiterRefusal extends Error {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>

  constructor(status: number, error: string, errorCode?: string) {
    super(error)
    this.status = status
    this.body = { error, ...(errorCode !== undefined && { errorCode }) }
  }
}

export function readAsked(query: URLSearchParams, market: Market): JupiterOrder {
  const inputMint = readMint(query, 'inputMint')
  const outputMint = readMint(query, 'outputMint')
  const amountIn = readInteger(query, 'amount', null, MAX_U64)
  const slippageBps = Number(readInteger(query, 'slippageBps', QUOTE_DEFAULT_BPS, 10_000n))
  const tokenIn = tradable(inputMint, market)
  const tokenOut = tradable(outputMint, market)
  if (tokenIn === tokenOut) {
    throw new JupiterRefusal(400, 'Input and output mints are the same', 'CIRCULAR_ARBITRAGE_IS_DISABLED')
  }
  return { tokenIn, tokenOut, amountIn, slippageBps }
}

export function price(asked: JupiterOrder, market: Market, now: number): PricedOrder {
  const { tokenIn, tokenOut, amountIn, slippageBps } = asked
  const prices = market.at(now)
  const fill = prices.swap(tokenIn, tokenOut, amountIn)
  if (fill === null) {
    // If the largest amount would give something, there is a route, and this amount is too small for it.
    const hasRoute = prices.swap(tokenIn, tokenOut, MAX_U64) !== null
    throw hasRoute
      ? new JupiterRefusal(
          400,
          'Cannot compute other amount threshold',
          'CANNOT_COMPUTE_OTHER_AMOUNT_THRESHOLD',
        )
      : new JupiterRefusal(400, 'Could not find any route', 'COULD_NOT_FIND_ANY_ROUTE')
  }
  if (fill.priceImpactPct > MAX_IMPACT_PCT) {
    const error = 'The route plan does not consume all the amount, please lower your input amount'
    throw new JupiterRefusal(400, error, 'ROUTE_PLAN_DOES_NOT_CONSUME_ALL_THE_AMOUNT')
  }
  return { ...asked, fill, minOut: (fill.amountOut * BigInt(10_000 - slippageBps)) / 10_000n }
}

function tradable(mint: string, market: Market): MarketToken {
  const token = tokenOf(mint, market)
  if (token !== null) return token
  throw new JupiterRefusal(400, `The token ${mint} is not tradable`, 'TOKEN_NOT_TRADABLE')
}

/** The wrapped coin's mint means the coin itself. */
export function tokenOf(mint: string, market: Market): MarketToken | null {
  return mint === WRAPPED_SOL_MINT ? market.native(CHAIN) : market.find(CHAIN, mint)
}

export const mintOf = ({ isNative, address }: MarketToken): string => (isNative ? WRAPPED_SOL_MINT : address)

/** The threshold is rounded up, as recorded: the slippage's part is rounded down. */
export function amounts({ tokenIn, tokenOut, amountIn, slippageBps, fill }: PricedOrder) {
  return {
    inputMint: mintOf(tokenIn),
    inAmount: amountIn.toString(),
    outputMint: mintOf(tokenOut),
    outAmount: fill.amountOut.toString(),
    otherAmountThreshold: (fill.amountOut - (fill.amountOut * BigInt(slippageBps)) / 10_000n).toString(),
  }
}

export function routePlan({ hops }: Fill): readonly unknown[] {
  return hops.map((hop) => ({
    swapInfo: {
      ammKey: hop.pool,
      label: hop.venue,
      inputMint: mintOf(hop.tokenIn),
      outputMint: mintOf(hop.tokenOut),
      inAmount: hop.amountIn.toString(),
      outAmount: hop.amountOut.toString(),
    },
    percent: 100,
    bps: 10_000,
  }))
}

function readMint(query: URLSearchParams, name: string): string {
  const mint = query.get(name)
  if (mint === null || !isBase58Of(mint, 32))
    throw new JupiterRefusal(400, `Query parameter ${name} cannot be parsed`)
  return mint
}

function readInteger(query: URLSearchParams, name: string, fallback: number | null, max: bigint): bigint {
  const text = query.get(name) ?? fallback?.toString() ?? ''
  const value = /^\d{1,20}$/.test(text) ? BigInt(text) : null
  if (value === null || value > max) throw new JupiterRefusal(400, `Query parameter ${name} cannot be parsed`)
  return value
}
