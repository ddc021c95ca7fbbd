/**
 * Pools as the sources list them, cleaned, and what the rows and the profiles
 * of all sources have to find in them.
 */
import { cleanNumber } from './clean.ts'

/** One of a pool's two tokens. */
export interface Side {
  /** Canonical. */
  readonly address: string
  readonly symbol: string | null
  readonly name: string | null
  /** Dollars. */
  readonly price: number | null
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
}

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
