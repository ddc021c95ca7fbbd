/**
 * Pools as the sources list them, cleaned, and which of them is believed.
 *
 * Anybody makes a pool, at any price, with any liquidity that a site can be
 * made to show, so that one pool's word is not a price. What a pool says has
 * the weight of what is at stake in it, in dollars:
 *
 *   its liquidity, but no more than five times what it holds of the other token,
 *   and no more than a hundred times what it trades in a day;
 *   where no liquidity is told, as of a bonding curve, what it trades, up to 10,000.
 *
 * What trades less than a ten-thousandth of its liquidity in a day says nothing.
 * A pool against a token that is no major counts only where those against
 * majors have next to nothing at stake: its liquidity is in a coin that may be
 * worthless. Of those that are left, the price is that of the heaviest whose
 * price is near the weighted median.
 *
 * Lists, profiles, candles, trades and portfolios all ask `choose`.
 */
import { findMajor } from '../../chains/majors.ts'
import { cleanNumber } from './clean.ts'
import type { Changes } from './market.ts'

/** One of a pool's two tokens. */
export interface Side {
  /** Canonical. */
  readonly address: string
  readonly symbol: string | null
  readonly name: string | null
  /** Dollars. */
  readonly price: number | null
  /** Dollars of it that are in the pool; absent where that is not told. */
  readonly held?: number
}

export interface Pool {
  /** As its chain writes it: an address, or an id of 32 bytes. */
  readonly address: string
  readonly venue: string | null
  readonly base: Side
  readonly quote: Side
  /** The base token's, dollars. */
  readonly mcap: number | null
  /** The same of the whole supply on this chain. */
  readonly fdv: number | null
  /** Dollars on both sides. */
  readonly liquidity: number | null
  readonly vol24: number | null
  /** Ms epoch. */
  readonly createdAt: number | null
  /** Of the base token's price, and of its trades; absent where it is not told. */
  readonly changes?: Changes
}

/** What a token's pools say of it together. */
export interface Choice<P extends Pool> {
  /** The one to look at, also where its word is no price; null where there is none. */
  readonly pool: P | null
  /** Dollars; null where no pool is to be believed. */
  readonly price: number | null
  /** Those that are believed, heaviest first. */
  readonly agreeing: readonly P[]
  /** Dollars in those of them whose other token is a major; null where it is not known. */
  readonly liq: number | null
  /** What is at stake in those that are believed, dollars. */
  readonly weight: number
}

/** In a day a pool trades at least this part of its liquidity, or says nothing. */
const LEAST_TURNOVER = 1 / 10_000
/** What it trades in a day bears out so many times as much liquidity. */
const BORNE_OUT = 100
/** What a pool holds of the other token backs so many times as much; in a balanced one that is twice. */
const BACKED = 5
/** The most that weighs what tells no liquidity, and what tells no volume. Graduated curves begin with more. */
const CURVE_WEIGHT = 10_000
const UNTRADED_WEIGHT = 1_000
/** From this at stake in pools against majors on, other pools are not heard. */
const ENOUGH_IN_MAJORS = 1_000
/** How far a price may be from the median, times or part. */
const NEAR = 1.5

/** @param token  canonical. @returns those that have it on either side, in their order */
export function poolsWith<P extends Pool>(pools: readonly P[], token: string): readonly P[] {
  return pools.filter(({ base, quote }) => base.address === token || quote.address === token)
}

/** What is not told counts as nothing. */
export function deepestFirst<P extends Pool>(pools: readonly P[]): readonly P[] {
  return pools.toSorted((a, b) => (b.liquidity ?? 0) - (a.liquidity ?? 0))
}

/** The oldest whose age is told. */
export function firstOf<P extends Pool>(pools: readonly P[]): P | null {
  const dated = pools.filter(({ createdAt }) => createdAt !== null)
  return dated.toSorted((a, b) => a.createdAt! - b.createdAt!)[0] ?? null
}

/** @returns null where none of them is known, or the sum is beyond all numbers */
export function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : cleanNumber(known.reduce((sum, value) => sum + value, 0))
}

/** Whether so little is traded for what is said to be there that a price of it means nothing. */
export function isSilent(liquidity: number | null, vol24: number | null): boolean {
  return vol24 !== null && (vol24 === 0 || (liquidity !== null && vol24 < liquidity * LEAST_TURNOVER))
}

/** @returns as much of a liquidity as a day's volume bears out; all of it where the volume is not told */
export function borneOut(liquidity: number | null, vol24: number | null): number | null {
  return liquidity === null || vol24 === null ? liquidity : Math.min(liquidity, vol24 * BORNE_OUT)
}

/** Whether two prices can be of the same token at about the same time. */
export function isNear(price: number, other: number): boolean {
  return price <= other * NEAR && other <= price * NEAR
}

interface Witness<P extends Pool> {
  readonly pool: P
  readonly price: number
  readonly isAgainstMajor: boolean
  readonly liquidity: number | null
  readonly weight: number
}

/** @param pools  of the token on this chain; a pool of other tokens is not looked at */
export function choose<P extends Pool>(chain: string, token: string, pools: readonly P[]): Choice<P> {
  const own = poolsWith(pools, token)
  const witnesses = heard(own.flatMap((pool) => witnessOf(chain, token, pool) ?? []))
  const median = weightedMedian(witnesses)
  const agreeing = witnesses
    .filter(({ price }) => isNear(price, median))
    .toSorted((a, b) => b.weight - a.weight)
  const inMajors = agreeing.filter(({ isAgainstMajor }) => isAgainstMajor)
  return {
    pool: agreeing[0]?.pool ?? deepestFirst(own)[0] ?? null,
    price: agreeing[0]?.price ?? null,
    agreeing: agreeing.map(({ pool }) => pool),
    liq: sumOf(inMajors.map(({ liquidity }) => liquidity)),
    weight: inMajors.reduce((sum, { weight }) => sum + weight, 0),
  }
}

/** @returns null for a pool that says nothing of the token's price */
function witnessOf<P extends Pool>(chain: string, token: string, pool: P): Witness<P> | null {
  const { base, quote, vol24 } = pool
  const [own, other] = base.address === token ? [base, quote] : [quote, base]
  const liquidity = backed(pool, other)
  const weight = weightOf(liquidity, vol24)
  if (own.price === null || own.price === 0 || weight === 0 || isSilent(liquidity, vol24)) return null
  return {
    pool,
    price: own.price,
    isAgainstMajor: findMajor(chain, other.address) !== null,
    liquidity: borneOut(liquidity, vol24),
    weight,
  }
}

/** A heap of the token itself is worth what its maker says. */
function backed({ liquidity }: Pool, { held }: Side): number | null {
  return liquidity === null || held === undefined ? liquidity : Math.min(liquidity, BACKED * held)
}

function weightOf(liquidity: number | null, vol24: number | null): number {
  if (liquidity === null) return Math.min(vol24 ?? 0, CURVE_WEIGHT)
  return vol24 === null ? Math.min(liquidity, UNTRADED_WEIGHT) : borneOut(liquidity, vol24)!
}

/** Those whose word counts: against majors where enough is at stake there; of curves the busiest, as a token has one. */
function heard<P extends Pool>(all: readonly Witness<P>[]): readonly Witness<P>[] {
  const [curve] = all.filter(({ liquidity }) => liquidity === null).toSorted((a, b) => b.weight - a.weight)
  const one = all.filter((witness) => witness.liquidity !== null || witness === curve)
  const inMajors = one.filter(({ isAgainstMajor }) => isAgainstMajor)
  return inMajors.reduce((sum, { weight }) => sum + weight, 0) >= ENOUGH_IN_MAJORS ? inMajors : one
}

/** The price that has half of the weight on either side; many pools with nothing at stake do not move it. */
function weightedMedian<P extends Pool>(witnesses: readonly Witness<P>[]): number {
  const byPrice = witnesses.toSorted((a, b) => a.price - b.price)
  let rest = witnesses.reduce((sum, { weight }) => sum + weight, 0) / 2
  for (const { price, weight } of byPrice) {
    rest -= weight
    if (rest <= 0) return price
  }
  return byPrice.at(-1)?.price ?? 0
}
