/**
 * How providers differ in a lifelike sandbox: each offers a little less than the fair price, less of it for
 * some orders than for others, and takes its time; some fail now and then.
 *
 * The order and the minute decide the offers and failures, so an early retry meets the same.
 */

import { draw } from '../draw.ts'
import type { Fill, Prices } from './prices.ts'
import type { MarketToken } from './tokens.ts'
import { gaussian } from './walk.ts'

interface Manners {
  /**
   * What it offers above the fair price, in bps, and its largest deviation from that; absent: the pools'
   * price.
   */
  readonly offer?: readonly [bps: number, spread: number]
  /** The time that an answer takes, ms: the median, and what one in twenty exceeds. */
  readonly takes?: readonly [median: number, p95: number]
  /** Failures of 10,000 quotes. Jupiter has none: only its builds on Solana are proved. */
  readonly failures?: number
}

const MANNERS: Readonly<Record<string, Manners>> = {
  jupiter: { offer: [-3, 2], takes: [220, 700] },
  dflow: { offer: [-5, 3], takes: [240, 750], failures: 100 },
  kyberswap: { offer: [-4, 3], takes: [260, 800], failures: 70 },
  velora: { offer: [-6, 4], takes: [340, 1_100], failures: 100 },
  xprov: { offer: [-9, 5], takes: [900, 2_500], failures: 150 },
  swapcoffee: { offer: [-5, 3], takes: [400, 1_200], failures: 100 },
  stonfi: { takes: [250, 800] },
  // Uniswap V2 is called through a node.
  evm: { offer: [-3, 0], takes: [60, 150] },
  sui: { offer: [-3, 0] },
}

/** One offer in this many is better than any real one can be. */
const INCREDIBLE = 500
const INCREDIBLE_BPS = 4_000
/** Where the top one in twenty of a normal distribution begins, in deviations. */
const P95_DEVIATIONS = 1.645
const MINUTE_MS = 60_000
const PER_POOL = 997n
const PPM = 1_000_000n

/** The prices that the named provider offers. */
export function offered(prices: Prices, name: string): Prices {
  const { offer } = MANNERS[name] ?? {}
  if (offer === undefined) return prices
  const [bps, spread] = offer
  const minute = Math.floor(prices.at / MINUTE_MS)
  return withFills(prices, (fill, tokenIn, tokenOut, amountIn) => {
    const key = `${name} ${tokenIn.chain} ${tokenIn.address} ${tokenOut.address} ${amountIn}`
    const isIncredible = spread > 0 && draw(`${key} incredible`) < 1 / INCREDIBLE
    const by = isIncredible ? INCREDIBLE_BPS : bps + spread * (2 * draw(`${key} ${minute}`) - 1)
    const pools = BigInt(fill.hops.filter(({ fee }) => fee > 0n).length)
    if (pools === 0n) return fill.amountOut
    const fair = (fill.amountOut * 1_000n ** pools) / PER_POOL ** pools
    return (fair * (PPM + BigInt(Math.round(100 * by)))) / PPM
  })
}

/** What a trade gives, in base units of the output; none: no fill. */
export type Give = (
  fill: Fill,
  tokenIn: MarketToken,
  tokenOut: MarketToken,
  amountIn: bigint,
  at: number,
) => bigint

/** The same prices with other results of trades. */
export function withFills(prices: Prices, give: Give): Prices {
  return {
    at: prices.at,
    swap(...trade) {
      const fill = prices.swap(...trade)
      if (fill === null) return null
      const amountOut = give(fill, ...trade, prices.at)
      if (amountOut === 0n) return null
      const worth = (Number(fill.amountOutUsd) * Number(amountOut)) / Number(fill.amountOut)
      return {
        ...fill,
        amountOut,
        amountOutUsd: worth.toFixed(10),
        hops: fill.hops.with(-1, { ...fill.hops.at(-1)!, amountOut }),
      }
    },
    direct: (...trade) => prices.direct(...trade),
    usd: (token) => prices.usd(token),
    changePct: (token, since) => prices.changePct(token, since),
    pools: (token) => prices.pools(token),
  }
}

/** @returns ms that the named server takes for a request */
export function delayOf(name: string, request: string, now: number): number {
  const { takes } = MANNERS[name] ?? {}
  if (takes === undefined) return 0
  const [median, p95] = takes
  const key = `${name} ${request} ${now}`
  const deviations = gaussian(draw(`${key} one`), draw(`${key} two`))
  return Math.round(median * (p95 / median) ** (Math.min(deviations, 2.5) / P95_DEVIATIONS))
}

/** Whether the named server fails on a request for a quote. */
export function isFailing(name: string, request: string, now: number): boolean {
  const { failures = 0 } = MANNERS[name] ?? {}
  return failures > 0 && draw(`${name} ${request} ${Math.floor(now / MINUTE_MS)}`) < failures / 10_000
}
