import t from 'tap'
import { findXprovChain } from '../../src/chains/find.ts'
import { WRAPPED_SOL_MINT } from '../../src/chains/solana/programs.ts'
import { WireTransaction } from '../../src/chains/solana/wire.ts'
import type { Call } from '../../src/flow/call.ts'
import { CancellationScope } from '../../src/flow/cancellation.ts'
import type { Simulate } from '../../src/proof/simulation/simulate.ts'
import type { CrossChainOrder } from '../../src/proof/terms/order.ts'
import { parseQuote, type Xprov } from '../../src/providers/swap/xprov.ts'
import { xstatus } from '../../src/routes/swap/xstatus.ts'
import { CLOCK } from '../../src/runtime/clock.ts'
import { GatewayError } from '../../src/runtime/errors.ts'
import { loggerTo } from '../../src/runtime/log.ts'
import { CrossChainQuote } from '../../src/runtime/resources/cross-chain.ts'
import { DIAMOND, SWIFT } from '../../src/sandbox/swap/xprov-calldata.ts'
import { CrossChainQuery, CrossChainSwaps, parseCrossChain } from '../../src/swap/cross-chain.ts'
import type { Decimals } from '../../src/swap/decimals.ts'
import { UNPRICED } from '../../src/swap/fair.ts'
import { Statuses } from '../../src/swap/statuses.ts'
import { callOf } from '../fixtures/call.ts'
import { Check } from '../fixtures/check.ts'
import { clockOf, handClock, STILL } from '../fixtures/clock.ts'
import fc from '../fixtures/fast-check.ts'
import { failureOf, NOW, OPTIONS } from '../fixtures/provider.ts'
import { misspelled } from '../fixtures/spelling.ts'
import { type Fields, fieldsOf, THIEF, type Theft } from '../fixtures/theft/thief.ts'
import { thief } from '../fixtures/theft/xprov.ts'
import { uninformed } from '../fixtures/uninformed.ts'
import { decimalsOf, startXprov, UNSIMULATED as UNTIMED, WALLETS } from '../fixtures/xprov.ts'

const UNSIMULATED = { ...uninformed(clockOf({ now: CLOCK.now, date: () => NOW })), ...UNTIMED }
const { evm, otherEvm, solana, sui } = WALLETS
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
/** On Base, and in no chain file. */
const AERO = '0x940181a94A35A4569E4529A3CDfB74e38FD98631'
const USDT_ETHEREUM = '0xdAC17F958D2ee523a2206206994597C13D831ec7'
const USDC_ETHEREUM = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'

const BASE: CrossChainQuery = {
  fromChain: 'base',
  toChain: 'ethereum',
  fromToken: 'native',
  toToken: 'native',
  amount: '0.1',
  from: evm,
}

/** Mayan counts in eight decimals at most, and no chain file lists this one. */
const BONK = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'
const TO_BONK: CrossChainQuery = { ...BASE, toChain: 'solana', to: solana, toToken: BONK }

t.test('chains are keys or ids, `to` defaults to `from`, addresses become canonical', async (t) => {
  t.match(parseCrossChain(BASE), { from: evm, to: evm, slippage: null, preference: null, amount: '0.1' })
  const byId = parseCrossChain({ ...BASE, fromChain: '8453', toChain: '1' })
  t.same(byId, parseCrossChain(BASE))
  t.equal(parseCrossChain({ ...BASE, from: evm.toLowerCase() }).from, evm)
  const toSui = parseCrossChain({ ...BASE, toChain: '9270000000000000', to: sui, toToken: '0x2::sui::SUI' })
  t.match(toSui, { to: sui, tokenOut: { isNative: true } })
  t.equal(toSui.toChain.xprovChainId, 9_270_000_000_000_000)
  t.equal(parseCrossChain({ ...BASE, toChain: '1151111081099710', to: solana }).to, solana)
  t.match(parseCrossChain({ ...BASE, slippage: 0, order: 'FASTEST' }), {
    slippage: '0',
    preference: 'FASTEST',
  })
  t.equal(parseCrossChain({ ...BASE, slippage: 0.005 }).slippage, '0.005')
  // Which there are is the provider's to say.
  for (const order of ['RECOMMENDED', 'fastest', 'a/b c'])
    t.equal(parseCrossChain({ ...BASE, order }).preference, order)
})

t.test('SOL and its wrapped mint are two tokens here, however SOL is written', async (t) => {
  const fromSolana = { ...BASE, fromChain: 'solana', from: solana, to: evm }
  const cases: [text: string, address: string, isNative: boolean][] = [
    ['native', WRAPPED_SOL_MINT, true],
    ['11111111111111111111111111111111', WRAPPED_SOL_MINT, true],
    [WRAPPED_SOL_MINT, WRAPPED_SOL_MINT, false],
  ]
  for (const [text, address, isNative] of cases) {
    t.same(parseCrossChain({ ...fromSolana, fromToken: text }).tokenIn, { address, isNative }, text)
    const toSolana = { ...BASE, toChain: 'solana', to: solana, toToken: text }
    t.same(parseCrossChain(toSolana).tokenOut, { address, isNative }, text)
  }
})

t.test('whatever fraction the slippage is, the provider reads the same number', async (t) => {
  const { client, market, requests } = await startXprov(t)
  const crossChainSwaps = new CrossChainSwaps({ xprov: client, decimals: decimalsOf(market), ...UNSIMULATED })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 500_000 }), async (millionths) => {
      const slippage = millionths / 1_000_000
      await crossChainSwaps.quote(parseCrossChain({ ...BASE, slippage }), OPTIONS)
      const sent = requests.at(-1)!.query.get('slippage')!
      return /^0\.\d+$/.test(sent) && Number(sent) === slippage
    }),
    { numRuns: 25, examples: [[1], [5_000], [100_000], [500_000]] },
  )
  await crossChainSwaps.quote(parseCrossChain(BASE), OPTIONS)
  t.notOk(requests.at(-1)!.query.has('slippage'), 'absent, it is left to the provider')
})

const BAD: readonly [changes: Partial<CrossChainQuery>, code: string, field: string][] = [
  [{ fromChain: 'moon' }, 'unsupported_chain', 'fromChain'],
  [{ toChain: 'ton' }, 'unsupported_chain', 'toChain'],
  [{ toChain: '01' }, 'unsupported_chain', 'toChain'],
  [{ toChain: '9270000000000001' }, 'unsupported_chain', 'toChain'],
  // LI.FI's ids of Bitcoin and Tron: our `kind` has no value for them.
  [{ fromChain: '20000000000001' }, 'unsupported_chain', 'fromChain'],
  [{ toChain: '728126428' }, 'unsupported_chain', 'toChain'],
  [{ fromChain: '' }, 'unsupported_chain', 'fromChain'],
  [{ fromToken: 'USDC' }, 'invalid_parameter', 'fromToken'],
  [{ toToken: `${USDC}0` }, 'invalid_parameter', 'toToken'],
  [{ toToken: '0x2::sui::SUI' }, 'invalid_parameter', 'toToken'],
  [{ from: solana }, 'invalid_parameter', 'from'],
  [{ from: '0x0000000000000000000000000000000000000000' }, 'invalid_parameter', 'from'],
  [{ from: evm.replace('0x5a', '0x5A') }, 'invalid_parameter', 'from'],
  [{ to: '' }, 'invalid_parameter', 'to'],
  [{ to: sui }, 'invalid_parameter', 'to'],
  [{ toChain: 'solana' }, 'recipient_required', 'to'],
  [{ toChain: 'sui' }, 'recipient_required', 'to'],
  [{ toChain: 'sui', to: '0x5' }, 'invalid_parameter', 'to'],
  [{ toChain: 'solana', to: evm }, 'invalid_parameter', 'to'],
  [{ slippage: 1 }, 'unsupported_slippage', 'slippage'],
  [{ slippage: 300 }, 'unsupported_slippage', 'slippage'],
]

t.test('an amount is a decimal of at most a hundred characters', async (t) => {
  const isAmount = (amount: string) => Check(CrossChainQuery, { ...BASE, amount })
  for (const amount of ['1', '.5', '0.25', '9'.repeat(100)]) t.equal(isAmount(amount), true, amount)
  for (const amount of ['', '1.', '-1', '1e5', '1,5', '9'.repeat(101)])
    t.equal(isAmount(amount), false, amount)
})

t.test('every bad input is refused by its field, before anything is asked', async (t) => {
  for (const [changes, code, field] of BAD) {
    try {
      parseCrossChain({ ...BASE, ...changes })
      t.fail(JSON.stringify(changes))
    } catch (error) {
      t.match(error, { code, status: 400, fields: { field } }, JSON.stringify(changes))
      for (const value of Object.values(changes).filter((value) => String(value).length > 8)) {
        t.notOk((error as GatewayError).message.includes(String(value)), 'no echo')
      }
    }
  }
})

t.test('the reply is a CrossChainQuote with proved material of one kind', async (t) => {
  const { client, market } = await startXprov(t)
  const crossChainSwaps = new CrossChainSwaps({ xprov: client, decimals: decimalsOf(market), ...UNSIMULATED })
  const cases: readonly [CrossChainQuery, string, string][] = [
    [BASE, 'evm', 'transactionRequest'],
    [{ ...BASE, fromChain: 'solana', from: solana, to: otherEvm }, 'solana', 'solanaTransaction'],
    [
      { ...BASE, fromChain: 'sui', from: sui, to: otherEvm, amount: '40', toToken: USDC_ETHEREUM },
      'sui',
      'suiTransaction',
    ],
  ]
  for (const [input, kind, material] of cases) {
    const bytes = await crossChainSwaps.quote(parseCrossChain(input), OPTIONS)
    const reply = JSON.parse(bytes.toString())
    t.ok(Check(CrossChainQuote, reply), kind)
    t.match(reply, { provider: 'xprov', kind, from: input.from, to: input.to ?? input.from })
    for (const name of ['transactionRequest', 'solanaTransaction', 'suiTransaction']) {
      t.equal(reply[name] !== null, name === material, name)
    }
    t.ok(reply.verification.checks.includes('recipient'))
    t.match(reply.transactionId, /^0x[0-9a-f]{64}$/)
  }
  const bytes = await crossChainSwaps.quote(parseCrossChain(cases[2]![0]), OPTIONS)
  t.match(bytes.toString(), '"fromChain":9270000000000000,', 'an id above 2^53 prints as it stands')
})

/** On a clock that does not move. */
const stillCall = (ms: number) => callOf(ms, null, 'quote', STILL)

t.test('slow sources of decimals and prices leave time for the provider and the simulation', async (t) => {
  const { client, market } = await startXprov(t)
  const known = decimalsOf(market)
  const given: Record<string, number[]> = { decimals: [], prices: [], worth: [] }
  const crossChainSwaps = new CrossChainSwaps({
    xprov: client,
    ...UNSIMULATED,
    deadlines: { tokenMs: 700, priceMs: 300 },
    decimals: {
      addTo(chain, token, call) {
        given.decimals!.push(call.leftMs)
        return known.addTo(chain, token, call)
      },
    },
    async fairOf(_order, { leftMs }) {
      given.prices!.push(leftMs)
      return UNPRICED
    },
    async worthOf({ chainIn, amountIn }, { leftMs }) {
      t.same([chainIn.key, amountIn], ['base', 250_000_000n])
      given.worth!.push(leftMs)
      return null
    },
  })
  const input = { ...BASE, fromToken: USDC, amount: '250' }
  await crossChainSwaps.quote(parseCrossChain(input), stillCall(20_000))
  await crossChainSwaps.quote(parseCrossChain(input), stillCall(500))
  t.same(given, { decimals: [700, 700, 500, 500], prices: [300, 300], worth: [300, 300] })
})

t.test('and so do nodes that are slow to say what the wallet holds', async (t) => {
  const { client, market } = await startXprov(t)
  const given: number[] = []
  const crossChainSwaps = new CrossChainSwaps({
    xprov: client,
    decimals: decimalsOf(market),
    ...UNSIMULATED,
    minimum: 'simulated',
    deadlines: { tokenMs: 700, priceMs: 300 },
    async heldOf(_chain, _token, _owner, { leftMs }) {
      given.push(leftMs)
      return 0n
    },
  })
  const request = parseCrossChain({ ...BASE, fromChain: 'solana', from: solana, to: evm })
  for (const deadlineMs of [20_000, 500]) {
    const { code } = await failureOf(crossChainSwaps.quote(request, stillCall(deadlineMs)))
    t.equal(code, 'insufficient_balance')
  }
  t.same(given, [700, 500])
})

t.test('wrapped SOL is quoted as the token that it is', async (t) => {
  const { client, market } = await startXprov(t)
  const crossChainSwaps = new CrossChainSwaps({ xprov: client, decimals: decimalsOf(market), ...UNSIMULATED })
  const input = { ...BASE, fromChain: 'solana', from: solana, to: evm, fromToken: WRAPPED_SOL_MINT }
  const reply = JSON.parse(String(await crossChainSwaps.quote(parseCrossChain(input), OPTIONS)))
  t.match(reply.fromToken, { address: WRAPPED_SOL_MINT, symbol: 'WSOL' })
  const native = JSON.parse(
    String(await crossChainSwaps.quote(parseCrossChain({ ...input, fromToken: 'native' }), OPTIONS)),
  )
  t.match(native.fromToken, { address: '11111111111111111111111111111111', symbol: 'SOL' })
})

/** The provider, but for what a change makes of its answers. */
const answering = (client: Xprov, change: (body: Fields) => Fields | string): Pick<Xprov, 'quote'> => ({
  async quote(order, options) {
    const changed = change(JSON.parse((await client.quote(order, options)).text))
    const quote = parseQuote(typeof changed === 'string' ? changed : JSON.stringify(changed))
    if (quote === null) throw new GatewayError('upstream_unusable', 'It is no quote.')
    return quote
  },
})

t.test(
  'the estimate has what was read, in our decimals, and below `stated` what only the provider says',
  async (t) => {
    const { client, market } = await startXprov(t)
    const decimals = decimalsOf(market)
    const input = { ...BASE, fromToken: USDC, toChain: 'solana', to: solana, amount: '250' }
    const asked = new CrossChainSwaps({ xprov: client, decimals, ...UNSIMULATED })
    const { estimate, approval, verification, ...quote } = JSON.parse(
      String(await asked.quote(parseCrossChain(input), OPTIONS)),
    )
    const { feeCosts, ...stated } = estimate.stated
    t.match(estimate, { fromAmount: '250000000', fromAmountHuman: 250 })
    t.equal(estimate.toAmountHuman, Number(estimate.toAmount) / 1e9)
    t.equal(estimate.toAmountMinHuman, Number(estimate.toAmountMin) / 1e9)
    t.equal(estimate.toAmountMin, verification.minimum, 'what the bytes guarantee, which is less than stated')
    t.equal(estimate.approvalAddress, approval.spender)
    t.match(stated, {
      tool: 'sandboxbridge',
      fromAmountUsd: /^2(49|50)\.\d+$/,
      executionDuration: 15,
      gasCosts: { length: 0 },
    })
    const [{ amountUsd, ...fee }] = feeCosts
    t.match(amountUsd, /^0\.2\d+$/)
    t.strictSame(fee, {
      name: 'Bridge fee',
      chain: 'base',
      token: { address: USDC, isNative: false, symbol: 'USDC', decimals: 6 },
      amount: '250000',
      amountHuman: 0.25,
      included: true,
    })
    t.match(feeCosts[1], {
      chain: 'base',
      token: { isNative: true, symbol: 'ETH', decimals: 18 },
      included: false,
    })
    t.strictSame(quote.toToken, {
      address: '11111111111111111111111111111111',
      isNative: true,
      symbol: 'SOL',
      decimals: 9,
    })
    const extended = answering(client, (body) => ({
      ...body,
      estimate: { big: 1, ...fieldsOf(body.estimate), reset: '1' },
      extra: 1,
    }))
    const again = new CrossChainSwaps({ xprov: extended, decimals, ...UNSIMULATED })
    const other = JSON.parse(String(await again.quote(parseCrossChain(input), OPTIONS)))
    t.same(Object.keys(other.estimate), Object.keys(estimate), 'nothing else')
    t.notOk('extra' in other)
  },
)

t.test(
  'a symbol is of the chains or of the token list, and decimals are those that sources agree on',
  async (t) => {
    const { client, market } = await startXprov(t)
    const lying = answering(client, (body) => {
      const action = fieldsOf(body.action)
      return { ...body, action: { ...action, toToken: { ...fieldsOf(action.toToken), symbol: 'USDC' } } }
    })
    const asked: string[][] = []
    const symbolOf = (...token: [string, string]) => {
      asked.push(token)
      return token[1] === BONK ? 'BONK' : null
    }
    const rules = { decimals: decimalsOf(market), ...UNSIMULATED }
    const toToken = async (swaps: CrossChainSwaps, toToken: string) =>
      JSON.parse(String(await swaps.quote(parseCrossChain({ ...TO_BONK, toToken }), OPTIONS))).toToken
    const listed = new CrossChainSwaps({ ...rules, xprov: lying, symbolOf })
    t.match(await toToken(listed, BONK), { address: BONK, symbol: 'BONK', decimals: 5 })
    t.match(await toToken(listed, 'native'), { symbol: 'SOL', decimals: 9 })
    t.same(asked, [['solana', BONK]], 'the chains come first')
    t.match(await toToken(new CrossChainSwaps({ xprov: lying, ...rules }), BONK), { symbol: null })
  },
)

t.test(
  'where no two sources agree on decimals, no figure is shown by them, and the level says so',
  async (t) => {
    const { client, market } = await startXprov(t)
    const known = decimalsOf(market)
    const decimals: typeof known = {
      async addTo(...asked) {
        if (asked[0].key === 'base') return known.addTo(...asked)
        throw new GatewayError('upstream_unusable', 'No two sources agree.')
      },
    }
    const input = parseCrossChain({ ...BASE, fromToken: USDC, toToken: USDC_ETHEREUM, amount: '250' })
    const lax = new CrossChainSwaps({ xprov: client, decimals, ...UNSIMULATED })
    const { estimate, toToken, verification } = JSON.parse(String(await lax.quote(input, OPTIONS)))
    t.match(estimate, {
      fromAmountHuman: 250,
      toAmountHuman: null,
      toAmountMinHuman: null,
      toAmountMin: /^\d+$/,
    })
    t.match(toToken, { decimals: null, symbol: 'USDC' })
    t.match(verification, { level: 'stated', stated: ['decimals'] })
    t.notOk(verification.checks.includes('decimals'))
    for (const minimum of ['simulated', 'proved'] as const) {
      const strict = new CrossChainSwaps({ xprov: client, decimals, ...UNSIMULATED, minimum })
      const failure = await failureOf(strict.quote(input, OPTIONS))
      t.match(failure, { code: 'material_unproved', fields: { rule: 'decimals' } })
      t.match(failure.message, /its decimals would be its word alone/)
    }
  },
)

t.test('a spender is named where an approval is needed, and it is the one that was checked', async (t) => {
  const { client, market } = await startXprov(t)
  const rules = { decimals: decimalsOf(market), ...UNSIMULATED }
  const estimateIn = (changes: Fields) => (body: Fields) => ({
    ...body,
    estimate: { ...fieldsOf(body.estimate), approvalAddress: THIEF, approvalReset: true, ...changes },
  })
  const ofToken: Partial<CrossChainQuery> = { fromToken: USDC, amount: '250' }
  const none: readonly [string, Partial<CrossChainQuery>, (body: Fields) => Fields][] = [
    ['the native coin', {}, estimateIn({})],
    ['an allowance that the provider does not want', ofToken, estimateIn({ skipApproval: true })],
    ['nothing to sign', ofToken, (body) => ({ ...estimateIn({})(body), transactionRequest: undefined })],
    [
      'nothing to sign, and no allowance wanted',
      ofToken,
      (body) => ({ ...estimateIn({ skipApproval: true })(body), transactionRequest: undefined }),
    ],
    ['SOL', { fromChain: 'solana', from: solana, to: otherEvm }, estimateIn({})],
  ]
  for (const [title, changes, change] of none) {
    const swaps = new CrossChainSwaps({ xprov: answering(client, change), ...rules })
    const text = String(await swaps.quote(parseCrossChain({ ...BASE, ...changes }), OPTIONS))
    const { estimate, approval } = JSON.parse(text)
    t.equal(approval, null, title)
    t.notOk('approvalAddress' in estimate || 'approvalReset' in estimate, title)
    t.same(misspelled(text), [], title)
  }
  const tokens = parseCrossChain({ ...BASE, ...ofToken })
  const hostile = new CrossChainSwaps({ xprov: answering(client, estimateIn({})), ...rules })
  t.match(await failureOf(hostile.quote(tokens, OPTIONS)), { fields: { rule: 'spender' } })
  const asked = { ...tokens, fromChain: findXprovChain('ethereum')!, toChain: findXprovChain('base')! }
  const resets = { ...asked, tokenIn: { address: USDT_ETHEREUM, isNative: false } }
  for (const [request, isReset] of [
    [tokens, false],
    [resets, true],
  ] as const) {
    const lies = answering(client, (body) => ({
      ...body,
      estimate: { ...fieldsOf(body.estimate), approvalReset: !isReset },
    }))
    const { approval, estimate, calls, atomicRequired, transactionRequest } = JSON.parse(
      String(await new CrossChainSwaps({ xprov: lies, ...rules }).quote(request, OPTIONS)),
    )
    t.equal(calls.length, isReset ? 3 : 2)
    t.ok(atomicRequired)
    const { to, data, value } = transactionRequest
    t.same(calls.at(-1), { to, data, value })
    t.match(calls.at(-2), { to: approval.token, value: '0x0' })
    t.match(calls.at(-2).data, new RegExp(`^0x095ea7b30{24}${approval.spender.slice(2)}0{48}`, 'i'))
    t.equal(approval.spender, estimate.approvalAddress)
    t.same([approval.reset, estimate.approvalReset], isReset ? [true, true] : [undefined, undefined])
  }
})

t.test(
  'a cost is named by its type where it has no name, and counted in what is known of its token',
  async (t) => {
    const { client, market } = await startXprov(t)
    const costOf = (chainId: number, address: string) => ({
      type: 'TOLL',
      token: { chainId, address },
      amount: '1500000000000000000',
      included: true,
    })
    const xprov = answering(client, (body) => ({
      ...body,
      estimate: { ...fieldsOf(body.estimate), feeCosts: [costOf(8_453, AERO), costOf(1, AERO)] },
    }))
    const asked = new CrossChainSwaps({ xprov, decimals: decimalsOf(market), ...UNSIMULATED })
    const request = parseCrossChain({ ...BASE, toChain: 'base', fromToken: AERO, amount: '300' })
    const { feeCosts } = JSON.parse(String(await asked.quote(request, OPTIONS))).estimate.stated
    t.match(feeCosts, [
      { name: 'TOLL', chain: 'base', amountHuman: 1.5, token: { address: AERO, decimals: 18 } },
      { name: 'TOLL', chain: 'ethereum', amountHuman: null, token: { decimals: null } },
    ])
  },
)

/** A swap and crossings of every kind that the sandbox builds. */
const ROUTES: readonly [title: string, changes: Partial<CrossChainQuery>][] = [
  ['tokens to the coin of the chain', { fromToken: USDC, toChain: 'base', amount: '250' }],
  ['the coin to tokens of the chain', { toChain: 'base', toToken: USDC }],
  ['the coin to that of another chain', {}],
  ['tokens to the same elsewhere', { fromToken: USDC, toToken: USDC_ETHEREUM, amount: '250' }],
  ['tokens to the coin of another chain', { fromToken: USDC, toChain: 'bsc', amount: '250' }],
  ['the coin to Solana', { toChain: 'solana', to: solana }],
  ['SOL to an EVM chain', { fromChain: 'solana', from: solana, to: otherEvm, amount: '2' }],
  [
    'SUI to tokens of an EVM chain',
    { fromChain: 'sui', from: sui, to: otherEvm, amount: '40', toToken: USDC_ETHEREUM },
  ],
]

t.test('scaled amounts and decimals, or other spellings of them, mislead nobody', async (t) => {
  const { client, market } = await startXprov(t)
  const rules = { decimals: decimalsOf(market), ...UNSIMULATED }
  for (const [title, changes] of ROUTES) {
    const order = parseCrossChain({ ...BASE, ...changes })
    let body: Fields = {}
    const honest = answering(client, (answered) => (body = answered))
    const before = JSON.parse(
      String(await new CrossChainSwaps({ xprov: honest, ...rules }).quote(order, OPTIONS)),
    )
    let [scaled, spelled, refused] = [0, 0, 0]
    for (const { what, rob, write = JSON.stringify, isSpelling } of thief(body)) {
      const isScaling = /decimals less/.test(what)
      if (!isSpelling && !isScaling) continue
      const swaps = new CrossChainSwaps({ xprov: answering(client, () => write(rob())), ...rules })
      const asked = swaps.quote(order, OPTIONS)
      if (isScaling) {
        t.match(await failureOf(asked), { code: 'material_refused', fields: { rule: 'decimals' } }, what)
        scaled++
        continue
      }
      spelled++
      const text = await asked.then(String, (error: GatewayError) => {
        t.equal(error.code, 'material_refused', what)
        refused++
        return null
      })
      if (text === null) continue
      t.same(misspelled(text), [], `${title}: ${what}`)
      const { estimate, fromToken, toToken } = JSON.parse(text)
      const { stated: _, approvalAddress: _a, approvalReset: _r, ...figures } = estimate
      t.match(before, { estimate: figures, fromToken, toToken }, `${title}: ${what}`)
    }
    t.ok(scaled >= 6 && spelled >= 12 && refused < 6, `${title}: ${scaled}, ${spelled}, ${refused}`)
  }
})

t.test('two such changes at once mislead nobody either', async (t) => {
  const { client, market } = await startXprov(t)
  const rules = { decimals: decimalsOf(market), ...UNSIMULATED }
  const order = parseCrossChain({ ...BASE, fromToken: USDC, toToken: USDC_ETHEREUM, amount: '250' })
  const isOfFigures = ({ what, isSpelling }: Theft) => isSpelling === true || /decimals less/.test(what)
  let body: Fields = {}
  const honest = answering(client, (answered) => (body = answered))
  const before = JSON.parse(
    String(await new CrossChainSwaps({ xprov: honest, ...rules }).quote(order, OPTIONS)),
  )
  let tried = 0
  for (const first of thief(body).filter(isOfFigures)) {
    const once = first.rob()
    for (const second of thief(once).filter(isOfFigures)) {
      const { write = first.write ?? JSON.stringify } = second
      const swaps = new CrossChainSwaps({ xprov: answering(client, () => write(second.rob())), ...rules })
      const what = `${first.what}, and ${second.what}`
      tried++
      const text = await swaps.quote(order, OPTIONS).then(String, (error: GatewayError) => {
        // Below no decimals it is no answer any more.
        if (!/^(material_refused|upstream_unusable)$/.test(error.code)) t.fail(`${what}: ${error.code}`)
        return null
      })
      if (text === null) continue
      if (!first.isSpelling || !second.isSpelling) t.fail(`${what}: was let out`)
      const found = misspelled(text)
      if (found.length > 0) t.same(found, [], what)
      const { estimate, fromToken, toToken } = JSON.parse(text)
      const { stated: _, approvalAddress: _a, approvalReset: _r, ...figures } = estimate
      t.match(before, { estimate: figures, fromToken, toToken }, what)
    }
  }
  t.ok(tried > 200, `${tried} pairs`)
})

t.test('whatever words a provider uses, they leave in one spelling or not at all', async (t) => {
  const { client, market } = await startXprov(t)
  const order = parseCrossChain({ ...BASE, fromToken: USDC, amount: '250' })
  let body: Fields = {}
  const rules = { decimals: decimalsOf(market), ...UNSIMULATED }
  await new CrossChainSwaps({ xprov: answering(client, (one) => (body = one)), ...rules }).quote(
    order,
    OPTIONS,
  )
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.double(),
    fc.constantFrom('0X01', '0x0A', '007', '00.50', '1e3', '-1', '', null, true, '0x', '<b>', 'USDC "real"'),
    fc.bigInt({ min: 0n, max: 2n ** 80n }).map(String),
  )
  const cost = fc.record({
    name: value,
    type: value,
    token: fc.oneof(
      fc.record({
        address: fc.constantFrom(USDC, USDC.toLowerCase(), '0X00', solana),
        chainId: fc.constantFrom(8453, 1, 7),
      }),
      value,
    ),
    amount: value,
    amountUSD: value,
  })
  const words = fc.record({
    id: fc.string(),
    tool: fc.string(),
    transactionId: fc.oneof(fc.string(), fc.constant(`0x${'Ab'.repeat(32)}`)),
    executionDuration: value,
    fromAmountUSD: fc.oneof(fc.string(), fc.constant('0050.10')),
    gasCosts: fc.oneof(value, fc.array(fc.oneof(cost, value))),
  })
  await fc.assert(
    fc.asyncProperty(words, async ({ id, tool, transactionId, ...stated }) => {
      const estimate = { ...fieldsOf(body.estimate), ...stated }
      const xprov = answering(client, () => ({ ...body, id, tool, transactionId, estimate }))
      const text = String(await new CrossChainSwaps({ xprov, ...rules }).quote(order, OPTIONS))
      t.same(misspelled(text), [])
      t.ok(Check(CrossChainQuote, JSON.parse(text)))
    }),
    { numRuns: 60 },
  )
})

t.test('amounts are counted in the decimals of the source token', async (t) => {
  const { client, market, requests } = await startXprov(t)
  const crossChainSwaps = new CrossChainSwaps({ xprov: client, decimals: decimalsOf(market), ...UNSIMULATED })
  await crossChainSwaps.quote(parseCrossChain({ ...BASE, fromToken: USDC, amount: '250.000001' }), OPTIONS)
  t.equal(requests[0]!.query.get('fromAmount'), '250000001')
  const refusals: readonly [Partial<CrossChainQuery>, string][] = [
    [{ fromToken: USDC, amount: '0.0000001' }, 'amount_precision'],
    [{ amount: '0.000' }, 'amount_too_small'],
    [{ amount: `1${'0'.repeat(70)}` }, 'amount_too_large'],
  ]
  for (const [changes, code] of refusals) {
    const promise = crossChainSwaps.quote(parseCrossChain({ ...BASE, ...changes }), OPTIONS)
    t.match(await failureOf(promise), { code, status: 400 }, code)
  }
  t.equal(requests.length, 1, 'none of them reached the provider')
})

t.test('a status is asked for by a hash or signature only', async (t) => {
  const asked: unknown[][] = []
  const statuses = new Statuses({
    async status(...args) {
      asked.push(args)
      return Buffer.from('{"status":"PENDING"}')
    },
  })
  const route = xstatus(statuses, STILL, 1_000)
  const exchange = { scope: () => null }
  const get = async (input: unknown) => route.handle(input as never, exchange as never)
  const signature = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQkjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'
  const good = [`0x${'9d'.repeat(32)}`, signature, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v']
  for (const txHash of good) t.equal(String(await get({ txHash })), '{"status":"PENDING"}')
  await get({ txHash: good[0], fromChain: '9270000000000000', toChain: 'base', bridge: 'mayan' })
  t.match(asked[3], [good[0], { fromChain: { key: 'sui' }, toChain: { key: 'base' }, bridge: 'mayan' }])
  const bad = [
    '',
    '0x',
    '9d'.repeat(32),
    `0x${'9d'.repeat(33)}`,
    `${signature}1`,
    '0x$(id)',
    '5c0f7f5e-9a1d-4f7c-8d0b',
  ]
  for (const txHash of bad) {
    t.match(
      await failureOf(get({ txHash })),
      { code: 'invalid_parameter', fields: { field: 'txHash' } },
      txHash,
    )
  }
  const elsewhere = get({ txHash: good[0], toChain: 'ton' })
  t.match(await failureOf(elsewhere), { code: 'unsupported_chain', fields: { field: 'toChain' } })
  t.equal(asked.length, 4)
})

t.test('concurrent identical requests share a route, and later ones do not', async (t) => {
  const { client, market } = await startXprov(t)
  const asked: string[] = []
  const xprov = {
    quote(order: CrossChainOrder, options: Call) {
      asked.push(options.scope.client)
      return client.quote(order, options)
    },
  }
  const crossChainSwaps = new CrossChainSwaps({ xprov, decimals: decimalsOf(market), ...UNSIMULATED })
  const ask = (client: string, changes: Partial<CrossChainQuery> = {}): Promise<Buffer> =>
    crossChainSwaps.quote(parseCrossChain({ ...BASE, ...changes }), OPTIONS.in(new CancellationScope(client)))
  const [first, same, others] = await Promise.all([
    ask('alice'),
    ask('bob'),
    ask('bob', { from: otherEvm, to: evm }),
  ])
  t.same(same, first)
  t.notSame(others, first, 'the sender is part of the question')
  t.same(asked, ['alice', 'bob'])
  await ask('bob')
  t.same(asked, ['alice', 'bob', 'bob'])
  asked.length = 0
  const changes = [
    {},
    { fromChain: 'arbitrum' },
    { toChain: 'arbitrum' },
    { fromToken: USDC },
    { toToken: USDC_ETHEREUM },
    { amount: '0.2' },
    { to: otherEvm },
    { slippage: 0.01 },
    { order: 'FASTEST' },
  ]
  await Promise.all(changes.map((change) => ask('carol', change).catch(() => {})))
  t.equal(asked.length, changes.length, 'each of them is another question')
})

t.test('without a build there is nothing to prove, and no level is needed', async (t) => {
  const { client, market } = await startXprov(t)
  const xprov: Pick<Xprov, 'quote'> = {
    async quote(order, options) {
      const { value, text } = await client.quote(order, options)
      const { transactionRequest: _, ...rest } = value
      return { value: rest, text }
    },
  }
  const rules = { ...UNSIMULATED, minimum: 'proved' } as const
  const crossChainSwaps = new CrossChainSwaps({ xprov, decimals: decimalsOf(market), ...rules })
  const quote = JSON.parse(String(await crossChainSwaps.quote(parseCrossChain(BASE), OPTIONS)))
  t.match(quote, { transactionRequest: null, solanaTransaction: null, suiTransaction: null, approval: null })
  t.notOk('calls' in quote)
  t.match(quote.verification, { level: 'stated', stated: ['recipient', 'minimum'], simulation: null })
  t.notOk(quote.verification.checks.some((check: string) => quote.verification.stated.includes(check)))
})

t.test('a transaction of Solana has the blockhash and the height of our own node', async (t) => {
  const { client, market } = await startXprov(t)
  const decimals = decimalsOf(market)
  const input = parseCrossChain({ ...BASE, fromChain: 'solana', from: solana, to: otherEvm })
  const { blockhash, lastValidBlockHeight } = await UNSIMULATED.blockhash()
  const crossChainSwaps = new CrossChainSwaps({ xprov: client, decimals, ...UNSIMULATED })
  const quote = JSON.parse(String(await crossChainSwaps.quote(input, OPTIONS)))
  t.equal(quote.lastValidBlockHeight, lastValidBlockHeight)
  const wire = new WireTransaction()
  t.equal(wire.parse(Buffer.from(quote.solanaTransaction, 'base64')), null)
  t.strictSame(new Uint8Array(wire.blockhash()), blockhash)

  const silent = new GatewayError('upstream_timeout', 'No answer.')
  const without = { ...UNSIMULATED, blockhash: () => Promise.reject(silent) }
  const failing = new CrossChainSwaps({ xprov: client, decimals, ...without })
  await t.rejects(failing.quote(input, OPTIONS), { code: 'upstream_timeout' }, 'no word of the provider')
  const evmQuote = JSON.parse(String(await failing.quote(parseCrossChain(BASE), OPTIONS)))
  t.notOk('lastValidBlockHeight' in evmQuote, 'no other chain needs the node')
})

t.test('one deadline bounds a quote: the look-up of decimals, the provider and the simulation', async (t) => {
  const { client, market } = await startXprov(t)
  const clock = handClock()
  const deadlines: number[] = []
  const xprov: Pick<Xprov, 'quote'> = {
    async quote(order, options) {
      deadlines.push(options.leftMs)
      const quote = await client.quote(order, options)
      clock.advance(300)
      return quote
    },
  }
  const simulate: Simulate = async (_chain, _material, _wallet, _agreed, { leftMs }) => {
    deadlines.push(leftMs)
    return null
  }
  const known = decimalsOf(market)
  let lookUps = 0
  const decimals: Pick<Decimals, 'addTo'> = {
    async addTo(...asked) {
      if (++lookUps === 1) clock.advance(2_000)
      return known.addTo(...asked)
    },
  }
  const input = { ...BASE, fromChain: 'solana', from: solana, to: otherEvm }
  const at = clockOf({ now: clock.now, date: () => NOW })
  const crossChainSwaps = new CrossChainSwaps({ xprov, decimals, ...UNSIMULATED, simulate, clock: at })
  await crossChainSwaps.quote(parseCrossChain(input), callOf(5_000, null, 'quote', at))
  t.same(deadlines, [3_000, 2_700])
})

t.test(
  'of a cross-chain swap that is refused the caller learns the rule, and the log all of it',
  async (t) => {
    const { client, market } = await startXprov(t)
    const lines: object[] = []
    const log = loggerTo({ write: (line) => void lines.push(JSON.parse(line)) }, 'info')
    // A provider that answers for another wallet than it was asked for.
    const xprov = {
      quote: (order: CrossChainOrder, options: Call) => client.quote({ ...order, from: otherEvm }, options),
    }
    const crossChainSwaps = new CrossChainSwaps({ xprov, decimals: decimalsOf(market), ...UNSIMULATED, log })
    const failure = await failureOf(crossChainSwaps.quote(parseCrossChain(BASE), OPTIONS))
    t.equal(failure.code, 'material_refused')
    t.match(lines, [
      {
        msg: 'material refused',
        provider: 'xprov',
        rule: failure.fields.rule,
        asked: { fromChain: 'base', toChain: 'ethereum', from: evm, amountIn: '100000000000000000' },
        material: { to: /^0x/, data: /^0x/ },
      },
    ])
  },
)

/** The provider, but for the least that it has Mayan's order pay. */
const withMinimum = (client: Xprov, change: (minimum: bigint) => bigint): Pick<Xprov, 'quote'> => ({
  async quote(order, options) {
    const { value, text } = await client.quote(order, options)
    const { name, args } = DIAMOND.read(value.transactionRequest!.data!)!
    const data = args.mayanData
    const swift = SWIFT.read(`0x${Buffer.from(data.protocolData).toString('hex')}`)!
    swift.args.params.minAmountOut = change(swift.args.params.minAmountOut)
    data.protocolData = Buffer.from(SWIFT.write(swift.name, swift.args).slice(2), 'hex')
    const transactionRequest = { ...value.transactionRequest, data: DIAMOND.write(name, args) }
    return { value: { ...value, transactionRequest }, text }
  },
})

t.test(
  'the minimum is proved of whatever token is bought, by decimals that two sources agree on',
  async (t) => {
    const { client, market } = await startXprov(t)
    const decimals = decimalsOf(market)
    const rules = { ...UNSIMULATED, minimum: 'simulated' } as const
    const crossChainSwaps = new CrossChainSwaps({ xprov: client, decimals, ...rules })
    const { verification } = JSON.parse(
      String(await crossChainSwaps.quote(parseCrossChain(TO_BONK), OPTIONS)),
    )
    t.match(verification, { level: 'proved', stated: { length: 0 }, bridge: 'Mayan' })
    t.ok(verification.checks.includes('minimum'))

    for (const change of [() => 0n, () => 1n, (minimum: bigint) => minimum - 1n]) {
      const hostile = new CrossChainSwaps({ xprov: withMinimum(client, change), decimals, ...rules })
      const failure = await failureOf(hostile.quote(parseCrossChain(TO_BONK), OPTIONS))
      t.match(failure, { code: 'material_refused', fields: { rule: 'minimum' } })
    }

    const unknown = {
      addTo: async (...asked: Parameters<typeof decimals.addTo>) => {
        if (asked[1].address !== BONK) return decimals.addTo(...asked)
        throw new GatewayError('upstream_unusable', 'No two sources agree.')
      },
    }
    const broken = {
      addTo: async (...asked: Parameters<typeof decimals.addTo>) => {
        if (asked[1].address !== BONK) return decimals.addTo(...asked)
        throw new TypeError('a bug')
      },
    }
    const failing = new CrossChainSwaps({ xprov: client, decimals: broken, ...rules })
    await t.rejects(failing.quote(parseCrossChain(TO_BONK), OPTIONS), TypeError)

    for (const xprov of [client, withMinimum(client, () => 1n)]) {
      const uncounted = new CrossChainSwaps({ xprov, decimals: unknown, ...rules })
      const failure = await failureOf(uncounted.quote(parseCrossChain(TO_BONK), OPTIONS))
      t.match(failure, { code: 'material_unproved', fields: { rule: 'minimum' } })
      t.match(
        failure.message,
        /its minimum and decimals would be its word alone\. Ask again, or for another token;/,
      )
    }
  },
)

t.test('decimals of the bought token are looked up in parallel with the quote', async (t) => {
  const { client, market } = await startXprov(t)
  const found = decimalsOf(market)
  let answerDecimals = () => {}
  const afterQuote = new Promise<void>((resolve) => (answerDecimals = resolve))
  const decimals = {
    async addTo(...asked: Parameters<typeof found.addTo>) {
      if (asked[1].address === BONK) await afterQuote
      return found.addTo(...asked)
    },
  }
  const xprov = {
    async quote(order: CrossChainOrder, options: Call) {
      const quote = await client.quote(order, options)
      answerDecimals()
      return quote
    },
  }
  const crossChainSwaps = new CrossChainSwaps({ xprov, decimals, ...UNSIMULATED, minimum: 'proved' })
  const proved = JSON.parse(String(await crossChainSwaps.quote(parseCrossChain(TO_BONK), OPTIONS)))
  t.equal(proved.verification.level, 'proved')
})
