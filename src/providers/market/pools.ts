/**
 * Pools as the sources list them, cleaned, and the choice of a credible price.
 *
 * Anyone can create a pool, at any price and with faked liquidity, so a single
 * pool does not establish a price. A pool's weight is the money at stake in it, in
 * dollars:
 *
 *   its liquidity, but at most five times what it holds of the other token, and
 *   at most a hundred times its daily volume;
 *   without known liquidity, as for a bonding curve, its daily volume up to 10,000.
 *
 * A pool that trades less than a ten-thousandth of its liquidity in a day is
 * ignored. A pool against a token that is not a major counts only if the pools
 * against majors have almost nothing at stake: its liquidity may be in a worthless
 * coin. Among the remaining pools, the price is that of the heaviest pool whose
 * price is near the weighted median.
 *
 * Lists, profiles, candles, trades and portfolios all use `choose`.
 */
import { findMajor } from '../../chains/majors.ts'
import * as clean from './clean.ts'
import type { Changes, Early } from './market.ts'

/** One of a pool's two tokens. */
export interface PoolSide {
  /** Canonical. */
  readonly address: string
  readonly symbol: string | null
  readonly name: string | null
  /** Dollars. */
  readonly price: number | null
  /** Dollars of this token in the pool; absent if the source does not say. */
  readonly held?: number
}

export interface Pool {
  /** In its chain's notation: an address, or an id of 32 bytes. */
  readonly address: string
  readonly venue: string | null
  readonly base: PoolSide
  readonly quote: PoolSide
  /** The base token's market capitalization, dollars. */
  readonly mcap: number | null
  /** The value of the base token's whole supply on this chain, dollars. */
  readonly fdv: number | null
  /** Dollars on both sides. */
  readonly liquidity: number | null
  readonly vol24: number | null
  /** Ms epoch. */
  readonly createdAt: number | null
  /** Changes of the base token's price and trades; absent if the source does not say. */
  readonly changes?: Changes
}

/** The least daily volume of a credible pool, as a fraction of its liquidity. */
const LEAST_TURNOVER = 1 / 10_000
/** Liquidity counts up to this multiple of the daily volume. */
const MAX_LIQUIDITY_PER_VOLUME = 100
/**
 * Liquidity counts up to this multiple of what the pool holds of the other token; in a balanced pool it is
 * twice that.
 */
const MAX_LIQUIDITY_PER_HELD = 5
/**
 * The largest weights of a pool without known liquidity and of one without known volume. Graduated curves
 * start with more.
 */
const CURVE_WEIGHT = 10_000
const UNTRADED_WEIGHT = 1_000
/** With at least this much at stake in pools against majors, other pools are ignored. */
const ENOUGH_IN_MAJORS = 1_000
/** The largest ratio between a price and the median. */
const NEAR = 1.5

/**
 * @param token  canonical
 * @returns the pools with the token on either side, in the given order
 */
export function poolsWith<P extends Pool>(pools: readonly P[], token: string): readonly P[] {
  return pools.filter(({ base, quote }) => base.address === token || quote.address === token)
}

/** @returns the oldest pool; nothing if no pool's age is known */
export function earlyFrom(pools: readonly Pool[]): Early[] {
  const first = oldestOf(pools)
  if (first === null) return []
  const { address, venue, createdAt: at } = first
  return [{ kind: 'pool', address, venue, at }]
}

/** Sorts by liquidity. Unknown liquidity counts as zero. */
export function deepestFirst<P extends Pool>(pools: readonly P[]): readonly P[] {
  return pools.toSorted((a, b) => (b.liquidity ?? 0) - (a.liquidity ?? 0))
}

/** @returns the oldest pool of known age; null if there is none */
export function oldestOf<P extends Pool>(pools: readonly P[]): P | null {
  const dated = pools.filter(({ createdAt }) => createdAt !== null)
  return dated.toSorted((a, b) => a.createdAt! - b.createdAt!)[0] ?? null
}

/** @returns the sum of the known values; null if none is known, or if the sum is not finite */
export function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : clean.number(known.reduce((sum, value) => sum + value, 0))
}

/** Whether a pool's volume is too low for its stated liquidity to make its price meaningful. */
export function isInactive(liquidity: number | null, vol24: number | null): boolean {
  return vol24 !== null && (vol24 === 0 || (liquidity !== null && vol24 < liquidity * LEAST_TURNOVER))
}

/** @returns the liquidity that a day's volume supports; all of it if the volume is unknown */
export function supportedLiquidity(liquidity: number | null, vol24: number | null): number | null {
  return liquidity === null || vol24 === null
    ? liquidity
    : Math.min(liquidity, vol24 * MAX_LIQUIDITY_PER_VOLUME)
}

/** Whether two prices are close enough to be the same token's at about the same time. */
export function isNear(price: number, other: number): boolean {
  return price <= other * NEAR && other <= price * NEAR
}

/** A pool with a usable price and its weight. */
type PricedPool<P extends Pool> = NonNullable<ReturnType<typeof pricedPool<P>>>

/** @param pools  pools on this chain; those without the token are ignored */
export function choose<P extends Pool>(chain: string, token: string, pools: readonly P[]) {
  const own = poolsWith(pools, token)
  const priced = credible(own.flatMap((pool) => pricedPool(chain, token, pool) ?? []))
  const median = weightedMedian(priced)
  const agreeing = priced.filter(({ price }) => isNear(price, median)).toSorted((a, b) => b.weight - a.weight)
  const inMajors = agreeing.filter(({ isAgainstMajor }) => isAgainstMajor)
  return {
    /** The pool to show, even if no price is credible; null if the token has no pool. */
    pool: agreeing[0]?.pool ?? deepestFirst(own)[0] ?? null,
    /** Dollars; null if no pool is credible. */
    price: agreeing[0]?.price ?? null,
    /** The credible pools, heaviest first. */
    agreeing: agreeing.map(({ pool }) => pool),
    /** Liquidity of the credible pools against majors, dollars; null if unknown. */
    liq: sumOf(inMajors.map(({ liquidity }) => liquidity)),
    /** What is at stake in the credible pools against majors, dollars. */
    weight: inMajors.reduce((sum, { weight }) => sum + weight, 0),
  }
}

/** @returns null for a pool without a meaningful price of the token */
function pricedPool<P extends Pool>(chain: string, token: string, pool: P) {
  const { base, quote, vol24 } = pool
  const [own, other] = base.address === token ? [base, quote] : [quote, base]
  const liquidity = backedLiquidity(pool, other)
  const weight = weightOf(liquidity, vol24)
  if (own.price === null || own.price === 0 || weight === 0 || isInactive(liquidity, vol24)) return null
  return {
    pool,
    price: own.price,
    isAgainstMajor: findMajor(chain, other.address) !== null,
    liquidity: supportedLiquidity(liquidity, vol24),
    weight,
  }
}

/** Liquidity in the token itself is not trusted: its creator can supply any amount. */
function backedLiquidity({ liquidity }: Pool, { held }: PoolSide): number | null {
  return liquidity === null || held === undefined
    ? liquidity
    : Math.min(liquidity, MAX_LIQUIDITY_PER_HELD * held)
}

function weightOf(liquidity: number | null, vol24: number | null): number {
  if (liquidity === null) return Math.min(vol24 ?? 0, CURVE_WEIGHT)
  return vol24 === null ? Math.min(liquidity, UNTRADED_WEIGHT) : supportedLiquidity(liquidity, vol24)!
}

/**
 * Keeps only pools against majors if enough is at stake there. Keeps only the busiest bonding curve, as a
 * token has one.
 */
function credible<P extends Pool>(all: readonly PricedPool<P>[]): readonly PricedPool<P>[] {
  const [curve] = all.filter(({ liquidity }) => liquidity === null).toSorted((a, b) => b.weight - a.weight)
  const candidates = all.filter((pool) => pool.liquidity !== null || pool === curve)
  const inMajors = candidates.filter(({ isAgainstMajor }) => isAgainstMajor)
  return inMajors.reduce((sum, { weight }) => sum + weight, 0) >= ENOUGH_IN_MAJORS ? inMajors : candidates
}

/** The price with half of the weight on either side. Pools with little at stake hardly move it. */
function weightedMedian<P extends Pool>(pools: readonly PricedPool<P>[]): number {
  const byPrice = pools.toSorted((a, b) => a.price - b.price)
  let rest = pools.reduce((sum, { weight }) => sum + weight, 0) / 2
  for (const { price, weight } of byPrice) {
    rest -= weight
    if (rest <= 0) return price
  }
  return byPrice.at(-1)?.price ?? 0
}
