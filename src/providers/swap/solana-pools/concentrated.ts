/** What pools of concentrated liquidity have in common: of a pair's pools some are read whole, with their ticks. */
import { atSpot, type PoolState, type Rules, swapExactIn, type Tick } from './concentrated-math.ts'
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
  readonly rules: Rules
  /** The pools of the pair among the accounts. */
  poolsIn(accounts: Accounts, asked: Asked): readonly Pool[]
  /** What a pool's rule depends on, besides its ticks. */
  besides(pool: Pool): readonly string[]
  /** The arrays of ticks that a swap can use, in its direction. */
  arraysOf(pool: Pool, aToB: boolean): readonly TickArray[]
  /**
   * The ticks of the arrays with liquidity, and the last that is known, in any order; null if an array is another one
   * than expected, or not computed exactly.
   */
  ticksIn(pool: Pool, arrays: readonly TickArray[], accounts: Accounts, aToB: boolean): readonly Tick[] | null
  /** What the swap's instruction names. */
  namesOf(pool: Pool, arrays: readonly TickArray[], asked: Asked): Pick<PoolQuote, 'keys' | 'ending'>
}

export const concentratedQuotes =
  <Pool extends TickPool>(program: Concentrated<Pool>): PoolProgram['quotes'] =>
  async (asked, found, read) => {
    const { rules, poolsIn, besides, arraysOf, ticksIn, namesOf } = program
    const { aToB, amountIn } = asked
    const deepest = [...poolsIn(found, asked)]
      .sort((one, other) => (one.liquidity > other.liquidity ? -1 : 1))
      .slice(0, DEEPEST)
    if (deepest.length === 0) return []
    // The pools again: their prices are of the same slot as the ticks.
    const wanted = deepest.flatMap((pool) => [
      pool.address,
      ...besides(pool),
      ...arraysOf(pool, aToB).map(({ address }) => address),
    ])
    const now = await read(wanted)
    return poolsIn(now, asked).flatMap((pool) => {
      const arrays = arraysOf(pool, aToB)
      // The price may have moved on to arrays that were not asked for.
      const isKnown = arrays.length > 0 && arrays.every(({ address }) => wanted.includes(address))
      const ticks = isKnown ? ticksIn(pool, arrays, now, aToB) : null
      const onTheWay = (ticks ?? [])
        .filter(({ index }) => (aToB ? index <= pool.tick : index > pool.tick))
        .sort((one, other) => (one.index - other.index) * (aToB ? -1 : 1))
      const expectedOut = swapExactIn(pool, onTheWay, amountIn, aToB, rules)
      if (expectedOut === null) return []
      const { address, fee } = pool
      const spot = atSpot(pool, amountIn, aToB)
      return [{ pool: address, expectedOut, atSpot: spot, fee, ...namesOf(pool, arrays, asked) }]
    })
  }
