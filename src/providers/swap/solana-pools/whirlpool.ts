/**
 * Orca's Whirlpools: pools of concentrated liquidity, of which a pair has one for each tick spacing. A swap can cross
 * the ticks of three arrays, from that of the price in its direction.
 *
 *   pool     ["whirlpool", configuration, mint A, mint B, tick spacing u16]
 *   array    ["tick_array", pool, its first tick as text]: 88 ticks that are a spacing apart
 *   oracle   ["oracle", pool]
 *
 * A pool whose fee adapts to its volatility has another seed than its spacing, and is not offered: its fee depends on
 * when the transaction lands. Arrays that are not there have no liquidity.
 *
 * Source: orca-so/whirlpools 630c0e0 programs/whirlpool/src/state/whirlpool.rs, state/fixed_tick_array.rs,
 * state/dynamic_tick_array.rs, util/sparse_swap.rs, util/swap_tick_sequence.rs ·
 * legacy-sdk/whirlpool/src/types/public/constants.ts (spacings)
 */
import { MEMO_PROGRAM, WHIRLPOOL_PROGRAM } from '../../../chains/solana/programs.ts'
import { KEY_BYTES } from '../../../chains/solana/sizes.ts'
import type { HeldAccount } from '../../../upstream/nodes/solana/accounts.ts'
import {
  type Accounts,
  type Asked,
  dataOf,
  derived,
  keyAt,
  type PoolProgram,
  type PoolQuote,
} from './pools.ts'
import {
  FEE_UNIT,
  MAX_PRICE,
  MAX_TICK,
  MIN_PRICE,
  type PoolState,
  swapExactIn,
  type Tick,
} from './whirlpool-math.ts'

/** Orca's configuration, under which its pools are. */
const CONFIG = '2LecshUwdy9xi7meFgHtFJQNSKk4KdTrcpvaB56dP2NQ'
const SPACINGS = [1, 2, 4, 8, 16, 64, 96, 128, 256, 32_896]
/** Of the pair's pools, those with the most liquidity at their price are read with their ticks. */
const DEEPEST = 3
const ARRAYS = 3
const TICKS = 88

/** `sha256('account:Whirlpool')` and so on: what an account's data begins with. */
const [POOL, FIXED_ARRAY, DYNAMIC_ARRAY] = ['3f95d10ce1806309', '4561bdbe6e0742bb', '11d8f68ee1c7da38']
const POOL_BYTES = 653
const TICK_BYTES = 113
const FIXED_BYTES = 8 + 4 + TICKS * TICK_BYTES + KEY_BYTES
/** Its first tick, the pool, the bits of its ticks, and a byte for each. */
const DYNAMIC_BYTES = 8 + 4 + KEY_BYTES + 16 + TICKS

interface Pool extends PoolState {
  readonly address: string
  readonly spacing: number
  readonly tick: number
  readonly vaults: readonly [string, string]
}

export const WHIRLPOOL: PoolProgram = {
  label: 'whirlpool',
  program: WHIRLPOOL_PROGRAM,

  candidates: (mints) =>
    SPACINGS.map((spacing) =>
      derived(WHIRLPOOL_PROGRAM, 'whirlpool', CONFIG, ...mints, Uint8Array.of(spacing, spacing >> 8)),
    ),

  async quotes(asked, found, read) {
    const deepest = poolsIn(found, asked)
      .sort((one, other) => (one.liquidity > other.liquidity ? -1 : 1))
      .slice(0, DEEPEST)
    if (deepest.length === 0) return []
    // The pools again: their prices are of the same slot as the ticks.
    const wanted = deepest.flatMap((pool) => [
      pool.address,
      ...arraysOf(pool, asked.aToB).map(({ address }) => address),
    ])
    const now = await read(wanted)
    return poolsIn(now, asked).flatMap((pool) => {
      const arrays = arraysOf(pool, asked.aToB)
      // The price may have moved on to arrays that were not asked for.
      const isKnown = arrays.length > 0 && arrays.every(({ address }) => wanted.includes(address))
      return (isKnown && quoteOf(pool, arrays, asked, now)) || []
    })
  },
}

function quoteOf(
  pool: Pool,
  arrays: ReturnType<typeof arraysOf>,
  { mints, aToB, amountIn }: Asked,
  accounts: Accounts,
): PoolQuote | null {
  const { address, price, fee, vaults, spacing, tick } = pool
  const ticks = ticksIn(pool, arrays, accounts)
  if (ticks === null) return null
  const onTheWay = ticks.filter(({ index }) => (aToB ? index <= tick : index > tick))
  const last = arrays.at(-1)!.start + (aToB ? 0 : TICKS * spacing - 1)
  const end = Math.max(-MAX_TICK, Math.min(MAX_TICK, last))
  const expectedOut = swapExactIn(pool, aToB ? onTheWay.reverse() : onTheWay, end, amountIn, aToB)
  if (expectedOut === null) return null
  const usable = (amountIn * (FEE_UNIT - fee)) / FEE_UNIT
  const square = price * price
  const [first, second = first, third = second] = arrays.map((array) => array.address)
  return {
    pool: address,
    expectedOut,
    atSpot: aToB ? (usable * square) >> 128n : (usable << 128n) / square,
    fee,
    keys: [
      ...['', '', MEMO_PROGRAM, '', address, ...mints, '', vaults[0], '', vaults[1]],
      ...[first!, second!, third!, derived(WHIRLPOOL_PROGRAM, 'oracle', address)],
    ],
    ending: aToB ? 0 : 1,
  }
}

/** The pools of the pair among the accounts. */
function poolsIn(accounts: Accounts, { mints }: Asked): Pool[] {
  return [...accounts].flatMap(([address, account]) => {
    const data = dataOf(account, WHIRLPOOL_PROGRAM, POOL, POOL_BYTES)
    if (data === null || keyAt(data, 101) !== mints[0] || keyAt(data, 181) !== mints[1]) return []
    const [spacing, price] = [data.readUInt16LE(41), u128(data, 65)]
    if (data.readUInt16LE(43) !== spacing || price < MIN_PRICE || price > MAX_PRICE) return []
    return [
      {
        address,
        spacing,
        fee: BigInt(data.readUInt16LE(45)),
        liquidity: u128(data, 49),
        price,
        tick: data.readInt32LE(81),
        vaults: [keyAt(data, 133), keyAt(data, 213)],
      },
    ]
  })
}

/** The arrays of ticks that a swap can use, in its direction: their first ticks, and their addresses. */
function arraysOf({ address, tick, spacing }: Pool, aToB: boolean) {
  const width = TICKS * spacing
  const base = Math.floor((aToB ? tick : tick + spacing) / width)
  const starts = Array.from({ length: ARRAYS }, (_, i) => (base + (aToB ? -i : i)) * width)
  return starts
    .filter((start) => start <= MAX_TICK && start > -MAX_TICK - width)
    .map((start) => ({ start, address: derived(WHIRLPOOL_PROGRAM, 'tick_array', address, String(start)) }))
}

/** The ticks with liquidity, ascending; null if an array is another one than expected. */
function ticksIn(
  { spacing, address }: Pool,
  arrays: ReturnType<typeof arraysOf>,
  accounts: Accounts,
): Tick[] | null {
  const ticks: Tick[] = []
  for (const { start, address: array } of arrays) {
    const account = accounts.get(array)
    const nets = account === undefined ? [] : netsIn(account, address, start)
    if (nets === null) return null
    ticks.push(...nets.map(([offset, net]) => ({ index: start + offset * spacing, net })))
  }
  return ticks.sort((one, other) => one.index - other.index)
}

/** What each tick of an array that has liquidity adds to it, by its place. */
function netsIn(account: HeldAccount, pool: string, start: number): readonly [number, bigint][] | null {
  const fixed = dataOf(account, WHIRLPOOL_PROGRAM, FIXED_ARRAY, FIXED_BYTES)
  const data = fixed ?? dataOf(account, WHIRLPOOL_PROGRAM, DYNAMIC_ARRAY, DYNAMIC_BYTES)
  const poolAt = fixed === null ? 12 : FIXED_BYTES - KEY_BYTES
  if (data === null || data.readInt32LE(8) !== start || keyAt(data, poolAt) !== pool) return null
  const nets: [number, bigint][] = []
  let at = fixed === null ? DYNAMIC_BYTES - TICKS : 12
  for (let i = 0; i < TICKS; i++) {
    const isThere = data[at] === 1
    // A dynamic array has one byte for a tick without liquidity.
    const next = at + (fixed !== null || isThere ? TICK_BYTES : 1)
    if (next > data.length) return null
    if (isThere) nets.push([i, BigInt.asIntN(128, u128(data, at + 1))])
    at = next
  }
  return nets
}

const u128 = (data: Buffer, at: number): bigint =>
  data.readBigUInt64LE(at) + (data.readBigUInt64LE(at + 8) << 64n)
