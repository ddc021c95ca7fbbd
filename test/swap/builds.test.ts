import t from 'tap'
import { minOut } from '../../src/chains/amount.ts'
import { findChain } from '../../src/chains/find.ts'
import { CancellationScope } from '../../src/flow/cancellation.ts'
import { createCounts } from '../../src/http/counts/counts.ts'
import { LIFE_MS } from '../../src/http/counts/promises.ts'
import type { BuildOrder, Order } from '../../src/proof/terms/order.ts'
import { evmGuard } from '../../src/providers/evm-guards.ts'
import type { Proved, ProvedProvider } from '../../src/providers/proved.ts'
import type { Offer } from '../../src/providers/provider.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { GatewayError } from '../../src/runtime/errors.ts'
import type { Level } from '../../src/runtime/levels.ts'
import { Builds, parseReturnedQuote } from '../../src/swap/builds.ts'
import type { Decimals } from '../../src/swap/decimals.ts'
import { parseRequest, requireGuardable } from '../../src/swap/order.ts'
import { Quotes } from '../../src/swap/quotes.ts'
import { Sealer } from '../../src/swap/seal.ts'
import { clockOf, INSTANT, nextTurn } from '../fixtures/clock.ts'
import { SOLANA_WALLET } from '../fixtures/swaps.ts'
import { uninformed, WITHOUT_NONCES } from '../fixtures/uninformed.ts'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const OTHER_WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'
const FRESH_MS = 10_000

interface Market {
  expectedOut: bigint
  /** What comes after it, once it was asked for. */
  next?: bigint
  readonly asked: string[]
  /** The deadlines that it was asked with, ms. */
  readonly deadlines: number[]
  readonly built: Offer[]
  /** The orders that those were built for. */
  readonly orders: Order[]
  material?: Proved['material']
  /** The minimum that its bytes hold. */
  held?: string
  /** What it answers in place of an offer, or of a build. */
  failure?: GatewayError
  buildFailure?: GatewayError
  /** Absent: that of its chain. */
  reaches?: Level
  /** Whether it builds for a receiver that is not the wallet. */
  paysOthers?: boolean
  /** Whether what it builds is let out with guards alone. */
  needsGuards?: boolean
  /** What happens while it is asked. */
  meanwhile?: () => void
  /** It never answers a build: moves the clock to its deadline. */
  hangs?: (ms: number) => void
  /** What happens while the token's decimals are looked up. */
  lookingUp?: () => void
}

const RECEIVER = '0x52908400098527886E0F7030069857D2E4169EE7'

function marketOf(expectedOut: bigint): Market {
  return { expectedOut, asked: [], deadlines: [], built: [], orders: [] }
}

function provider(label: string, market: Market): ProvedProvider {
  const material: Proved['material'] = {
    kind: 'evm',
    to: '0xrouter',
    data: '0x00',
    value: '0',
    approval: null,
  }
  return {
    label,
    freshMs: FRESH_MS,
    chains: new Set(['base']),
    ...(market.reaches && { reaches: market.reaches }),
    ...(market.paysOthers && { paysOthers: true }),
    ...(market.needsGuards && { needsGuards: true }),
    async quote({ slippageBps }, { leftMs }) {
      market.asked.push(label)
      market.deadlines.push(leftMs)
      market.meanwhile?.()
      if (market.failure !== undefined) throw market.failure
      const { expectedOut, next } = market
      if (next !== undefined) market.expectedOut = next
      return {
        expectedOut,
        minOut: minOut(expectedOut, slippageBps),
        priceImpactPct: null,
        details: {},
        raw: `{"n":${expectedOut}}`,
      }
    },
    async buildProved(order, offer, { leftMs }) {
      market.deadlines.push(leftMs)
      market.built.push(offer)
      market.orders.push(order)
      if (market.hangs !== undefined) {
        market.hangs(leftMs)
        throw new GatewayError('upstream_timeout', 'It is late.', { scope: 'provider' })
      }
      if (market.buildFailure !== undefined) throw market.buildFailure
      return {
        material: market.material ?? material,
        verification: {
          level: 'proved',
          checks: ['to'],
          stated: [],
          simulation: null,
          ...(market.held !== undefined && { minOut: market.held }),
        },
      }
    },
  }
}

/**
 * @param later   providers that are there only once it comes to a build
 * @param others  those with a market of their own
 * @param after   the timers of builds; then races have none, and wait for every provider
 */
async function quoted(
  labels: readonly string[],
  later: readonly string[] = [],
  others: Readonly<Record<string, Market>> = {},
  after?: Clock['after'],
) {
  const market = marketOf(1_000_000n)
  const listed = labels.map((label) => provider(label, others[label] ?? market))
  const decimals = {
    async addTo(_chain: unknown, token: { address: string; isNative: boolean }) {
      market.lookingUp?.()
      return { ...token, decimals: 6 }
    },
  } as unknown as Decimals
  const providers = new Map([['base', listed]])
  let now = INSTANT
  const common = { ...uninformed(), providers, decimals, sealer: new Sealer('secret') }
  const request = parseRequest({
    chain: 'base',
    side: 'buy',
    token: USDC,
    amount: '1',
    slippageBps: 300,
    from: WALLET,
  })
  const hands = { date: () => now, now: () => now }
  const quotes = new Quotes({
    ...common,
    clock: clockOf({ ...hands, ...(after && { after: () => () => {} }) }),
  })
  const quote = await quotes.quote(request, null)
  now = quote.route.asOf
  const counts = createCounts(clockOf({ date: () => quote.route.asOf }))
  listed.push(...later.map((label) => provider(label, market)))
  const nodes: { held: bigint | null } = { held: 0n }
  const word = () => nodes.held && `0x${nodes.held.toString(16).padStart(64, '0')}`
  const evm = () => ({ call: async () => word() as string | null, query: async () => null })
  const builds = new Builds({
    ...common,
    ...WITHOUT_NONCES,
    quotes,
    evm,
    counts,
    clock: clockOf({ ...hands, ...(after && { after }) }),
  })
  market.asked.length = 0
  return {
    market,
    quote,
    listed,
    nodes,
    counted: () => counts.funnel.days().today.totals.build,
    wait: (ms: number) => (now += ms),
    build: (changes: { readonly request?: object; readonly quote?: object } = {}) =>
      builds.build(
        { ...request, from: WALLET, ...changes.request },
        parseReturnedQuote({ ...quote, ...changes.quote }),
        new CancellationScope(),
      ),
  }
}

t.test('the last of the calls checks what arrived, where guards are asked for', async (t) => {
  const { market, build, nodes } = await quoted(['a'])
  nodes.held = 5_000_000n
  const router = '0xfdf682f51fe81aa4898f0ae2163d8a55c127fbc7'
  const terms = `0x00${USDC.slice(2)}${WALLET.slice(2)}${(970_000).toString(16).padStart(64, '0')}`
  const result = await build({ request: { guards: true } })
  t.match(result, {
    guards: {
      by: 'calls',
      enforced: [{ account: WALLET, token: USDC, atLeast: '5970000', leftOut: { length: 0 } }],
      terms: [{ terms: terms.toLowerCase() }],
    },
    atomicRequired: true,
    calls: [{ to: '0xrouter' }, { to: router, value: '0x0' }],
  })
  t.equal(result.calls!.length, 2)
  t.equal(market.built.length, 1)
  t.notMatch(await build(), { guards: {} }, 'only where they are asked for')

  // The gas that is paid first is not demanded, and the minimum always is.
  const coin = { isNative: true, address: USDC, decimals: 18 }
  const native = { ...(market.orders[0] as BuildOrder), tokenOut: coin }
  const demanded = (before: bigint, gas: bigint) => BigInt(evmGuard(native, 970n, before, gas).call.value)
  t.equal(demanded(10_000n, 400n), 10_570n)
  t.equal(demanded(300n, 400n), 970n)
  const refusal = { code: 'material_unproved', fields: { rule: 'guards' } }
  t.throws(() => evmGuard(native, 970n, 10_000n, null), refusal, 'its gas is not known')
  nodes.held = null
  await t.rejects(build({ request: { guards: true } }), refusal, 'no node says what it holds')
})

t.test('guards and room are asked for where there can be some', (t) => {
  const chainOf = (key: string) => ({ chain: findChain(key)!, side: 'sell', against: null }) as const
  const guards = { guards: true }
  for (const key of ['base', 'solana', 'sui', 'ton'])
    t.doesNotThrow(() => requireGuardable(guards, chainOf(key)))
  const refusal = { code: 'invalid_parameter', status: 400, fields: { field: 'guards' } }
  t.throws(() => requireGuardable(guards, chainOf('scroll')), refusal)
  t.doesNotThrow(() => requireGuardable({ guards: false }, chainOf('scroll')))
  const room = { headroomBytes: 100 }
  t.doesNotThrow(() => requireGuardable(room, chainOf('solana')))
  t.throws(() => requireGuardable(room, chainOf('base')), { ...refusal, fields: { field: 'headroomBytes' } })
  const receiver = RECEIVER
  t.throws(
    () => requireGuardable(guards, { ...chainOf('base'), receiver }),
    refusal,
    'the coin of another wallet',
  )
  t.doesNotThrow(() => requireGuardable(guards, { ...chainOf('base'), side: 'buy', receiver }))
  t.throws(() => requireGuardable(guards, { ...chainOf('solana'), side: 'buy', receiver: SOLANA_WALLET }), {
    code: 'invalid_parameter',
    fields: { field: 'guards' },
    message: /accounts of the wallet that signs/,
  })
  t.end()
})

t.test('a fresh quote is built from its own raw answer', async (t) => {
  const { market, quote, wait, build, counted } = await quoted(['a'])
  t.equal(quote.route.buildBy, 'a')
  wait(FRESH_MS)
  const result = await build()
  t.equal(counted(), 1)
  t.same(market.asked, [], 'nobody is asked again')
  t.equal(market.built[0]?.raw, quote.route.raw)
  t.match(result, {
    provider: 'a',
    chain: 'base',
    chainId: findChain('base')?.chainId,
    from: WALLET,
    expectedOut: '1000000',
    minOut: '970000',
    verification: { checks: ['to'] },
  })
})

t.test('a quote that is no longer fresh is requested again, from the same provider', async (t) => {
  const { market, wait, build } = await quoted(['a', 'b'])
  wait(FRESH_MS + 1)
  market.expectedOut = 1_010_000n
  const result = await build()
  t.same(market.asked, ['a'])
  t.equal(market.built[0]?.raw, '{"n":1010000}')
  t.match(result, { expectedOut: '1010000', minOut: '979700' })
})

t.test('where the market fell, with the slippage that keeps the old minimum', async (t) => {
  const { market, wait, build } = await quoted(['a'])
  wait(FRESH_MS + 1)
  for (const expectedOut of [999_999n, 985_000n, 970_100n]) {
    market.expectedOut = expectedOut
    market.asked.length = 0
    const { minOut } = await build()
    t.same(market.asked, ['a', 'a'])
    t.equal(market.orders.at(-1)?.slippageBps, Number(((expectedOut - 970_000n) * 10_000n) / expectedOut))
    t.ok(
      BigInt(minOut!) >= 970_000n && BigInt(minOut!) <= expectedOut,
      `${expectedOut} gives at least ${minOut}`,
    )
  }
  market.expectedOut = 970_000n
  await t.rejects(build(), { name: 'GatewayError', code: 'quote_moved' }, 'no slippage is left')
})

t.test('and refused, with both figures, when the market moved below its minimum', async (t) => {
  const { market, wait, build, counted } = await quoted(['a'])
  wait(FRESH_MS + 1)
  market.expectedOut = 969_999n
  await t.rejects(build(), {
    name: 'GatewayError',
    code: 'quote_moved',
    status: 400,
    fields: { minOut: '970000', expectedOut: '969999' },
  })
  t.same(market.built, [])
  t.equal(counted(), 0)
})

t.test('within the time of a quote, the next best provider gives its minimum', async (t) => {
  const others = { b: marketOf(990_000n), c: marketOf(980_000n) }
  const { market, wait, build, counted, nodes } = await quoted(['a', 'b', 'c'], [], others)
  nodes.held = 5n
  wait(LIFE_MS)
  market.expectedOut = 969_999n
  const result = await build({ request: { guards: true } })
  t.match(result, {
    provider: 'b',
    insteadOf: { provider: 'a', code: 'quote_moved' },
    guards: { by: 'calls' },
  })
  // 990,000 less the slippage that was asked for is below the agreed minimum: it is asked again with less.
  t.equal(others.b.orders[0]!.slippageBps, 202)
  t.match(others.b.orders[0], { from: WALLET, guards: true })
  t.ok(BigInt(result.minOut) >= 970_000n && BigInt(result.minOut) < 990_000n)
  t.equal(others.c.built.length, 0)
  t.equal(counted(), 1, 'as one build')

  others.b.buildFailure = new GatewayError('upstream_failed', 'It failed.', { scope: 'provider' })
  t.match(
    await build(),
    { provider: 'c', insteadOf: { provider: 'a', code: 'quote_moved' } },
    'the one after it',
  )
  wait(1)
  await t.rejects(
    build(),
    { code: 'quote_moved', fields: { provider: 'a', expectedOut: '969999' } },
    'after its time',
  )
})

t.test('and where none does, the first failure is the answer', async (t) => {
  const others = { b: marketOf(970_000n) }
  const { market, wait, build, counted } = await quoted(['a', 'b'], [], others)
  wait(LIFE_MS - 3_000)
  market.expectedOut = 969_998n
  await t.rejects(build(), { code: 'quote_moved', fields: { provider: 'a', expectedOut: '969998' } })
  wait(3_000)
  others.b.failure = new GatewayError('no_route', 'There is no route.')
  market.failure = new GatewayError('upstream_timeout', 'It is late.', { scope: 'provider' })
  await t.rejects(build(), { code: 'upstream_timeout' }, 'also where the race comes to nothing')
  t.same([market.built, others.b.built, counted()], [[], [], 0])
})

t.test('a provider that fails is replaced as well, while its offer is fresh', async (t) => {
  const others = { b: marketOf(999_000n) }
  for (const code of ['upstream_unavailable', 'upstream_timeout', 'no_route'] as const) {
    const { market, build } = await quoted(['a', 'b'], [], others)
    market.buildFailure = new GatewayError(code, 'It failed.', { scope: 'provider' })
    const insteadOf = { provider: 'a', code }
    t.match(await build(), { provider: 'b', insteadOf, minOut: '970029' }, code)
  }
})

t.test('a provider that hangs leaves time for the next, and has all of it where there is none', async (t) => {
  const others = { b: marketOf(999_000n) }
  for (const labels of [['a', 'b'], ['a']]) {
    const { market, build, wait } = await quoted(labels, [], others)
    market.hangs = wait
    others.b.deadlines.length = 0
    market.deadlines.length = 0
    const built = build()
    if (labels.length === 1) await t.rejects(built, { code: 'upstream_timeout' })
    else t.match(await built, { provider: 'b', insteadOf: { provider: 'a', code: 'upstream_timeout' } })
    t.equal(market.deadlines[0], labels.length === 1 ? 10_000 : 6_000)
    t.same(others.b.deadlines.slice(1), labels.length === 1 ? [] : [4_000, 4_000], 'what is left')
  }
})

t.test('and a race that hangs is waited for no longer than the build may take', async (t) => {
  const waits = new Set<number>()
  const after: Clock['after'] = (ms, run) => {
    waits.add(ms)
    return nextTurn(ms, run)
  }
  const { market, listed, build, wait } = await quoted(['a', 'b'], [], { b: marketOf(999_000n) }, after)
  listed[1]!.quote = () => new Promise(() => {})
  market.hangs = wait
  await t.rejects(build(), { code: 'upstream_timeout' })
  t.ok(waits.has(4_000))
})

t.test('only by one that pays the same receiver', async (t) => {
  const paying = (expectedOut: bigint) => ({ ...marketOf(expectedOut), paysOthers: true })
  const others: Record<'a' | 'b' | 'c', Market> = {
    a: paying(1_000_000n),
    b: marketOf(999_000n),
    c: paying(990_000n),
  }
  const { build } = await quoted(['a', 'b', 'c'], [], others)
  others.b.asked.length = 0
  others.a.buildFailure = new GatewayError('no_route', 'There is none.', { scope: 'provider' })
  t.match(await build({ request: { receiver: RECEIVER } }), { provider: 'c', insteadOf: { provider: 'a' } })
  t.match(others.c.orders, [{ receiver: RECEIVER }])
  t.same(others.b.asked, [])
})

t.test('and by nobody who needs guards that were not prepared', async (t) => {
  const simulated = { ...marketOf(1_000_000n), reaches: 'simulated' as const }
  simulated.buildFailure = new GatewayError('no_route', 'There is none.', { scope: 'provider' })
  const guarded = { ...marketOf(990_000n), reaches: 'simulated' as const, needsGuards: true }
  const { build } = await quoted(['a', 'b'], [], { a: simulated, b: guarded })
  await t.rejects(build(), { code: 'no_route' })
  t.same(guarded.built, [])
})

t.test('but no other failure, and by nobody whose builds are proved less', async (t) => {
  const others = { b: marketOf(999_000n) }
  const failures = [
    new GatewayError('material_refused', 'It is another.', { provider: 'a', rule: 'to' }),
    new GatewayError('material_unproved', 'It cannot be proved.', { rule: 'guards' }),
    new GatewayError('insufficient_balance', 'There is too little.'),
    new GatewayError('upstream_failed', 'The node failed.', { scope: 'rpc' }),
  ]
  for (const failure of failures) {
    const { market, build } = await quoted(['a', 'b'], [], others)
    market.buildFailure = failure
    await t.rejects(build(), { code: failure.code }, failure.message)
  }
  const lower = { ...marketOf(999_000n), reaches: 'simulated' as const }
  const { market, build } = await quoted(['a', 'b'], [], { b: lower })
  market.buildFailure = new GatewayError('no_route', 'There is no route.')
  await t.rejects(build(), { code: 'no_route' }, 'a lower level')
  t.same([others.b.built, lower.built], [[], []])
})

t.test('one deadline bounds a build: the look-up of decimals, both questions and the material', async (t) => {
  const { market, wait, build } = await quoted(['a'])
  wait(FRESH_MS + 1)
  market.expectedOut = 985_000n
  market.deadlines.length = 0
  market.lookingUp = () => wait(2_000)
  market.meanwhile = () => wait(700)
  await build()
  t.same(market.deadlines, [8_000, 7_300, 6_600])
})

t.test('a build has the fields of its material, and no others', async (t) => {
  const { market, build } = await quoted(['a'])
  const cases: [material: Proved['material'], fields: object][] = [
    [
      { kind: 'solana', transaction: 'AQ==', lastValidBlockHeight: 77, extra: { requestId: 'r' } },
      {
        swapTransaction: 'AQ==',
        solanaTransaction: 'AQ==',
        headroomBytes: 1_231,
        lastValidBlockHeight: 77,
        requestId: 'r',
      },
    ],
    [
      { kind: 'solana', transaction: 'AQ==', lastValidBlockHeight: null, extra: {} },
      { swapTransaction: 'AQ==', solanaTransaction: 'AQ==', headroomBytes: 1_231 },
    ],
    [{ kind: 'sui', transaction: 'AQ==' }, { suiTransaction: 'AQ==' }],
    [
      { kind: 'evm', to: '0x1', data: '0x', value: '20', approval: null },
      {
        to: '0x1',
        data: '0x',
        value: '20',
        approval: null,
        transactionRequest: { from: WALLET, to: '0x1', chainId: '0x2105', data: '0x', value: '0x14' },
        calls: [{ to: '0x1', data: '0x', value: '0x14' }],
        atomicRequired: false,
      },
    ],
    ...[null, 'te6cc='].map((stateInit): [Proved['material'], object] => {
      const message = { to: 'EQ', value: '7', payload: 'te6cc', stateInit, validUntil: 99, from: WALLET }
      const { to: address, value: amount, payload } = message
      const sent = stateInit === null ? { address, amount, payload } : { address, amount, payload, stateInit }
      const tonConnect = { validUntil: 99, from: WALLET, network: '-239', messages: [sent] }
      return [
        { kind: 'ton', message },
        { tonMessage: message, tonConnect },
      ]
    }),
  ]
  for (const [material, fields] of cases) {
    market.material = material
    const built = await build()
    const { provider, chain, chainId, from, expectedOut, minOut, verification, costs, ...rest } = built
    t.strictSame(rest, { ...fields, costsComplete: false }, material.kind)
  }
})

t.test(
  'a build answers what its bytes hold, and what the provider expects of them where that can be',
  async (t) => {
    const { market, build } = await quoted(['a'])
    const evm = { kind: 'evm', to: '0x1', data: '0x', value: '20', approval: null } as const
    const solana = { kind: 'solana', transaction: 'AQ==', lastValidBlockHeight: 1 } as const
    const materialOf = (expectedOut?: string) => [
      { ...evm, ...(expectedOut !== undefined && { expectedOut }) },
      { ...solana, extra: expectedOut === undefined ? {} : { expectedOut } },
    ]
    const cases: [held: string, stated: string | undefined, expectedOut: string][] = [
      ['970000', undefined, '1000000'],
      ['970000', '999999', '999999'],
      ['1067000', '1100000', '1100000'],
      ['1067000', undefined, '1067000'],
      ['970000', '969999', '1000000'],
      ['970000', '1250001', '1000000'],
      ['970000', String(2n ** 256n), '1000000'],
    ]
    for (const [held, stated, expectedOut] of cases) {
      market.held = held
      for (const material of materialOf(stated)) {
        market.material = material
        t.match(await build(), { minOut: held, expectedOut }, `${material.kind}: ${held} of ${stated}`)
      }
    }
  },
)

t.test('and refused when it falls again while the provider is asked with that slippage', async (t) => {
  const { market, wait, build } = await quoted(['a'])
  wait(FRESH_MS + 1)
  // 985,000 leaves 152 bps, and that much less than 984,971 is below the agreed 970,000.
  market.expectedOut = 985_000n
  market.next = 984_971n
  await t.rejects(build(), {
    code: 'quote_moved',
    fields: { provider: 'a', minOut: '970000', expectedOut: '984971' },
  })
  t.same(market.asked, ['a', 'a'])
  t.same(market.built, [])
  market.expectedOut = 985_000n
  market.next = 984_972n
  t.match(await build(), { minOut: '970000' }, 'exactly the agreed minimum is enough')
})

t.test('what was changed in a quote, or is asked with it, is not built from', async (t) => {
  const { market, quote, build } = await quoted(['a'], ['b'])
  const changes: readonly Parameters<typeof build>[0][] = [
    { quote: { provider: 'b' } },
    { quote: { provider: 'nobody' } },
    { quote: { expectedOut: '1000001' } },
    { quote: { minOut: '1' } },
    { quote: { route: { ...quote.route, raw: '{"n":1}' } } },
    { quote: { route: { ...quote.route, asOf: quote.route.asOf + 1 } } },
    {
      quote: {
        route: {
          ...quote.route,
          seal: quote.route.seal.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
        },
      },
    },
    { request: { side: 'sell' } },
    { request: { amount: '2' } },
    { request: { slippageBps: 301 } },
    { request: { token: WALLET } },
  ]
  for (const change of changes) {
    await t.rejects(
      build(change),
      { code: 'quote_mismatch', fields: { field: 'quote' } },
      JSON.stringify(change),
    )
  }
  t.same([market.asked, market.built], [[], []])
  t.match(await build({ request: { from: OTHER_WALLET } }), { from: OTHER_WALLET }, 'any wallet may build it')
})

t.test('a quote of a provider that is configured no more is not built from', async (t) => {
  const { listed, build } = await quoted(['a'], ['b'])
  listed.shift()
  await t.rejects(build(), { code: 'quote_mismatch' })
})

t.test('the part of a quote that is missing is named', async (t) => {
  const { quote } = await quoted(['a'])
  const { route, ...rest } = quote
  const cases: [quote: unknown, field: string][] = [
    [null, 'quote'],
    [{ ...rest }, 'quote.route'],
    [{ ...quote, minOut: 970_000 }, 'quote.minOut'],
    [{ ...quote, expectedOut: null }, 'quote.expectedOut'],
    [{ ...quote, route: { ...route, seal: undefined } }, 'quote.route.seal'],
    [{ ...quote, route: { ...route, asOf: 'now' } }, 'quote.route.asOf'],
  ]
  for (const [broken, field] of cases) {
    const given = JSON.parse(JSON.stringify(broken))
    t.throws(() => parseReturnedQuote(given), { name: 'GatewayError', fields: { field } }, field)
  }
})
