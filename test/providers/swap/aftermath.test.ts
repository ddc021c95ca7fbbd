import t from 'tap'
import type { BuildOrder } from '../../../src/proof/terms/order.ts'
import { aftermath } from '../../../src/providers/swap/aftermath.ts'
import { aftermath as sandboxAftermath } from '../../../src/sandbox/swap/aftermath.ts'
import { hostileUpstream, http, status } from '../../fixtures/hostile-upstream.ts'
import { failureOf, NOW, OPTIONS, orderOf, startProvider, upstreamTo } from '../../fixtures/provider.ts'

const USDC = '0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC'
const LONG_SUI = `0x${'2'.padStart(64, '0')}::sui::SUI`
const BUY = orderOf('sui', 'SUI', 'USDC', 5_000_000_000n)

const ROUTE = {
  routes: [{ paths: [{ protocolName: 'Cetus', poolId: '0x3b' }, { protocolName: 'Bluefin' }] }],
  coinIn: { type: '0x2::sui::SUI', amount: '5000000000n', tradeFee: '12500000n' },
  coinOut: { type: USDC, amount: '16240871n', tradeFee: '0n' },
  spotPrice: 0.3071,
}

t.test('quotes what the market gives, with integers as text that ends in n', async (t) => {
  const { upstream, market, requests } = await startProvider(t, sandboxAftermath)
  const provider = aftermath({ upstream })
  const offer = await provider.quote(BUY, OPTIONS)
  const fill = market.at(NOW).swap(market.native('sui'), market.find('sui', USDC)!, BUY.amountIn)!
  t.equal(offer.expectedOut, fill.amountOut)
  t.equal(offer.minOut, (fill.amountOut * 9_700n) / 10_000n)
  t.equal(offer.priceImpactPct, null, 'not told')
  t.strictSame(offer.details, { stated: { protocols: [['Cetus']] } })
  t.equal(requests[0]!.path, '/api/router/trade-route')
  t.equal(
    requests[0]!.text,
    `{"coinInType":"0x2::sui::SUI","coinOutType":"${USDC}","coinInAmount":"5000000000n"}`,
  )
  const back = await provider.quote(orderOf('sui', 'USDC', 'SUI', 1_000_000n), OPTIONS)
  t.ok(back.expectedOut > 0n)
})

t.test('amounts with the suffix and without mean the same, and never pass a float', async (t) => {
  const server = await hostileUpstream(t)
  const provider = aftermath({ upstream: upstreamTo(t, server.url, 'aftermath') })
  for (const suffix of ['n', '']) {
    const answer = JSON.stringify({
      ...ROUTE,
      coinIn: { type: LONG_SUI, amount: `18446744073709551615${suffix}` },
      coinOut: { type: USDC, amount: `9007199254740993${suffix}` },
    })
    server.behaviour = status(200, answer)
    const offer = await provider.quote({ ...BUY, amountIn: 18_446_744_073_709_551_615n }, OPTIONS)
    t.equal(offer.expectedOut, 9_007_199_254_740_993n)
    t.equal(offer.minOut, 8_736_983_277_098_763n)
    t.equal(offer.raw, answer)
  }
  t.match(server.requests[0]!.body, '"coinInAmount":"18446744073709551615n"')
})

t.test('is for quotes only', (t) => {
  const provider = aftermath({ upstream: upstreamTo(t, 'http://127.0.0.1:9', 'aftermath') })
  t.same([provider.label, provider.canBuild, [...provider.chains]], ['aftermath', false, ['sui']])
  const offer = { expectedOut: 1n, minOut: 1n, priceImpactPct: null, details: {}, raw: '{}' }
  t.throws(() => provider.build({ ...BUY, from: '0x1' } as BuildOrder, offer, OPTIONS), TypeError)
  t.end()
})

t.test('another route, and every refusal, has its code', async (t) => {
  const server = await hostileUpstream(t)
  const changed = (changes: object) => JSON.stringify({ ...ROUTE, ...changes })
  const { coinIn, coinOut } = ROUTE
  const cases: [status: number, body: string, code: string][] = [
    [200, changed({ coinOut: { ...coinOut, type: '0x2::sui::SUI' } }), 'upstream_unusable'],
    [200, changed({ coinIn: { ...coinIn, type: USDC } }), 'upstream_unusable'],
    [200, changed({ coinIn: { ...coinIn, amount: '4999999999n' } }), 'upstream_unusable'],
    [200, changed({ coinOut: { ...coinOut, amount: 16_240_871 } }), 'upstream_unusable'],
    [200, changed({ coinOut: { ...coinOut, amount: '-1n' } }), 'upstream_unusable'],
    [200, changed({ coinOut: { ...coinOut, amount: '1nn' } }), 'upstream_unusable'],
    [200, changed({ coinOut: { ...coinOut, amount: 'n' } }), 'upstream_unusable'],
    [200, changed({ coinOut: { ...coinOut, amount: '0n' } }), 'amount_too_small'],
    [200, changed({ routes: [] }), 'no_route'],
    [200, changed({ routes: undefined }), 'upstream_unusable'],
    [200, 'No route.', 'upstream_unusable'],
    [400, 'No route.', 'no_route'],
    [404, 'No route.', 'no_route'],
    [400, 'Coin type is not supported', 'unknown_token'],
    [400, 'Bad Request', 'upstream_status'],
    [403, 'Forbidden', 'upstream_refused'],
    [429, 'Too many requests', 'upstream_rate_limited'],
    [500, 'No route.', 'upstream_failed'],
  ]
  for (const [code, body, expected] of cases) {
    server.behaviour = (socket) => socket.write(http(code, body))
    const provider = aftermath({ upstream: upstreamTo(t, server.url, 'aftermath') })
    const failure = await failureOf(provider.quote(BUY, OPTIONS))
    t.equal(failure.code, expected, `${code} ${body}`)
    t.equal(failure.fields.provider, 'aftermath')
  }
})

t.test('the sandbox refuses as the provider does, and says how long to wait', async (t) => {
  const { upstream, url, dials } = await startProvider(t, sandboxAftermath)
  const provider = aftermath({ upstream })
  const nowhere = { address: '0x6e6f::nowhere::NOWHERE', isNative: false, decimals: 9 }
  const cases = [
    [{ ...BUY, tokenOut: nowhere }, 'unknown_token'],
    [orderOf('sui', 'SUI', 'GHOST', 1_000_000_000n), 'no_route'],
  ] as const
  for (const [order, code] of cases) t.equal((await failureOf(provider.quote(order, OPTIONS))).code, code)
  dials.set('aftermath', '429')
  const limited = await failureOf(provider.quote(BUY, OPTIONS))
  t.equal(limited.code, 'upstream_rate_limited')
  t.ok(limited.fields.retryAfterMs! > 9_000 && limited.fields.retryAfterMs! <= 10_000)
  const old = await fetch(`${url}/api/router/trade-route`)
  t.equal(old.status, 429)
})
