import t from 'tap'
import type { BuildOrder } from '../../../src/proof/terms/order.ts'
import { stonfi } from '../../../src/providers/swap/stonfi.ts'
import { stonfi as sandboxStonfi } from '../../../src/sandbox/swap/stonfi.ts'
import { contractAddress } from '../../../src/sandbox/swap/ton.ts'
import { hostileUpstream, http, status } from '../../fixtures/hostile-upstream.ts'
import { failureOf, NOW, OPTIONS, orderOf, startProvider, upstreamTo } from '../../fixtures/provider.ts'

const TON = 'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c'
const USDT = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'
const BUY = orderOf('ton', 'GRAM', 'USDT', 12_500_000_000n)

const SIMULATION = {
  offer_address: TON,
  ask_address: USDT,
  offer_units: '12500000000',
  ask_units: '19204117',
  min_ask_units: '18627993',
  price_impact: '0.000871',
  pool_address: 'EQ…P',
  router_address: 'EQ…R',
}

t.test('quotes what the direct pool gives, asking in the query', async (t) => {
  const { upstream, market, requests } = await startProvider(t, sandboxStonfi)
  const offer = await stonfi({ upstream }).quote(BUY, OPTIONS)
  const hop = market.at(NOW).direct(market.native('ton'), market.find('ton', USDT)!, BUY.amountIn)!
  t.equal(offer.expectedOut, hop.amountOut)
  t.equal(offer.minOut, (hop.amountOut * 9_700n) / 10_000n)
  t.ok(offer.priceImpactPct! > 0 && offer.priceImpactPct! < 5)
  t.match(offer.details.stated, { pool: hop.pool })
  const { method, path, query, text } = requests[0]!
  t.same([method, path, text], ['POST', '/v1/swap/simulate', ''])
  t.strictSame(Object.fromEntries(query), {
    offer_address: TON,
    ask_address: USDT,
    units: '12500000000',
    slippage_tolerance: '0.03',
    dex_v2: 'true',
  })
})

t.test('units beyond 2^53 and every slippage travel exactly', async (t) => {
  const server = await hostileUpstream(t)
  const provider = stonfi({ upstream: upstreamTo(t, server.url, 'stonfi') })
  const answer = {
    ...SIMULATION,
    offer_units: '9007199254740993',
    ask_units: '123456789012345678901234567890',
  }
  server.behaviour = status(200, JSON.stringify(answer))
  for (const [slippageBps, fraction] of [
    [1, '0.0001'],
    [300, '0.03'],
    [5_000, '0.5'],
  ] as const) {
    const offer = await provider.quote({ ...BUY, amountIn: 9_007_199_254_740_993n, slippageBps }, OPTIONS)
    t.match(server.requests.at(-1)!.head, `units=9007199254740993&slippage_tolerance=${fraction}&`)
    t.equal(offer.expectedOut, 123_456_789_012_345_678_901_234_567_890n)
    t.equal(offer.raw, JSON.stringify(answer))
  }
  server.behaviour = status(200, JSON.stringify({ ...SIMULATION, price_impact: '0.0125' }))
  t.equal((await provider.quote(BUY, OPTIONS)).priceImpactPct, 1.25, 'a fraction, positive for a loss')
  server.behaviour = status(200, JSON.stringify({ ...SIMULATION, price_impact: undefined }))
  t.equal((await provider.quote(BUY, OPTIONS)).priceImpactPct, null)
})

t.test('is for quotes only', (t) => {
  const provider = stonfi({ upstream: upstreamTo(t, 'http://127.0.0.1:9', 'stonfi') })
  t.same([provider.label, provider.canBuild, [...provider.chains]], ['stonfi', false, ['ton']])
  const offer = { expectedOut: 1n, minOut: 1n, priceImpactPct: null, details: {}, raw: '{}' }
  t.throws(() => provider.build({ ...BUY, from: USDT } as BuildOrder, offer, OPTIONS), TypeError)
  t.end()
})

t.test('another simulation, and every refusal, has its code', async (t) => {
  const server = await hostileUpstream(t)
  const changed = (changes: object) => JSON.stringify({ ...SIMULATION, ...changes })
  const cases: [status: number, body: string, code: string][] = [
    [200, changed({ ask_address: TON }), 'upstream_unusable'],
    [200, changed({ ask_address: contractAddress('a similar token') }), 'upstream_unusable'],
    [200, changed({ offer_address: USDT }), 'upstream_unusable'],
    [200, changed({ offer_units: '12500000001' }), 'upstream_unusable'],
    [200, changed({ ask_units: '-1' }), 'upstream_unusable'],
    [200, changed({ ask_units: 19_204_117 }), 'upstream_unusable'],
    [200, changed({ ask_units: '1.5' }), 'upstream_unusable'],
    [200, changed({ price_impact: 'NaN' }), 'upstream_unusable'],
    [200, changed({ ask_units: '0' }), 'amount_too_small'],
    [200, 'null', 'upstream_unusable'],
    [200, 'no JSON', 'upstream_unusable'],
    [400, 'Could not find pool: not found', 'no_route'],
    [400, '"Asset not found"', 'unknown_token'],
    [400, 'Offer amount is too small', 'amount_too_small'],
    [400, 'Failed to deserialize query string', 'upstream_status'],
    [403, 'Forbidden', 'upstream_refused'],
    [429, 'Too Many Requests', 'upstream_rate_limited'],
    [503, 'Could not find pool: not found', 'upstream_failed'],
  ]
  for (const [code, body, expected] of cases) {
    server.behaviour = (socket) => socket.write(http(code, body))
    const provider = stonfi({ upstream: upstreamTo(t, server.url, 'stonfi') })
    const failure = await failureOf(provider.quote(BUY, OPTIONS))
    t.equal(failure.code, expected, `${code} ${body}`)
    t.equal(failure.fields.provider, 'stonfi')
  }
})

t.test('the sandbox refuses as the provider does', async (t) => {
  const { upstream } = await startProvider(t, sandboxStonfi)
  const provider = stonfi({ upstream })
  const nowhere = { address: contractAddress('nowhere'), isNative: false, decimals: 9 }
  const cases = [
    [{ ...BUY, tokenOut: nowhere }, 'unknown_token'],
    [orderOf('ton', 'NOT', 'STON', 1_000_000_000n), 'no_route'],
    [orderOf('ton', 'GRAM', 'GHOST', 1_000_000_000n), 'no_route'],
    [{ ...BUY, amountIn: 1n }, 'amount_too_small'],
  ] as const
  for (const [order, code] of cases) t.equal((await failureOf(provider.quote(order, OPTIONS))).code, code)
})
