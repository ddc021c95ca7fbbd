/**
 * Raydium's CLMM: pools of concentrated liquidity, of which a pair can have one for each fee configuration.
 *
 *   configuration   ["amm_config", index u16, highest byte first]
 *   pool            ["pool", configuration, mint 0, mint 1]
 *   array           ["tick_array", pool, its first tick i32, highest byte first]: 60 ticks that are a spacing apart
 *   more bits       ["pool_tick_array_bitmap_extension", pool]
 *
 * The pool has a bit for each array with liquidity, of 512 arrays on either side of price 1; those beyond are in an
 * account of their own, which only pools of a small spacing need. A swap names arrays from that of the price in its
 * direction.
 *
 * A pool whose fee is dynamic or taken from the output, and one with limit orders on the way, is not offered: no
 * published build of the program has shown what they take.
 *
 * Source: raydium-io/raydium-clmm 03b44b7 programs/amm/src/states/pool.rs, states/config.rs, states/tick_array.rs,
 * states/tickarray_bitmap_extension.rs, instructions/swap_v2.rs
 */
import {
  MEMO_PROGRAM,
  RAYDIUM_CLMM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../../chains/solana/programs.ts'
import type { HeldAccount } from '../../../upstream/nodes/solana/accounts.ts'
import { concentratedQuotes, type TickArray, type TickPool } from './concentrated.ts'
import { MAX_TICK, RAYDIUM_RULES, type Tick } from './concentrated-math.ts'
import { type Accounts, type Asked, dataOf, derived, keyAt, type PoolProgram, u128 } from './pools.ts'

/** Configurations are numbered from 0. */
const CONFIGS = 24
const ARRAYS = 3
const TICKS = 60
/** Arrays on either side of price 1 whose bits are in the pool itself, and as many in each part of its extension. */
const BITS = 512

/** `sha256('account:PoolState')` and so on: what an account's data begins with. */
const [POOL, CONFIG, ARRAY, EXTENSION] = [
  'f7ede3f5d7c3de46',
  'daf42168cbcb2b6f',
  'c09b55cd31f9812a',
  '3c9624db61808b99',
]
const [POOL_BYTES, CONFIG_BYTES, ARRAY_BYTES, EXTENSION_BYTES] = [1_544, 117, 10_240, 1_832]
const TICK_BYTES = 168
/** The bit of a pool's status that stops swaps. */
const NO_SWAPS = 16

interface Pool extends TickPool {
  readonly config: string
  readonly observations: string
  /** Null where the pool's own bits are all. */
  readonly extension: string | null
  /** Whether an array has liquidity, by its place from price 1 upwards. */
  has(place: number): boolean
}

export const RAYDIUM_CLMM: PoolProgram = {
  label: 'raydium-clmm',
  program: RAYDIUM_CLMM_PROGRAM,

  candidates: (mints) =>
    Array.from({ length: CONFIGS }, (_, i) => {
      const config = derived(RAYDIUM_CLMM_PROGRAM, 'amm_config', Uint8Array.of(0, i))
      const pool = derived(RAYDIUM_CLMM_PROGRAM, 'pool', config, ...mints)
      return [config, pool, extensionOf(pool)]
    }).flat(),

  quotes: concentratedQuotes({
    rules: RAYDIUM_RULES,
    poolsIn,
    besides: ({ config, extension }) => [config, ...(extension === null ? [] : [extension])],
    arraysOf,
    ticksIn,
    namesOf,
  }),
}

function extensionOf(pool: string): string {
  return derived(RAYDIUM_CLMM_PROGRAM, 'pool_tick_array_bitmap_extension', pool)
}

function namesOf(
  { address, config, extension, vaults, observations }: Pool,
  arrays: readonly TickArray[],
  { mints, aToB }: Asked,
) {
  const ordered = ([a, b]: readonly [string, string]) => (aToB ? [a, b] : [b, a])
  const keys = [
    ...['', config, address, '', '', ...ordered(vaults), observations],
    ...[TOKEN_PROGRAM, TOKEN_2022_PROGRAM, MEMO_PROGRAM, ...ordered(mints)],
    ...(extension === null ? [] : [extension]),
    ...arrays.map((array) => array.address),
  ]
  return { keys, ending: 0 }
}

function poolsIn(accounts: Accounts, { mints, now }: Asked): Pool[] {
  return [...accounts].flatMap(([address, account]) => {
    const data = dataOf(account, RAYDIUM_CLMM_PROGRAM, POOL, POOL_BYTES)
    if (data === null || keyAt(data, 73) !== mints[0] || keyAt(data, 105) !== mints[1]) return []
    const config = keyAt(data, 9)
    const fees = dataOf(accounts.get(config), RAYDIUM_CLMM_PROGRAM, CONFIG, CONFIG_BYTES)
    const isOpen = (data[389]! & NO_SWAPS) === 0 && data.readBigUInt64LE(1_080) < now
    const isPlain = data[390] === 0 && data.subarray(1_096, 1_176).every((byte) => byte === 0)
    const [spacing, price] = [data.readUInt16LE(235), u128(data, 253)]
    const isInside = price > RAYDIUM_RULES.minPrice && price < RAYDIUM_RULES.maxPrice
    if (fees === null || spacing === 0 || !isOpen || !isPlain || !isInside) return []
    const extension = spacing * TICKS * BITS < MAX_TICK ? extensionOf(address) : null
    const beyond = extension === null ? undefined : accounts.get(extension)
    const more = dataOf(beyond, RAYDIUM_CLMM_PROGRAM, EXTENSION, EXTENSION_BYTES)
    if (extension !== null && more === null) return []
    return [
      {
        address,
        config,
        extension,
        spacing,
        fee: BigInt(fees.readUInt32LE(47)),
        liquidity: u128(data, 237),
        price,
        tick: data.readInt32LE(269),
        vaults: [keyAt(data, 137), keyAt(data, 169)],
        observations: keyAt(data, 201),
        has: (place) => isSet(data.subarray(904, 1_032), more?.subarray(40), place),
      },
    ]
  })
}

/** @param more  14 parts of 512 bits upwards, then 14 downwards, each with its bits upwards */
function isSet(own: Buffer, more: Buffer | undefined, place: number): boolean {
  const part = Math.floor(place / BITS)
  const isOwn = part === -1 || part === 0
  const at = isOwn ? part + 1 : part > 0 ? part - 1 : 12 - part
  const bit = at * BITS + (place - part * BITS)
  return (((isOwn ? own : more)?.[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0
}

function arraysOf({ address, tick, spacing, has }: Pool, aToB: boolean): TickArray[] {
  const width = TICKS * spacing
  const [step, end] = aToB ? [-1, -MAX_TICK] : [1, MAX_TICK]
  const places: number[] = []
  const last = Math.floor(end / width) * step
  for (let at = Math.floor(tick / width); at * step <= last && places.length < ARRAYS; at += step)
    if (has(at)) places.push(at)
  return places.map((place) => {
    const start = place * width
    const seed = Uint8Array.of(start >> 24, start >> 16, start >> 8, start)
    return { start, address: derived(RAYDIUM_CLMM_PROGRAM, 'tick_array', address, seed) }
  })
}

function ticksIn(pool: Pool, arrays: readonly TickArray[], accounts: Accounts): Tick[] | null {
  const ticks = arrays.flatMap(({ address, start }) => ticksOf(accounts.get(address), pool, start) ?? [null])
  return ticks.every((one) => one !== null) ? ticks : null
}

/** The ticks with liquidity; null if the array is another one than expected, has none, or has limit orders. */
function ticksOf(account: HeldAccount | undefined, { address, spacing }: Pool, start: number): Tick[] | null {
  const data = dataOf(account, RAYDIUM_CLMM_PROGRAM, ARRAY, ARRAY_BYTES)
  if (data === null || keyAt(data, 8) !== address || data.readInt32LE(40) !== start) return null
  const ticks: Tick[] = []
  for (let i = 0; i < TICKS; i++) {
    const tick = data.subarray(44 + i * TICK_BYTES, 44 + (i + 1) * TICK_BYTES)
    if (tick.readBigUInt64LE(124) > 0n || tick.readBigUInt64LE(132) > 0n) return null
    if (u128(tick, 20) === 0n) continue
    if (tick.readInt32LE() !== start + i * spacing) return null
    ticks.push({ index: tick.readInt32LE(), net: BigInt.asIntN(128, u128(tick, 4)) })
  }
  return ticks.length === 0 ? null : ticks
}
