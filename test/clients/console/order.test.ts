/** What the swap view works out for itself: no browser is needed to see it. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import type { SwapOptions } from '../../../src/clients/client/index.ts'
import { decimal } from '../../../src/clients/console/format.ts'
import { approveCall } from '../../../src/clients/console/views/swap/approval.ts'
import {
  chainOf,
  comparedWith,
  decimalsOf,
  exactly,
  readOrder,
  type SwapChain,
} from '../../../src/clients/console/views/swap/order.ts'
import { groupsOf, ruleInWords, weakestOf } from '../../../src/clients/console/views/swap/rules.ts'
import { messageOf } from '../../../src/clients/console/wallets/message.ts'
import { WalletError, wordsOf } from '../../../src/clients/console/wallets/wallet.ts'

const major = (address: string, kind: 'native' | 'stablecoin') => ({
  address,
  kind,
  symbol: address.toUpperCase(),
  name: address,
  decimals: 6,
})
const CHAIN = {
  key: 'solana',
  swaps: true,
  majors: [major('sol', 'native'), major('usdc', 'stablecoin')],
} as unknown as SwapChain
const OPTIONS = {
  slippageBps: { min: 1, max: 5_000, default: 300 },
  chains: [CHAIN, { ...CHAIN, key: 'base' }, { ...CHAIN, key: 'idle', swaps: false }],
} as unknown as SwapOptions

t.test(
  'an order is read from the URL, with a dollar token and the usual slippage to begin with',
  async (t) => {
    const read = (query: string) => readOrder(new URLSearchParams(query), CHAIN, OPTIONS)
    const order = { chain: 'solana', side: 'buy', token: 'usdc', amount: '0.25', slippageBps: 300 }
    t.same(read('amount=0.25'), order)
    t.same(read('amount=0.25&side=sell&token=x&slippage=0.5'), {
      ...order,
      side: 'sell',
      token: 'x',
      slippageBps: 50,
    })
    t.same(read('amount=1&against=x'), { ...order, amount: '1', against: 'x' })
    t.notOk('against' in (read('amount=1&against=sol') as object), 'the native coin is the default')
    t.match(read('amount=1&against=usdc'), 'cannot be swapped for itself')
    t.equal(read(''), null, 'without an amount there is none yet')
    for (const amount of ['0', '-1', '1e3', 'x', '0.', '1,5'])
      t.match(read(`amount=${amount}`), /^The amount must/)
    for (const slippage of ['0', '51', 'x'])
      t.match(read(`amount=1&slippage=${slippage}`), /from 0.01 to 50 percent/)
  },
)

t.test('a chain is one that is swapped on', async (t) => {
  const key = (query: string) => chainOf(new URLSearchParams(query), OPTIONS)?.key ?? null
  t.same(['', 'chain=base', 'chain=idle', 'chain=nowhere'].map(key), ['solana', 'base', null, null])
})

t.test('amounts are shown to the last digit', async (t) => {
  t.equal(decimal('84394646257547318', 18), '0.084394646257547318')
  t.equal(decimal('250000000', 6), '250')
  t.equal(decimal('250000001', 6), '250.000001')
  t.equal(decimal('7', 0), '7')
  t.equal(decimal('0', 9), '0')
  t.equal(exactly('1500000', { address: 'x', symbol: 'USDC', decimals: 6 }), '1.5 USDC')
  t.equal(exactly('15', { address: '0x1234567', symbol: null, decimals: null }), '15 base units of 0x1234…')
})

t.test('the decimals of a token that no list has are those that its quote shows', async (t) => {
  t.equal(decimalsOf('84394646257547318', 0.08439464625754732), 18)
  t.equal(decimalsOf('34373882', 34.373882), 6)
  t.equal(decimalsOf('3', 3), 0)
  for (const [base, human] of [
    [null, 1],
    ['0', 0],
    ['5', null],
  ] as const) {
    t.equal(decimalsOf(base, human), null)
  }
})

t.test('every rule that material can be refused by has its words', async (t) => {
  const page = readFileSync(new URL('../../../docs/verification.md', import.meta.url), 'utf8')
  const table = /<!-- begin: rules -->(.*)<!-- end: rules -->/s.exec(page)![1]!
  const rules = new Set([...table.matchAll(/`([a-z_]+)`/g)].map(([, rule]) => rule!))
  t.ok(rules.size > 70)
  for (const rule of rules) t.match(ruleInWords(rule), /^[A-Z].*\.$/, rule)
  t.equal(ruleInWords('toString'), null)
})

t.test('a verdict is no better than its weakest part, and what is not known is a claim', async (t) => {
  t.equal(weakestOf(['proved', 'proved']), 'proved')
  t.equal(weakestOf(['simulated', 'proved']), 'simulated')
  t.equal(weakestOf(['proved', 'stated', 'simulated']), 'stated')
  for (const levels of [[], ['proved', ''], ['proved', 'Proved']]) t.equal(weakestOf(levels), 'stated')
})

t.test('each rule is in one group, and one that no group has is of the form', async (t) => {
  t.same(groupsOf(['parse', 'recipient', 'made_up', 'minimum', 'spender']), [
    ['Who receives', ['recipient']],
    ['How much', ['minimum']],
    ['Who can take more', ['spender']],
    ['Form', ['parse', 'made_up']],
  ])
  t.same(groupsOf([]), [])
})

t.test('what was received is compared with what was expected', async (t) => {
  t.equal(comparedWith('10000', '10000'), '(as expected)')
  t.equal(comparedWith('10000', '9950'), '(0.5% less than expected)')
  t.equal(comparedWith('10000', '10001'), '(0.01% more than expected)')
  for (const unknown of [null, '0']) t.equal(comparedWith(unknown, '1'), '')
})

t.test('an approval is of the amount, for the spender', async (t) => {
  t.same(approveCall('0xaa', '0x6131B5fae19EA4f9D964eAc0408E4408b66337b5', 250_000_000n), {
    to: '0xaa',
    data: `0x095ea7b3${'0'.repeat(24)}6131b5fae19ea4f9d964eac0408e4408b66337b5${'0'.repeat(56)}0ee6b280`,
    valueWei: 0n,
  })
})

t.test('what is signed is all behind one signature; a transaction of two is not signed', async (t) => {
  const transaction = Uint8Array.of(1, ...new Uint8Array(64), 7, 8, 9)
  t.same([...messageOf(transaction)], [7, 8, 9])
  t.throws(() => messageOf(Uint8Array.of(2, ...new Uint8Array(128))), {
    message: 'does not need exactly one signature',
  })
})

t.test("a wallet's failure is put in words, whatever it throws", async (t) => {
  for (const error of [{ code: 4001 }, new Error('User rejected the request.')]) {
    t.match(wordsOf(error), 'declined it in the wallet')
  }
  t.equal(wordsOf({ code: -32603, message: 'No gas.' }), 'The wallet says: No gas.')
  for (const error of [null, 'x', {}]) t.match(wordsOf(error), 'does not say why')
  t.equal(wordsOf(new WalletError('In words.')), 'In words.')
})
