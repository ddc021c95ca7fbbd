/** What the pools' rules give, beside what the programs themselves gave: see test/fixtures/solana-pools. */
import t from 'tap'
import { ORCA_RULES } from '../../../../src/providers/swap/solana-pools/concentrated-math.ts'
import type { PoolProgram } from '../../../../src/providers/swap/solana-pools/pools.ts'
import { RAYDIUM_CLMM } from '../../../../src/providers/swap/solana-pools/raydium-clmm.ts'
import { RAYDIUM_CPMM } from '../../../../src/providers/swap/solana-pools/raydium-cpmm.ts'
import { WHIRLPOOL } from '../../../../src/providers/swap/solana-pools/whirlpool.ts'
import { Random } from '../../../fixtures/classes/random.ts'
import { SEED } from '../../../fixtures/fast-check.ts'
import {
  CLMM_SWAPS,
  CPMM_SWAPS,
  clmmAccounts,
  cpmmAccounts,
  MINTS,
  type PoolAccounts,
  type TickSwap,
  WHIRLPOOL_SWAPS,
  whirlpoolAccounts,
} from '../../../fixtures/solana-pools.ts'

const NOW = 1_796_000_000n

/** @param later  the accounts at the second read, if they have changed */
async function quotesOf(
  { candidates, quotes }: PoolProgram,
  accounts: PoolAccounts,
  { aToB, in: amount }: { readonly aToB: boolean; readonly in: string },
  later = accounts,
) {
  const from = (held: PoolAccounts) => async (addresses: readonly string[]) =>
    new Map(addresses.flatMap((one) => (held.has(one) ? [[one, held.get(one)!]] : [])))
  const found = await from(accounts)(candidates(MINTS))
  return quotes({ mints: MINTS, aToB, amountIn: BigInt(amount), now: NOW }, found, from(later))
}

const outOf = async (...asked: Parameters<typeof quotesOf>): Promise<string | null> => {
  const [quote] = await quotesOf(...asked)
  return quote === undefined ? null : String(quote.expectedOut)
}

t.test('a Whirlpool gives what its program gave, to the base unit', async (t) => {
  t.ok(WHIRLPOOL_SWAPS.length >= 250)
  for (const [i, swap] of WHIRLPOOL_SWAPS.entries()) {
    const { accounts } = whirlpoolAccounts(swap, i % 2 === 0)
    t.equal(await outOf(WHIRLPOOL, accounts, swap), swap.out, `swap ${i}`)
  }
})

t.test('a CPMM pool gives what its program gave, to the base unit', async (t) => {
  t.ok(CPMM_SWAPS.length >= 200)
  for (const [i, swap] of CPMM_SWAPS.entries()) {
    const { accounts } = cpmmAccounts(swap)
    const out = await outOf(RAYDIUM_CPMM, accounts, swap)
    t.equal(out === '0' ? null : out, swap.out, `swap ${i}`)
  }
})

t.test('a CLMM pool gives what its program gave, to the base unit', async (t) => {
  t.ok(CLMM_SWAPS.length >= 250)
  for (const [i, swap] of CLMM_SWAPS.entries()) {
    const out = await outOf(RAYDIUM_CLMM, clmmAccounts(swap).accounts, swap)
    t.equal(out === '0' ? null : out, swap.out, `swap ${i}`)
  }
})

const CROSSED = WHIRLPOOL_SWAPS.find(({ out, ticks }) => out !== null && ticks.length > 2)!

t.test('a Whirlpool that is not computed exactly is not offered', async (t) => {
  const changed = (change: (pool: Buffer) => unknown) => {
    const { accounts, pool } = whirlpoolAccounts(CROSSED, false)
    change(pool)
    return outOf(WHIRLPOOL, accounts, CROSSED)
  }
  t.equal(await changed(() => {}), CROSSED.out)
  t.equal(await changed((pool) => pool.writeUInt16LE(1_024, 43)), null, 'its fee adapts')
  t.equal(await changed((pool) => pool.fill(0, 0, 8)), null, 'another account')
  t.equal(await changed((pool) => pool.fill(1, 101, 133)), null, 'another mint')
  t.equal(await changed((pool) => pool.fill(1, 181, 213)), null, 'another mint')

  const { accounts } = whirlpoolAccounts(CROSSED, false)
  for (const [address, { data }] of accounts) accounts.set(address, { owner: MINTS[0], data })
  t.equal(await outOf(WHIRLPOOL, accounts, CROSSED), null, 'of another program')
})

t.test('a tick array is that of the pool and the tick, or the pool is not offered', async (t) => {
  const isArray = ({ length }: Buffer) => length !== 653
  const changed = (isDynamic: boolean, change: (array: Buffer) => unknown) => {
    const { accounts } = whirlpoolAccounts(CROSSED, isDynamic)
    for (const { data } of accounts.values()) if (isArray(data)) change(data)
    return outOf(WHIRLPOOL, accounts, CROSSED)
  }
  for (const isDynamic of [false, true]) {
    t.equal(await changed(isDynamic, () => {}), CROSSED.out)
    t.equal(await changed(isDynamic, (array) => array.fill(0, 0, 8)), null)
    t.equal(await changed(isDynamic, (array) => array.writeInt32LE(1, 8)), null)
    const poolAt = isDynamic ? 12 : 9_956
    t.equal(await changed(isDynamic, (array) => array.fill(1, poolAt, poolAt + 32)), null)
  }
  const { accounts } = whirlpoolAccounts(CROSSED, true)
  for (const [address, { owner, data }] of accounts)
    if (isArray(data)) accounts.set(address, { owner, data: data.subarray(0, data.length - 1) })
  t.equal(await outOf(WHIRLPOOL, accounts, CROSSED), null, 'cut off')
})

t.test('a price that moves on to other arrays while they are read is not offered', async (t) => {
  const { accounts } = whirlpoolAccounts(CROSSED, false)
  const { spacing, tick } = CROSSED
  const moved = tick + (CROSSED.aToB ? 1 : -1) * 88 * spacing
  const later = { ...CROSSED, tick: moved, price: String(ORCA_RULES.priceAt(moved)) }
  t.equal(await outOf(WHIRLPOOL, accounts, CROSSED, whirlpoolAccounts(later, false).accounts), null)
})

t.test('of the pools of a pair, the three with the most liquidity are read whole', async (t) => {
  const accounts: PoolAccounts = new Map()
  for (const [i, spacing] of [1, 2, 4, 8, 16].entries()) {
    const state = { ...CROSSED, spacing, ticks: [], liquidity: String(10n ** 15n + BigInt(i)) }
    for (const [address, one] of whirlpoolAccounts(state, false).accounts) accounts.set(address, one)
  }
  const quotes = await quotesOf(WHIRLPOOL, accounts, { aToB: true, in: '1000' })
  t.equal(quotes.length, 3)
})

/** Its bits are in an account of their own. */
const FAR = CLMM_SWAPS.find(({ out, tick, spacing }) => out !== null && tick > 30_720 * spacing)!

t.test('a CLMM pool that swaps otherwise, not yet or not now is not offered', async (t) => {
  for (const swap of [CLMM_SWAPS[0]!, FAR]) {
    const changed = (change: (pool: Buffer) => unknown) => {
      const { accounts, pool } = clmmAccounts(swap)
      change(pool)
      return outOf(RAYDIUM_CLMM, accounts, swap)
    }
    t.equal(await changed(() => {}), swap.out)
    t.equal(await changed((pool) => pool.writeUInt8(16, 389)), null, 'swaps are stopped')
    t.equal(await changed((pool) => pool.writeUInt8(47, 389)), swap.out, 'all else is stopped')
    t.equal(await changed((pool) => pool.writeUInt8(1, 390)), null, 'its fee may be of the output')
    for (const at of [1_096, 1_110, 1_175])
      t.equal(await changed((pool) => pool.writeUInt8(1, at)), null, 'its fee is dynamic')
    t.equal(await changed((pool) => pool.writeBigUInt64LE(NOW - 1n, 1_080)), swap.out, 'it has opened')
    t.equal(await changed((pool) => pool.writeBigUInt64LE(NOW, 1_080)), null, 'it opens later')
    t.equal(await changed((pool) => pool.writeUInt16LE(0, 235)), null, 'no spacing')
    t.equal(await changed((pool) => pool.fill(1, 73, 105)), null, 'another mint')
    t.equal(await changed((pool) => pool.fill(1, 105, 137)), null, 'another mint')
    t.equal(await changed((pool) => pool.fill(0, 0, 8)), null, 'another account')

    const without = (bytes: number) => {
      const { accounts } = clmmAccounts(swap)
      for (const [address, { data }] of accounts) if (data.length === bytes) accounts.delete(address)
      return outOf(RAYDIUM_CLMM, accounts, swap)
    }
    t.equal(await without(117), null, 'no configuration')
    t.equal(await without(1_832), null, 'not all bits')
    t.equal(await without(10_240), null, 'no ticks')
  }
})

t.test('a CLMM tick array is that of the pool and the tick, without limit orders', async (t) => {
  for (const swap of [CLMM_SWAPS[0]!, FAR]) {
    const changed = (change: (array: Buffer) => unknown) => {
      const { accounts } = clmmAccounts(swap)
      for (const { data } of accounts.values()) if (data.length === 10_240) change(data)
      return outOf(RAYDIUM_CLMM, accounts, swap)
    }
    t.equal(await changed(() => {}), swap.out)
    t.equal(await changed((array) => array.fill(0, 0, 8)), null, 'another account')
    t.equal(await changed((array) => array.fill(1, 8, 40)), null, 'of another pool')
    t.equal(await changed((array) => array.writeInt32LE(array.readInt32LE(40) + 1, 40)), null)
    t.equal(await changed((array) => array.writeBigUInt64LE(1n, 44 + 168 * 59 + 124)), null, 'an order')
    t.equal(await changed((array) => array.writeBigUInt64LE(1n, 44 + 168 * 59 + 132)), null, 'a filled one')
    t.equal(await changed((array) => array.writeBigUInt64LE(9n, 44 + 168 * 59 + 116)), swap.out, 'past ones')
    t.equal(await changed((array) => array.fill(0, 44, 44 + 168 * 60)), null, 'no tick, against its bit')
  }
})

t.test('a CLMM swap names the bits that are not in the pool, and its arrays from the price on', async (t) => {
  const named = async (swap: TickSwap) => {
    const { accounts } = clmmAccounts(swap)
    const [quote] = await quotesOf(RAYDIUM_CLMM, accounts, swap)
    return quote!.keys.slice(13).map((address) => accounts.get(address)!.data.length)
  }
  t.match(await named(FAR), [1_832, 10_240])
  const wide = CLMM_SWAPS.find(({ out, spacing }) => out !== null && spacing === 60)!
  t.ok((await named(wide)).every((bytes) => bytes === 10_240))
})

t.test('a CPMM pool that swaps otherwise, not yet or not now is not offered', async (t) => {
  const swap = CPMM_SWAPS.find(({ out }) => out !== null)!
  const changed = (change: (pool: Buffer) => unknown) => {
    const { accounts, pool } = cpmmAccounts(swap)
    change(pool)
    return outOf(RAYDIUM_CPMM, accounts, swap)
  }
  t.equal(await changed(() => {}), swap.out)
  t.equal(await changed((pool) => pool.writeUInt8(4, 329)), null, 'swaps are stopped')
  t.equal(await changed((pool) => pool.writeUInt8(3, 329)), swap.out, 'deposits are stopped')
  t.equal(await changed((pool) => pool.writeBigUInt64LE(NOW, 373)), swap.out, 'it has opened')
  t.equal(await changed((pool) => pool.writeBigUInt64LE(NOW + 1n, 373)), null, 'it opens later')
  t.equal(await changed((pool) => pool.writeUInt8(1, 390)), null, 'its creator takes a fee')
  t.equal(await changed((pool) => pool.fill(1, 168, 200)), null, 'another mint')
  t.equal(await changed((pool) => pool.fill(0xff, 341, 349)), null, 'it owes more than it holds')

  const { accounts } = cpmmAccounts(swap)
  for (const [address, { data }] of accounts) if (data.length === 236) accounts.delete(address)
  t.equal(await outOf(RAYDIUM_CPMM, accounts, swap), null, 'no configuration')
})

t.test('whatever a node answers, there is a quote or none', async (t) => {
  const random = new Random(SEED, 0)
  const one = <Swap extends { readonly out: string | null }>(swaps: readonly Swap[]): Swap => {
    const given = swaps.filter(({ out }) => out !== null)
    return given[random.below(given.length)]!
  }
  for (let i = 0; i < 600; i++) {
    const [orca, clmm, cpmm] = [one(WHIRLPOOL_SWAPS), one(CLMM_SWAPS), one(CPMM_SWAPS)]
    const [program, swap, { accounts }] = [
      [WHIRLPOOL, orca, whirlpoolAccounts(orca, i % 2 === 0)] as const,
      [RAYDIUM_CLMM, clmm, clmmAccounts(clmm)] as const,
      [RAYDIUM_CPMM, cpmm, cpmmAccounts(cpmm)] as const,
    ][i % 3]!
    for (const [address, { owner, data }] of accounts) {
      for (let times = random.below(4); times > 0; times--)
        data[8 + random.below(data.length - 8)] = random.below(256)
      if (random.below(10) === 0)
        accounts.set(address, { owner, data: data.subarray(0, random.below(data.length)) })
    }
    for (const { expectedOut, atSpot } of await quotesOf(program, accounts, swap))
      t.ok(expectedOut >= 0n && atSpot >= 0n, `attempt ${i}`)
  }
})
