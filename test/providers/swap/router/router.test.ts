/**
 * A router server of the operator's, behind a whole gateway: what its contract is known by, what is executed, and what a
 * compromised server cannot have.
 */
import t, { type Test } from 'tap'
import { checksummed } from '../../../../src/chains/evm-address.ts'
import { findEvmChain } from '../../../../src/chains/find.ts'
import { verify } from '../../../../src/clients/verify/index.ts'
import { router } from '../../../../src/providers/swap/router/router.ts'
import type { BuildResult } from '../../../../src/runtime/resources/build.ts'
import { OWN, OWN_ROUTER } from '../../../../src/sandbox/evm/own-router.ts'
import { startSandbox } from '../../../../src/sandbox/index.ts'
import { callOf } from '../../../fixtures/call.ts'
import { clockOf, INSTANT } from '../../../fixtures/clock.ts'
import { evmOrder } from '../../../fixtures/evm-orders.ts'
import { listen } from '../../../fixtures/gateway.ts'
import { hostileUpstream, http } from '../../../fixtures/hostile-upstream.ts'
import { idleClock } from '../../../fixtures/idle-clock.ts'
import { upstreamTo } from '../../../fixtures/provider.ts'
import { EVM_WALLET, getQuote, type Json, postBuild, SWAPS, USDC } from '../../../fixtures/swaps.ts'

type Built = BuildResult & { readonly code?: string; readonly rule?: string }

const ALONE = { KYBERSWAP_URL: 'off', VELORA_URL: 'off', UNISWAP_V2: 'off', UNISWAP_V3: 'off' }
const BUY = SWAPS.base
const SELL = { ...BUY, side: 'sell', amount: '25' }

/** The operator's server is in a sandbox of its own, whose node executes; the clock passes while all are idle. */
async function start(
  t: Test,
  { path = '', contracts = [OWN_ROUTER], more = {} as Record<string, string> } = {},
) {
  const world = await startSandbox({ now: () => INSTANT })
  t.teardown(() => world.close())
  const idle = idleClock()
  const clock = clockOf({ now: idle.now, date: () => INSTANT, after: idle.after })
  const server = [`${world.urls.router}/base${path}`, ...contracts].join()
  const environment = {
    LIMITS: 'swap=off',
    ...ALONE,
    ROUTER_URL_BASE: server,
    RPC_URLS_BASE: world.evmUrl('base'),
    ...more,
  }
  const deadlines = { softMs: 600, hardMs: 1_000, buildMs: 1_000 }
  const { url, log } = await listen(t, environment, { clock, deadlines })
  const quoteOf = async (order: Json | object) =>
    (await (await idle.meanwhile(getQuote(url, order as Json))).json()) as Json & { code?: string }
  const buildOf = async (order: object, more: object = {}) => {
    const quote = await quoteOf(order)
    const built = await idle.meanwhile(postBuild(url, { ...order, quote, ...more }))
    return { quote, status: built.status, body: (await built.json()) as Built }
  }
  return { dials: world.dials, url, log, quoteOf, buildOf }
}

t.test('a call of a known router is proved by its bytes', async (t) => {
  for (const more of [{}, { MIN_VERIFICATION: 'proved' }]) {
    const { buildOf } = await start(t, { path: '/known', contracts: [], more })
    for (const order of [BUY, SELL]) {
      const { status, body, quote } = await buildOf(order)
      t.equal(status, 200, String(body.code))
      t.match(body, { provider: 'router', verification: { level: 'proved' } })
      t.notOk('guards' in body)
      const asked = { ...order, minOut: String(quote.minOut) }
      t.match(await verify(asked as never, body, { now: () => INSTANT }), { isVerified: true })
    }
  }
})

t.test('a contract that the operator named is executed, and its batch is guarded', async (t) => {
  const { buildOf, quoteOf } = await start(t)
  for (const order of [BUY, SELL]) {
    const { status, body, quote } = await buildOf(order)
    t.equal(status, 200, String(body.code))
    t.equal(body.to?.toLowerCase(), OWN_ROUTER)
    t.match(body, {
      provider: 'router',
      atomicRequired: true,
      guards: { by: 'calls', enforced: [{ account: EVM_WALLET, atLeast: /^[1-9]/ }] },
      verification: {
        level: 'simulated',
        stated: { length: 0 },
        simulation: { changes: [{}, {}] },
        minOut: quote.minOut,
      },
    })
    t.equal(body.calls?.length, order === BUY ? 2 : 3)
    t.match(body.costs, [{ kind: 'network_fee' }])
    const asked = { ...order, minOut: String(quote.minOut) }
    const verdict = await verify(asked as never, body, { now: () => INSTANT })
    t.match(verdict, { isVerified: false, rule: 'to' }, 'a wallet does not know whom the operator named')
  }
  t.match(await quoteOf({ ...BUY, verification: 'proved' }), { code: 'invalid_parameter' })
})

t.test(
  'nothing but known routers is called where an execution is not enough, or nothing guards',
  async (t) => {
    const strict = await start(t, { more: { MIN_VERIFICATION: 'proved' } })
    t.match(await strict.buildOf(BUY), { body: { code: 'material_refused', rule: 'to' } })
    const known = await start(t, { path: '/known', more: { MIN_VERIFICATION: 'proved' } })
    t.match(await known.buildOf(BUY), { status: 200, body: { verification: { level: 'proved' } } })
    const unnamed = await start(t, { contracts: [] })
    t.match(await unnamed.buildOf(BUY), { body: { code: 'material_refused', rule: 'to' } })
  },
)

t.test('a compromised server robs nobody', async (t) => {
  const { dials, buildOf, log } = await start(t)
  const rules = async (order: object, count: number) => {
    dials.set('router', 'steal')
    const found: unknown[] = []
    for (let i = 0; i < count; i++) {
      const { status, body } = await buildOf(order)
      found.push(status === 200 ? body.verification : body.rule)
    }
    dials.set('router', null)
    return found
  }
  // Each answer is robbed in the next way, the quote's and the build's: two rounds have them all.
  t.same(new Set(await rules(SELL, 10)), new Set(['simulation', 'approval', 'value', 'to']))
  // The native coin needs no approval, and so has no spender.
  t.same(new Set(await rules(BUY, 8)), new Set(['simulation', 'value', 'to']))
  t.match(await buildOf(BUY), { status: 200 }, 'honest again')
  t.notMatch(JSON.stringify(log), /127\.0\.0\.1:\d+\/base/, 'its URL is nowhere')
})

t.test('a server that is slow, dead or says something else costs the others nothing', async (t) => {
  const more = { KYBERSWAP_URL: 'https://aggregator-api.kyberswap.com' }
  for (const [fault, alternative] of [
    ['500', { outcome: 'failed', code: 'upstream_failed' }],
    ['429', { outcome: 'failed', code: 'upstream_rate_limited' }],
    ['garbage', { outcome: 'failed', code: 'upstream_unusable' }],
    ['hang', { outcome: 'late' }],
  ] as const) {
    const { dials, quoteOf } = await start(t, { more })
    dials.set('router', fault)
    const { provider, route } = await quoteOf(BUY)
    t.equal(provider, 'kyberswap', fault)
    t.match(route.alternatives, [{ provider: 'router', ...alternative }], fault)
  }
})

t.test('an answer is for the order, or it is none', async (t) => {
  const server = await hostileUpstream(t)
  const idle = idleClock()
  const clock = clockOf({ now: idle.now, date: () => INSTANT, after: idle.after })
  const environment = { LIMITS: 'swap=off', ...ALONE, ROUTER_URL_BASE: `${server.url},${OWN_ROUTER}` }
  const { url } = await listen(t, environment, { clock })
  const swap = { tokenIn: EVM_WALLET, amountIn: 1n, tokenOut: USDC.base, minOut: 1n, receiver: EVM_WALLET }
  const transaction = { to: OWN_ROUTER, value: '1500000000000000000', data: OWN.write('swap', swap) }
  const solved = { status: 'success', amount_in: '1500000000000000000', amount_out: '900', transaction }
  const fees = { max_slippage: '7', min_amount_received: '850' }
  const cases: readonly (readonly [status: number, body: object, expected: object])[] = [
    [200, { orders: [solved] }, { expectedOut: '900', minOut: '873' }],
    [200, { orders: [{ ...solved, fee_breakdown: fees }] }, { expectedOut: '857', minOut: '831' }],
    [200, { orders: [{ ...solved, amount_in: '1' }] }, { code: 'upstream_unusable' }],
    [200, { orders: [solved, solved] }, { code: 'upstream_unusable' }],
    [200, { orders: [{ ...solved, amount_out: '0' }] }, { code: 'amount_too_small' }],
    [
      200,
      { orders: [{ ...solved, transaction: { ...transaction, to: '0x' } }] },
      { code: 'upstream_unusable' },
    ],
    [200, { orders: [{ status: 'no_route_found' }] }, { code: 'no_route' }],
    [200, { orders: [{ status: 'timeout' }] }, { code: 'upstream_unusable' }],
    [422, { code: 'INSUFFICIENT_LIQUIDITY' }, { code: 'amount_too_large' }],
    [422, { code: 'NO_ROUTE_FOUND' }, { code: 'no_route' }],
    [503, { code: 'STALE_DATA' }, { code: 'upstream_failed' }],
  ]
  for (const [at, [status, body, expected]] of cases.entries()) {
    server.behaviour = (socket) => socket.write(http(status, JSON.stringify(body)))
    const quote = await (await idle.meanwhile(getQuote(url, { ...BUY, slippageBps: 300 + at }))).json()
    if ('expectedOut' in expected) t.match(quote, { provider: 'router', expectedOut: expected.expectedOut })
    else t.match(quote, expected, JSON.stringify(body).slice(0, 80))
  }
})

t.test(
  'its contract and calldata are handed out in canonical form, and no contract that is not called',
  async (t) => {
    const server = await hostileUpstream(t)
    const chain = findEvmChain('base')!
    const order = evmOrder('base', 'USDC', 'AERO', 250n)
    const upstream = upstreamTo(t, server.url, 'router')
    const adapter = router({ upstream, chain, contracts: [OWN_ROUTER] })
    const answering = (to: string): void => {
      const transaction = { to, spender: to, value: '000', data: '0xABcd' }
      const solved = { status: 'success', amount_in: '250', amount_out: '900', transaction }
      server.behaviour = (socket) => socket.write(http(200, JSON.stringify({ orders: [solved] })))
    }
    for (const contract of [OWN_ROUTER, chain.v2Routers[0]!.address]) {
      const to = checksummed(contract.toLowerCase())
      answering(contract.toLowerCase())
      const offer = await adapter.quote(order, callOf())
      t.match(offer.details, { routerAddress: to })
      const built = await adapter.build(order, offer, callOf())
      const approval = { token: order.tokenIn.address, spender: to, amount: '250' }
      t.same(built, { kind: 'evm', to, value: '0', data: '0xabcd', approval, expectedOut: '900' })
    }
    answering('0x00000000000000000000000000000000deadbeef')
    const { details, minOut } = await adapter.quote(order, callOf())
    t.equal(minOut, 873n)
    t.notOk('routerAddress' in details)
  },
)
