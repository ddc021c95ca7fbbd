/** What pools of concentrated liquidity have in common: of a pair's pools some are read whole, with their ticks. */
import type { PoolState } from './concentrated-math.ts'
import type { Accounts, Asked, PoolProgram, PoolQuote } from './pools.ts'

/** Of the pair's pools, those with the most liquidity at their price are read with their ticks. */
const DEEPEST = 3

export interface TickPool extends PoolState {
  readonly address: string
  readonly spacing: number
  readonly tick: number
  readonly vaults: readonly [string, string]
}

/** An array of ticks: its first tick, and its address. */
export interface TickArray {
  readonly start: number
  readonly address: string
}

interface Concentrated<Pool extends TickPool> {
  /** The pools of the pair among the accounts. */
  poolsIn(accounts: Accounts, asked: Asked): readonly Pool[]
  /** What a pool's rule depends on, besides its ticks. */
  besides(pool: Pool): readonly string[]
  /** The arrays of ticks that a swap can use, in its direction. */
  arraysOf(pool: Pool, aToB: boolean): readonly TickArray[]
  /** @returns null for a swap that the program refuses, or that is not computed exactly */
  quoteOf(pool: Pool, arrays: readonly TickArray[], asked: Asked, accounts: Accounts): PoolQuote | null
}

export const concentratedQuotes =
  <Pool extends TickPool>(program: Concentrated<Pool>): PoolProgram['quotes'] =>
  async (asked, found, read) => {
    const { poolsIn, besides, arraysOf, quoteOf } = program
    const deepest = [...poolsIn(found, asked)]
      .sort((one, other) => (one.liquidity > other.liquidity ? -1 : 1))
      .slice(0, DEEPEST)
    if (deepest.length === 0) return []
    // The pools again: their prices are of the same slot as the ticks.
    const wanted = deepest.flatMap((pool) => [
      pool.address,
      ...besides(pool),
      ...arraysOf(pool, asked.aToB).map(({ address }) => address),
    ])
    const now = await read(wanted)
    return poolsIn(now, asked).flatMap((pool) => {
      const arrays = arraysOf(pool, asked.aToB)
      // The price may have moved on to arrays that were not asked for.
      const isKnown = arrays.length > 0 && arrays.every(({ address }) => wanted.includes(address))
      return (isKnown && quoteOf(pool, arrays, asked, now)) || []
    })
  }
