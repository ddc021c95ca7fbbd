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
import { concentratedQuotes, type TickArray, type TickPool } from './concentrated.ts'
import { MAX_TICK, ORCA_RULES, type Tick } from './concentrated-math.ts'
import { type Accounts, type Asked, dataOf, derived, keyAt, type PoolProgram, u128 } from './pools.ts'

/** Orca's configuration, under which its pools are. */
const CONFIG = '2LecshUwdy9xi7meFgHtFJQNSKk4KdTrcpvaB56dP2NQ'
const SPACINGS = [1, 2, 4, 8, 16, 64, 96, 128, 256, 32_896]
const ARRAYS = 3
const TICKS = 88

/** `sha256('account:Whirlpool')` and so on: what an account's data begins with. */
const [POOL, FIXED_ARRAY, DYNAMIC_ARRAY] = ['3f95d10ce1806309', '4561bdbe6e0742bb', '11d8f68ee1c7da38']
const POOL_BYTES = 653
const TICK_BYTES = 113
const FIXED_BYTES = 8 + 4 + TICKS * TICK_BYTES + KEY_BYTES
/** Its first tick, the pool, the bits of its ticks, and a byte for each. */
const DYNAMIC_BYTES = 8 + 4 + KEY_BYTES + 16 + TICKS

export const WHIRLPOOL: PoolProgram = {
  label: 'whirlpool',
  program: WHIRLPOOL_PROGRAM,

  candidates: (mints) =>
    SPACINGS.map((spacing) =>
      derived(WHIRLPOOL_PROGRAM, 'whirlpool', CONFIG, ...mints, Uint8Array.of(spacing, spacing >> 8)),
    ),

  quotes: concentratedQuotes({ rules: ORCA_RULES, poolsIn, besides: () => [], arraysOf, ticksIn, namesOf }),
}

function namesOf({ address, vaults }: TickPool, arrays: readonly TickArray[], { mints, aToB }: Asked) {
  const [first, second = first, third = second] = arrays.map((array) => array.address)
  const keys = [
    ...['', '', MEMO_PROGRAM, '', address, ...mints, '', vaults[0], '', vaults[1]],
    ...[first!, second!, third!, derived(WHIRLPOOL_PROGRAM, 'oracle', address)],
  ]
  return { keys, ending: aToB ? 0 : 1 }
}

function poolsIn(accounts: Accounts, { mints }: Asked): TickPool[] {
  return [...accounts].flatMap(([address, account]) => {
    const data = dataOf(account, WHIRLPOOL_PROGRAM, POOL, POOL_BYTES)
    if (data === null || keyAt(data, 101) !== mints[0] || keyAt(data, 181) !== mints[1]) return []
    const [spacing, price] = [data.readUInt16LE(41), u128(data, 65)]
    const isInside = price >= ORCA_RULES.minPrice && price <= ORCA_RULES.maxPrice
    if (data.readUInt16LE(43) !== spacing || !isInside) return []
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

function arraysOf({ address, tick, spacing }: TickPool, aToB: boolean): TickArray[] {
  const width = TICKS * spacing
  const base = Math.floor((aToB ? tick : tick + spacing) / width)
  const starts = Array.from({ length: ARRAYS }, (_, i) => (base + (aToB ? -i : i)) * width)
  return starts
    .filter((start) => start <= MAX_TICK && start > -MAX_TICK - width)
    .map((start) => ({ start, address: derived(WHIRLPOOL_PROGRAM, 'tick_array', address, String(start)) }))
}

/** Arrays that are not there have no liquidity: a swap can go through them, to the last tick of the last. */
function ticksIn(
  { spacing, address }: TickPool,
  arrays: readonly TickArray[],
  accounts: Accounts,
  aToB: boolean,
): Tick[] | null {
  const last = arrays.at(-1)!.start + (aToB ? 0 : TICKS * spacing - 1)
  const ticks: Tick[] = [{ index: Math.max(-MAX_TICK, Math.min(MAX_TICK, last)), net: 0n }]
  for (const { start, address: array } of arrays) {
    const account = accounts.get(array)
    const nets = account === undefined ? [] : netsIn(account, address, start)
    if (nets === null) return null
    ticks.push(...nets.map(([offset, net]) => ({ index: start + offset * spacing, net })))
  }
  return ticks
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
