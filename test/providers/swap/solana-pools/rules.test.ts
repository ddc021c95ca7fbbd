/** What the pools' rules give, beside what the programs themselves gave: see test/fixtures/solana-pools. */
import t from 'tap'
import type { PoolProgram } from '../../../../src/providers/swap/solana-pools/pools.ts'
import { RAYDIUM_CPMM } from '../../../../src/providers/swap/solana-pools/raydium-cpmm.ts'
import { WHIRLPOOL } from '../../../../src/providers/swap/solana-pools/whirlpool.ts'
import { priceAt } from '../../../../src/providers/swap/solana-pools/whirlpool-math.ts'
import { Random } from '../../../fixtures/classes/random.ts'
import { SEED } from '../../../fixtures/fast-check.ts'
import {
  CPMM_SWAPS,
  cpmmAccounts,
  MINTS,
  type PoolAccounts,
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
  const later = { ...CROSSED, tick: moved, price: String(priceAt(moved)) }
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
  const whirlpools = WHIRLPOOL_SWAPS.filter(({ out }) => out !== null)
  const cpmm = CPMM_SWAPS.filter(({ out }) => out !== null)
  for (let i = 0; i < 400; i++) {
    const isOrca = i % 2 === 0
    const orca = whirlpools[random.below(whirlpools.length)]!
    const raydium = cpmm[random.below(cpmm.length)]!
    const { accounts } = isOrca ? whirlpoolAccounts(orca, i % 4 === 0) : cpmmAccounts(raydium)
    for (const [address, { owner, data }] of accounts) {
      for (let times = random.below(4); times > 0; times--)
        data[8 + random.below(data.length - 8)] = random.below(256)
      if (random.below(10) === 0)
        accounts.set(address, { owner, data: data.subarray(0, random.below(data.length)) })
    }
    for (const { expectedOut, atSpot } of await quotesOf(
      isOrca ? WHIRLPOOL : RAYDIUM_CPMM,
      accounts,
      isOrca ? orca : raydium,
    ))
      t.ok(expectedOut >= 0n && atSpot >= 0n, `attempt ${i}`)
  }
})
