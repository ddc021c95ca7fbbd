/** What the swap view works out for itself: no browser is needed to see it. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import type { CrossChainQuote, Quote, SwapOptions, TokenRow } from '../../../src/clients/client/index.ts'
import { decimal } from '../../../src/clients/console/format.ts'
import {
  type CrossingOrder,
  crossingAsked,
  crossingBuilt,
  crossingInput,
  crossingQuote,
  deliveryOf,
  isCrossing,
  needsRecipient,
  type SentStep,
  trackOf,
} from '../../../src/clients/console/views/swap/attempt/crossing.ts'
import { differenceIn } from '../../../src/clients/console/views/swap/attempt/differences.ts'
import type { Delivery } from '../../../src/clients/console/views/swap/attempt/types.ts'
import { choiceOf, choicesOf, matching } from '../../../src/clients/console/views/swap/form/choices.ts'
import {
  flipped,
  pairOf,
  parametersOf,
  picked,
  targetOf,
} from '../../../src/clients/console/views/swap/form/pair.ts'
import {
  checkedBy,
  costOf,
  cut,
  gradeOfImpact,
  gradeOfSlippage,
  rateOf,
  reserveOf,
  shareOf,
} from '../../../src/clients/console/views/swap/offers/costs.ts'
import { groupsOf, weakestOf } from '../../../src/clients/console/views/swap/offers/rules.ts'
import {
  belowSlippageBps,
  chainOf,
  comparedWith,
  decimalsOf,
  exactly,
  leastAsked,
  readOrder,
  type SwapChain,
} from '../../../src/clients/console/views/swap/order.ts'
import { messageOf } from '../../../src/clients/console/wallets/message.ts'
import { WalletError, wordsOf } from '../../../src/clients/console/wallets/wallet.ts'
import { ruleInWords } from '../../../src/clients/verify/rules.ts'

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
  majors: [major('sol', 'native'), major('usdc', 'stablecoin'), major('usdt', 'stablecoin')],
} as unknown as SwapChain
const OPTIONS = {
  slippageBps: { min: 1, max: 5_000, default: 300 },
  chains: [
    CHAIN,
    { ...CHAIN, key: 'base' },
    { ...CHAIN, key: 'idle', swaps: false },
    { ...CHAIN, key: 'ton' },
  ],
  crossChain: { from: ['solana', 'base'], to: ['solana', 'base'] },
} as unknown as SwapOptions

t.test(
  'an order is read from the URL, with a dollar token and the usual slippage to begin with',
  async (t) => {
    const read = (query: string) => readOrder(new URLSearchParams(query), CHAIN, OPTIONS)
    const order = { chain: 'solana', side: 'buy', token: 'usdc', amount: '0.25', slippageBps: 50 }
    t.same(read('amount=0.25'), order)
    t.same(read('amount=0.25&side=sell&token=x&slippage=0.7'), {
      ...order,
      side: 'sell',
      token: 'x',
      slippageBps: 70,
    })
    t.match(read('amount=1&against=usdt'), { slippageBps: 10 }, 'of one dollar for another')
    t.same(read('amount=1&against=x'), { ...order, amount: '1', against: 'x' })
    t.notOk('against' in (read('amount=1&against=sol') as object), 'the native coin is the default')
    t.match(read('amount=1&against=USDC'), { field: 'amount', text: 'A token cannot be swapped for itself.' })
    t.same(read('amount=0.25&token=sol'), order, 'the native coin is what is paid')
    t.equal(read(''), null, 'without an amount there is none yet')
    for (const amount of ['0', '-1', '1e3', 'x', '0.', '1,5'])
      t.match(read(`amount=${amount}`), { field: 'amount', text: /^Enter an amount/ })
    for (const slippage of ['0', '51', 'x'])
      t.match(read(`amount=1&slippage=${slippage}`), { field: 'slippage', text: /0.01% to 50%/ })
  },
)

t.test('a chain is one that is swapped on', async (t) => {
  const key = (query: string) => chainOf(new URLSearchParams(query), OPTIONS)?.key ?? null
  t.same(['', 'chain=base', 'chain=idle', 'chain=nowhere'].map(key), ['solana', 'base', null, null])
})

t.test('two boxes are read from the URL and written to it', async (t) => {
  const pair = (query: string) => pairOf(new URLSearchParams(query), CHAIN, CHAIN)
  const at = (address: string, chain = 'solana') => ({ chain, address })
  const none = { chain: 'solana', toChain: null, against: null }
  for (const [query, pay, get, written] of [
    ['', 'sol', 'usdc', { ...none, side: null, token: 'usdc' }],
    ['side=sell&token=x', 'x', 'sol', { ...none, side: 'sell', token: 'x' }],
    ['token=x&against=y', 'y', 'x', { ...none, side: 'sell', token: 'y', against: 'x' }],
    ['side=sell&token=x&against=y', 'x', 'y', { ...none, side: 'sell', token: 'x', against: 'y' }],
  ] as const) {
    t.same(pair(query), { pay: at(pay), get: at(get) })
    t.same(parametersOf(pair(query), OPTIONS), written)
  }
  const first = pair('')
  t.same(flipped(first), pair('side=sell'))
  t.same(picked(first, 'get', at('x'), OPTIONS), { pay: at('sol'), get: at('x') })
  t.same(picked(first, 'pay', at('USDC'), OPTIONS), flipped(first), 'the same token trades places')
  const base = { pay: at('sol', 'base'), get: at('usdc', 'base') }
  t.same(picked(first, 'pay', at('sol', 'base'), OPTIONS), base, 'what is received follows to the chain')
  const onTon = picked(first, 'get', at('usdc', 'ton'), OPTIONS)
  t.same(onTon, { pay: at('sol', 'ton'), get: at('usdc', 'ton') }, 'where nothing crosses, both do')
  const crossing = picked(first, 'get', at('x', 'base'), OPTIONS)
  t.same(crossing, { pay: at('sol'), get: at('x', 'base') })
  const written = parametersOf(crossing, OPTIONS)
  t.same(written, { chain: 'solana', toChain: 'base', side: 'sell', token: 'sol', against: 'x' })
  const again = new URLSearchParams(written as Record<string, string>)
  const target = targetOf(again, CHAIN, OPTIONS)
  t.equal(target.key, 'base')
  t.same(pairOf(again, CHAIN, target), crossing)
  for (const to of ['ton', 'solana', 'nowhere'])
    t.equal(targetOf(new URLSearchParams({ toChain: to }), CHAIN, OPTIONS), CHAIN)
})

const CROSSING = {
  provider: 'xprov',
  tool: 'bridge',
  from: '0xme',
  estimate: {
    fromAmount: '50',
    fromAmountHuman: 5,
    toAmount: '990',
    toAmountHuman: 9.9,
    toAmountMin: '980',
    stated: { gasCosts: [{ amountUsd: '0.25' }, { amountUsd: null }] },
  },
  fairOut: '1000',
  transactionRequest: { to: '0xto', data: '0x', value: '0x10' },
  solanaTransaction: null,
  verification: { checks: ['minimum'] },
} as unknown as CrossChainQuote

t.test('a swap to another chain is requested, and read as a quote and as a build', async (t) => {
  const base = { ...CHAIN, key: 'base', chainId: 8453 } as SwapChain
  const solana = { ...CHAIN, chainId: null } as SwapChain
  const order = readOrder(new URLSearchParams('token=x&amount=5&toChain=solana'), base, OPTIONS, solana)
  t.match(order, { chain: 'base', toChain: 'solana', side: 'sell', token: 'x', against: 'sol' })
  const crossing = order as CrossingOrder
  t.ok(isCrossing(crossing))
  t.same([needsRecipient(base, solana), needsRecipient(base, base)], [true, false])
  t.equal(needsRecipient(base, { ...base, key: 'bsc' }), false)
  const input = crossingInput(crossing, base, solana, '0xme', 'you')
  const asked = { fromChain: 'base', toChain: 'solana', fromToken: 'x', toToken: 'native', amount: '5' }
  t.same(input, { ...asked, from: '0xme', to: 'you', slippage: 0.005 })
  t.notOk('to' in crossingInput(crossing, base, solana, '0xme', ''))
  const held = { ...asked, from: '0xme', to: 'you', amountIn: '50', expectedOut: '990', minOut: '980' }
  t.same(crossingAsked(input, CROSSING, 100), held, '1 % of 990, and a hundredth of that for the bridge')
  t.equal(crossingAsked(input, CROSSING, 50).minOut, '980')
  t.equal(crossingAsked(input, CROSSING, 0).minOut, '980')
  const least = (toAmountMin: string) =>
    crossingAsked(input, { ...CROSSING, estimate: { ...CROSSING.estimate, toAmountMin } }, 50).minOut
  t.same(['1', '974', '975', '990'].map(least), ['975', '975', '975', '990'], 'no less than that')
  const quote = crossingQuote(CROSSING, crossing)
  t.match(quote, { amountIn: '50', expectedOut: '990', minOut: '980', priceImpactPct: 1, gasUsd: 0.25 })
  t.equal(crossingQuote({ ...CROSSING, fairOut: null }, crossing).priceImpactPct, null)
  const built = crossingBuilt(CROSSING)
  t.match(built, { provider: 'bridge', expectedOut: '990', minOut: '980' })
  t.match(built.verification, { checks: ['minimum'] })
})

t.test('a transfer is followed in three steps, and a refund is never an arrival', async (t) => {
  const names = { from: 'Base', to: 'Solana', bridge: 'bridge' }
  const sent = (state: string) => ({ state, id: '0x1' }) as SentStep
  const states = (step: SentStep | undefined, delivery: Delivery | null) =>
    trackOf(step, delivery, names).map(({ state }) => state)
  const of = (status: string, substatus = '') =>
    deliveryOf({ status, substatus, receiving: { txHash: '0x2', amount: '7' } })
  t.same(states(undefined, null), ['waiting', 'waiting', 'waiting'])
  t.same(states(sent('sent'), null), ['now', 'waiting', 'waiting'])
  t.same(states(sent('failed'), null), ['failed', 'waiting', 'waiting'])
  for (const status of ['NOT_FOUND', 'PENDING', 'x']) {
    t.same(states(sent('done'), of(status)), ['done', 'now', 'waiting'])
    t.match(of(status), { id: null, amount: null })
  }
  t.same(states(sent('done'), of('DONE', 'COMPLETED')), ['done', 'done', 'done'])
  t.match(of('DONE', 'COMPLETED'), { id: '0x2', amount: '7' })
  t.same(states(sent('done'), of('DONE', 'REFUNDED')), ['done', 'refunded', 'failed'])
  t.equal(trackOf(sent('done'), of('DONE', 'REFUNDED'), names)[1]!.title, 'Refunded to Base')
  t.match(of('DONE', 'REFUNDED'), { id: null, amount: null })
  t.same(states(sent('done'), of('FAILED')), ['done', 'failed', 'failed'])
  for (const status of ['FAILED', 'PENDING']) {
    t.same(states(sent('done'), of(status, 'REFUND_IN_PROGRESS')), ['done', 'now', 'waiting'], 'not the end')
  }
  const receiving = { txHash: '0x2', amount: '7', token: { symbol: 'USDC.e' } }
  const other = deliveryOf({ status: 'DONE', substatus: 'PARTIAL', receiving })
  t.same(states(sent('done'), other), ['done', 'done', 'done'])
  t.match(other, { id: '0x2', amount: null, message: /Another token .*: USDC\.e\.$/ })
  t.match(of('DONE', 'PARTIAL'), { amount: null, message: /^Another token arrived/ })
})

t.test('costs are in dollars and a share, by the gateway where it has them', async (t) => {
  const quote = (more: object) => ({ priceImpactPct: 1, route: { stated: {} }, ...more }) as unknown as Quote
  const whole = costOf(quote({ netOutUsd: 98.5, gasUsd: 0.5 }), null)
  t.same(whole, { usd: 1.5, percent: 1.5, impactUsd: 1, networkUsd: 0.5 })
  t.same(costOf(quote({}), 200), { usd: 2, percent: 1, impactUsd: 2, networkUsd: null })
  t.match(costOf(quote({ route: { stated: { gasUsd: '0.25' } } }), 200), { usd: 2.25, networkUsd: 0.25 })
  for (const paid of [null, 0]) t.equal(costOf(quote({}), paid), null)
  t.equal(costOf(quote({ priceImpactPct: null }), 200), null, 'what is not known is not zero')
  t.same([null, 1, 1.01, 3, 3.01].map(gradeOfImpact), ['', '', 'warn', 'warn', 'danger'])
  t.same([299, 300].map(gradeOfSlippage), ['', 'warn'])
})

t.test('a unit price is of the coin that is worth more, and can be reversed', async (t) => {
  const [eth, usdc] = ['ETH', 'USDC'].map((symbol) => ({ address: '', symbol, name: null, decimals: 6 }))
  const rate = (paid: number, out: number | null, isReversed: boolean) =>
    rateOf({ amountInHuman: paid, expectedOutHuman: out } as Quote, eth!, usdc!, isReversed)
  t.equal(rate(0.5, 1_000, false), '1 ETH = 2,000 USDC')
  t.equal(rate(0.5, 1_000, true), '1 USDC = 0.0005 ETH')
  for (const out of [null, 0]) t.equal(rate(1, out, false), null)
})

t.test('the most of a native coin leaves its fee', async (t) => {
  const reserve = (key: string, decimals: number, price: number | null, usd: number | null) =>
    reserveOf({ key } as SwapChain, { decimals, price }, 10n ** BigInt(decimals), usd)
  const told = { key: 'solana', reserve: '1501144' } as SwapChain
  t.equal(reserveOf(told, { decimals: 9, price: null }, 10n ** 9n, null), 1_501_144n, 'as the gateway says')
  t.equal(reserve('ethereum', 18, 3_000, null), 2_000_000_000_000_000n)
  t.equal(reserve('base', 18, 1_000, 1), 3_000_000_000_000_000n, 'thrice what an offer says')
  t.equal(reserve('base', 18, null, null), 2n * 10n ** 16n)
  t.equal(shareOf(2_000_000_001n, 50, 9), '1')
  t.equal(shareOf(3n, 100, 9), '0.000000003')
  t.same(
    [cut('84394646257547318', 18), cut('1234567891', 3), cut('1234567', 5), cut('100', 2), cut('0', 6)],
    ['0.0843946', '1234567', '12.3456', '1', '0'],
  )
})

t.test("tokens are the chains' own and the list's, each once, and found by symbol first", async (t) => {
  const row = (address: string, symbol: string, liq: number, price: number | null = null) =>
    ({ chain: 'solana', address, symbol, name: null, liq, price }) as unknown as TokenRow
  const rows = [row('a', 'SOLX', 1), row('b', 'B', 2), row('SOL', 'SOL', 3, 80)]
  const options = { ...OPTIONS, chains: [CHAIN] }
  const choices = choicesOf(options, [...rows, { ...row('c', 'C', 4), chain: 'nowhere' }])
  t.same(
    choices.map(({ address }) => address),
    ['sol', 'usdc', 'usdt', 'b', 'a'],
  )
  t.match(choices[0], { price: 80, liq: 3, isListed: true })
  t.same(
    matching(choices, ' solx').map(({ address }) => address),
    ['a'],
  )
  t.same(
    matching([choices[4]!, choices[0]!], 'sol').map(({ address }) => address),
    ['sol', 'a'],
  )
  t.match(choiceOf({ chain: 'solana', address: 'zzz' }, choices), { symbol: null, isListed: false })
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

t.test('a verdict is no better than its weakest part, and the unknown is a claim', async (t) => {
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

t.test("a gateway's figure that differs from the transaction's is found", async (t) => {
  const facts = {
    spends: { token: 'a', amount: '250000000', decimals: 6 },
    receives: { token: 'b', atLeast: '81020346002968142', decimals: 18, recipient: '0xAa' },
  }
  const quote = {
    amountIn: '250000000',
    amountInHuman: 250,
    expectedOut: '83526129899967157',
    expectedOutHuman: 0.0835,
  }
  const built = { minOut: '81020346002968142', verification: { recipient: '0xaA' } as never }
  const found = (more: object, other: object = {}, facets: object = facts) =>
    differenceIn({
      quote: { ...quote, ...more },
      built: { ...built, ...other },
      verdict: { facts: facets as typeof facts },
      crossing: null,
    })
  t.equal(found({}), null)
  t.equal(found({}, { minOut: '81020346002968143' }), null, 'a unit is rounding')
  t.equal(found({}, { minOut: undefined, verification: undefined }), null)
  t.equal(found({ amountIn: '250000002' }), 'amount')
  t.equal(found({}, { minOut: '81020346002968140' }), 'minimum')
  t.equal(found({ amountInHuman: 2.5 }), 'amount in whole tokens')
  t.equal(found({ expectedOutHuman: 835 }), 'output in whole tokens')
  t.equal(found({}, { verification: { recipient: '0xbb' } }), 'recipient')
  const unknown = { ...facts, receives: { ...facts.receives, decimals: null } }
  t.equal(found({ expectedOutHuman: 835 }, {}, unknown), null, 'it is asked to be accepted')
})

t.test('a minimum is asked for by what was shown and the slippage, whatever the gateway says', async (t) => {
  const shown = { expectedOut: '1000000000000000000001', slippageBps: 50 }
  const least = '995000000000000000000'
  for (const minOut of [null, '1', least]) t.equal(leastAsked({ ...shown, minOut }), least)
  t.equal(leastAsked({ ...shown, minOut: '996000000000000000000' }), '996000000000000000000')
  t.equal(leastAsked({ expectedOut: null, minOut: '5', slippageBps: 50 }), '0', 'nothing was shown')
  t.equal(belowSlippageBps(least, { ...shown, minOut: null }), 0)
  t.equal(belowSlippageBps('985050000000000000000', { ...shown, minOut: null }), 100)
})

t.test('a figure says what it was checked against', async (t) => {
  const quote = {
    provider: 'velora',
    sources: { fairOut: ['a', 'b'], gasUsd: ['a', 'stated'], minOut: ['stated'] },
  }
  const by = (figure: string) => checkedBy(quote as unknown as Quote, figure)
  t.equal(by('fairOut'), 'Checked against a, b.')
  t.equal(by('gasUsd'), 'Checked against a.')
  for (const one of ['minOut', 'none']) t.equal(by(one), 'Stated by Velora; not checked.')
})

t.test('what was received is compared with what was expected', async (t) => {
  t.equal(comparedWith('10000', '10000'), '(as expected)')
  t.equal(comparedWith('10000', '9950'), '(0.5% less than expected)')
  t.equal(comparedWith('10000', '10001'), '(0.01% more than expected)')
  for (const unknown of [null, '0']) t.equal(comparedWith(unknown, '1'), '')
})

t.test('everything signed is behind one signature; a transaction with two is not signed', async (t) => {
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
