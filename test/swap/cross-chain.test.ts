import fc from 'fast-check'
import t from 'tap'
import { memberText } from '../../src/chains/json/member.ts'
import { WRAPPED_SOL_MINT } from '../../src/chains/solana/programs.ts'
import type { CrossChainOrder } from '../../src/proof/order.ts'
import type { Simulate } from '../../src/proof/simulation/simulate.ts'
import type { CallOptions } from '../../src/providers/provider.ts'
import type { Xprov } from '../../src/providers/swap/xprov.ts'
import { xstatus } from '../../src/routes/xstatus.ts'
import { CancellationScope } from '../../src/runtime/cancellation.ts'
import { GatewayError } from '../../src/runtime/errors.ts'
import { loggerTo } from '../../src/runtime/log.ts'
import { CrossChainQuote } from '../../src/runtime/resources.ts'
import { DIAMOND, SWIFT } from '../../src/sandbox/swap/xprov-calldata.ts'
import { CrossChainQuery, CrossChainSwaps, parseCrossChain } from '../../src/swap/cross-chain.ts'
import { Statuses } from '../../src/swap/statuses.ts'
import { Check } from '../fixtures/check.ts'
import { clockOf, handClock } from '../fixtures/clock.ts'
import { failureOf, NOW, OPTIONS } from '../fixtures/provider.ts'
import { decimalsOf, startXprov, UNSIMULATED, WALLETS } from '../fixtures/xprov.ts'

const { evm, otherEvm, solana, sui } = WALLETS
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const USDC_ETHEREUM = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'

const BASE: CrossChainQuery = {
  fromChain: 'base',
  toChain: 'ethereum',
  fromToken: 'native',
  toToken: 'native',
  amount: '0.1',
  from: evm,
}

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
  [{ order: 'fastest' }, 'invalid_parameter', 'order'],
  // The provider's document has dropped it.
  [{ order: 'RECOMMENDED' }, 'invalid_parameter', 'order'],
  [{ order: '' }, 'invalid_parameter', 'order'],
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
    t.equal(JSON.parse(memberText(bytes, ['estimate'])!).toAmountMin, reply.estimate.toAmountMin)
  }
  const bytes = await crossChainSwaps.quote(parseCrossChain(cases[2]![0]), OPTIONS)
  t.match(bytes.toString(), '"fromChain":9270000000000000,', 'an id above 2^53 prints as it stands')
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

t.test('the estimate stands in the reply byte for byte', async (t) => {
  const { client, market } = await startXprov(t)
  const crossChainSwaps = new CrossChainSwaps({
    xprov: {
      async quote(order, options) {
        const { value, text } = await client.quote(order, options)
        return { value, text: text.replace('"estimate":{', '"estimate":{ "big":90071992547409931234,') }
      },
    },
    decimals: decimalsOf(market),
    ...UNSIMULATED,
  })
  const bytes = await crossChainSwaps.quote(parseCrossChain(BASE), OPTIONS)
  t.match(bytes.toString(), '"estimate":{ "big":90071992547409931234,')
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
  const route = xstatus(statuses, 1_000)
  const exchange = { scope: () => null }
  const get = async (input: unknown) => route.handle(input as never, exchange as never, Buffer.alloc(0))
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

t.test('who asks the same at the same time shares a route, and nobody has it later', async (t) => {
  const { client, market } = await startXprov(t)
  const asked: string[] = []
  const xprov = {
    quote(order: CrossChainOrder, options: CallOptions) {
      asked.push(options.scope!.client)
      return client.quote(order, options)
    },
  }
  const crossChainSwaps = new CrossChainSwaps({ xprov, decimals: decimalsOf(market), ...UNSIMULATED })
  const ask = (client: string, changes: Partial<CrossChainQuery> = {}): Promise<Buffer> =>
    crossChainSwaps.quote(parseCrossChain({ ...BASE, ...changes }), {
      ...OPTIONS,
      scope: new CancellationScope(client),
    })
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

t.test('what is not built is not proved, and needs no level', async (t) => {
  const { client, market } = await startXprov(t)
  const xprov: Pick<Xprov, 'quote'> = {
    async quote(order, options) {
      const { value, text } = await client.quote(order, options)
      const { transactionRequest: _, ...rest } = value
      return { value: rest, text }
    },
  }
  const rules = { simulate: UNSIMULATED.simulate, minimum: 'proved' } as const
  const crossChainSwaps = new CrossChainSwaps({ xprov, decimals: decimalsOf(market), ...rules })
  const quote = JSON.parse(String(await crossChainSwaps.quote(parseCrossChain(BASE), OPTIONS)))
  t.match(quote, { transactionRequest: null, solanaTransaction: null, suiTransaction: null, approval: null })
  t.match(quote.verification, { level: 'stated', stated: ['recipient', 'minimum'], simulation: null })
})

t.test('a simulation has what the quote has left of the deadline', async (t) => {
  const { client, market } = await startXprov(t)
  const clock = handClock()
  const deadlines: number[] = []
  const xprov: Pick<Xprov, 'quote'> = {
    async quote(order, options) {
      deadlines.push(options.deadlineMs)
      const quote = await client.quote(order, options)
      clock.advance(300)
      return quote
    },
  }
  const simulate: Simulate = async (_chain, _material, _wallet, _agreed, { deadlineMs }) => {
    deadlines.push(deadlineMs)
    return null
  }
  const decimals = decimalsOf(market)
  const input = { ...BASE, fromChain: 'solana', from: solana, to: otherEvm }
  const at = clockOf({ now: clock.now, date: () => NOW })
  const crossChainSwaps = new CrossChainSwaps({ xprov, decimals, simulate, minimum: 'stated', clock: at })
  await crossChainSwaps.quote(parseCrossChain(input), { ...OPTIONS, deadlineMs: 5_000 })
  t.same(deadlines, [5_000, 4_700])
})

t.test(
  'of a cross-chain swap that is refused the caller learns the rule, and the log all of it',
  async (t) => {
    const { client, market } = await startXprov(t)
    const lines: object[] = []
    const log = loggerTo({ write: (line) => void lines.push(JSON.parse(line)) }, 'info')
    // A provider that answers for another wallet than it was asked for.
    const xprov = {
      quote: (order: CrossChainOrder, options: CallOptions) =>
        client.quote({ ...order, from: otherEvm }, options),
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

/** Mayan counts in eight decimals at most, and no chain file lists this one. */
const BONK = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'
const TO_BONK: CrossChainQuery = { ...BASE, toChain: 'solana', to: solana, toToken: BONK }

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
    const rules = { simulate: async () => null, minimum: 'simulated' } as const
    const crossChainSwaps = new CrossChainSwaps({ xprov: client, decimals, ...rules })
    const { verification } = JSON.parse(
      String(await crossChainSwaps.quote(parseCrossChain(TO_BONK), OPTIONS)),
    )
    t.match(verification, { level: 'proved', stated: [], bridge: 'Mayan' })
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
      t.match(failure.message, /its minimum would be its word alone\. Ask again, or for another token;/)
    }
  },
)

t.test(
  'decimals of what is bought are looked up beside the quote, and waited for where a proof needs them',
  async (t) => {
    const { client, market } = await startXprov(t)
    const found = decimalsOf(market)
    let answerDecimals = () => {}
    const afterQuote = new Promise<void>((resolve) => (answerDecimals = resolve))
    const decimals = {
      async addTo(...asked: Parameters<typeof found.addTo>) {
        if (asked[1].address === BONK) await afterQuote
        if (asked[1].address === USDC_ETHEREUM) await new Promise(() => {})
        return found.addTo(...asked)
      },
    }
    const xprov = {
      async quote(order: CrossChainOrder, options: CallOptions) {
        const quote = await client.quote(order, options)
        answerDecimals()
        return quote
      },
    }
    const crossChainSwaps = new CrossChainSwaps({ xprov, decimals, ...UNSIMULATED, minimum: 'proved' })
    const proved = JSON.parse(String(await crossChainSwaps.quote(parseCrossChain(TO_BONK), OPTIONS)))
    t.equal(proved.verification.level, 'proved')
    const across = { ...BASE, fromToken: USDC, toToken: USDC_ETHEREUM, amount: '250' }
    t.match(JSON.parse(String(await crossChainSwaps.quote(parseCrossChain(across), OPTIONS))).verification, {
      level: 'proved',
    })
  },
)
