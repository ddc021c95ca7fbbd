import t from 'tap'
import { findChain } from '../../../src/chains/find.ts'
import { CancellationScope } from '../../../src/flow/cancellation.ts'
import type { Holding, Holdings } from '../../../src/providers/holdings/holdings.ts'
import { BalanceReader } from '../../../src/research/portfolio/balances.ts'
import { clockOf } from '../../fixtures/clock.ts'

const CHAIN = findChain('base')!
const REQUEST = { address: 'owner', sol: null, wallets: [{ chain: CHAIN, owner: 'owner' }], walletsKey: '' }
const clock = clockOf({ now: () => 1 })
const COIN: Holding = {
  token: { chain: 'base', address: '0x0000000000000000000000000000000000000000', isNative: true },
  amount: 7n,
  decimals: 18,
  symbol: 'ETH',
  name: 'Base',
  wrapped: null,
  notes: [],
}

/** What is shown of one chain, of which this was read. */
async function shown(read: Partial<Holdings>) {
  const held = { at: { block: 1, slot: null }, holdings: [], missing: 0, isBehind: false, ...read }
  const balances = new BalanceReader({
    wallets: { ready: async () => {}, readAll: async () => [{ chain: CHAIN, held, at: 1 }] } as never,
    tokens: { find: () => null } as never,
    deadlineMs: 1_000,
    clock,
  })
  const { chains } = await balances.read(REQUEST, new CancellationScope())
  return chains[0]!
}

t.test('none of the native coin is an amount of zero, whatever else was not read', async (t) => {
  t.match(await shown({}), { status: 'complete', native: { amount: '0', symbol: 'ETH' } })
  t.match(await shown({ missing: 3 }), { status: 'partial', native: { amount: '0' } })
  t.match(await shown({ holdings: [COIN], missing: 3 }), { native: { amount: '7' } })
})

t.test('a native coin that was not read is null, not zero, nor its wrapped part', async (t) => {
  t.match(await shown({ missing: 1, isCoinMissing: true }), { status: 'partial', native: null })
  t.match(await shown({ holdings: [COIN], missing: 1, isCoinMissing: true }), { native: null })
})
