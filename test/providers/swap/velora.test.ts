import t, { type Test } from 'tap'
import { checksummed } from '../../../src/chains/evm-address.ts'
import { findChain } from '../../../src/chains/find.ts'
import { memberText } from '../../../src/chains/json/member.ts'
import type { SwapProvider } from '../../../src/providers/provider.ts'
import { priceImpactPct } from '../../../src/providers/swap/stated.ts'
import { velora } from '../../../src/providers/swap/velora.ts'
import { velora as sandboxVelora } from '../../../src/sandbox/swap/velora.ts'
import { callOf } from '../../fixtures/call.ts'
import { clockOf } from '../../fixtures/clock.ts'
import { evmOrder, FROM, NATIVE } from '../../fixtures/evm-orders.ts'
import { type HostileUpstream, hostileUpstream, status } from '../../fixtures/hostile-upstream.ts'
import { failureOf, NOW, OPTIONS, startProvider, upstreamTo } from '../../fixtures/provider.ts'

const AUGUSTUS = '0x6a000f20005980200259b80c5102003040001068'
const BUY = evmOrder('ethereum', 'ETH', 'USDC', 400_000_000_000_000_000n)
const SELL = evmOrder('bsc', 'USDT', 'BNB', 250n * 10n ** 18n)

async function sandbox(t: Test) {
  const provider = await startProvider(t, sandboxVelora)
  return {
    ...provider,
    adapter: velora({ upstream: provider.upstream, clock: clockOf({ date: () => NOW }) }),
  }
}

/** An adapter before an upstream that says what the test says. */
async function scripted(t: Test): Promise<{ server: HostileUpstream; adapter: SwapProvider }> {
  const server = await hostileUpstream(t)
  const upstream = upstreamTo(t, server.url, 'velora')
  return { server, adapter: velora({ upstream, clock: clockOf({ date: () => NOW }) }) }
}

t.test("the sandbox, as the API, builds no route through makers' orders without checks", async (t) => {
  const { url, requests, adapter } = await sandbox(t)
  await adapter.build(BUY, await adapter.quote(BUY, OPTIONS), OPTIONS)
  const [prices, built] = [...requests]
  const cases = [
    [{ excludeDEXS: 'ParaSwapPool', excludeRFQ: 'true' }, 'ParaSwapLimitOrders'],
    [{ excludeDEXS: 'ParaSwapLimitOrders', excludeRFQ: 'true' }, 'ParaSwapPool'],
    [{ excludeDEXS: 'ParaSwapPool,ParaSwapLimitOrders' }, 'AugustusRFQ'],
  ] as const
  for (const [excluding, maker] of cases) {
    const query = new URLSearchParams(prices!.query)
    for (const name of ['excludeDEXS', 'excludeRFQ']) query.delete(name)
    for (const [name, value] of Object.entries(excluding)) query.set(name, value)
    const priced = await (await fetch(`${url}/prices?${query}`)).text()
    t.match(priced, `"exchange":"${maker}"`)
    const priceRoute = memberText(Buffer.from(priced), ['priceRoute'])!
    const body = built!.text.replace(memberText(Buffer.from(built!.text), ['priceRoute'])!, priceRoute)
    const response = await fetch(`${url}${built!.path}?ignoreChecks=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    t.equal(response.status, 400, maker)
    t.match(await response.json(), { error: /ignoreChecks=true' together/ })
  }
})

/** A price route with what a parser would lose. */
const route = (changes: Readonly<Record<string, string>> = {}): string => {
  const members = {
    network: '1',
    version: '"6.2"',
    side: '"SELL"',
    srcToken: `"${NATIVE.toLowerCase()}"`,
    srcAmount: '"400000000000000000"',
    destToken: `"${BUY.tokenOut.address}"`,
    destAmount: '"1180977120"',
    srcUSD: '"1182.4700000000"',
    destUSD: '"1180.6100000000"',
    gasCost: '"131500"',
    gasCostUSD: '"0.21"',
    partnerFee: '0.01',
    contractAddress: `"${AUGUSTUS}"`,
    tokenTransferProxy: `"${AUGUSTUS}"`,
    bestRoute:
      '[ {"swaps":[{"swapExchanges":[{"exchange":"UniswapV3","data":{"x":9007199254740993,"\\u0079":1.0}}]}]} ]',
    ...changes,
  }
  return `{ ${Object.entries(members)
    .map(([name, value]) => `"${name}" : ${value}`)
    .join(',')} }`
}

const transaction = (changes: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    from: FROM,
    to: AUGUSTUS,
    value: '400000000000000000',
    data: '0xe3ead59e',
    chainId: 1,
    ...changes,
  })

t.test('quotes what the market gives, in version 6.2 and without the guards', async (t) => {
  const { adapter, market, requests } = await sandbox(t)
  const offer = await adapter.quote(BUY, OPTIONS)
  const usdc = market.find('ethereum', BUY.tokenOut.address)!
  const fill = market.at(NOW).swap(market.native('ethereum'), usdc, BUY.amountIn)!
  const fee = fill.amountOut / 10_000n
  t.equal(offer.expectedOut, fill.amountOut - fee - 1n, 'net of the fee, and of what stays in the router')
  t.equal(offer.minOut, (offer.expectedOut * 9_700n) / 10_000n)
  t.equal(offer.priceImpactPct, priceImpactPct(fill.amountInUsd, fill.amountOutUsd))
  t.match(offer.details, {
    routerAddress: checksummed(AUGUSTUS),
    fees: [
      {
        bps: 1,
        amount: String(fee),
        token: BUY.tokenOut.address,
        recipient: '0x45a6e007c874Ffc6321D6fB90eAC272Dd6864bFA',
        whose: 'velora',
      },
    ],
    stated: { exchanges: ['uniswap-v2'], gas: '131500', gasUsd: '0.21' },
  })
  t.equal(requests[0]!.path, '/prices')
  t.strictSame(Object.fromEntries(requests[0]!.query), {
    excludeContractMethods:
      'swapExactAmountInOnBalancerV2,swapExactAmountInOutOnMakerPSM,swapOnAugustusRFQTryBatchFill',
    excludeDEXS: 'ParaSwapPool,ParaSwapLimitOrders',
    excludeRFQ: 'true',
    srcToken: NATIVE,
    srcDecimals: '18',
    destToken: BUY.tokenOut.address,
    destDecimals: '6',
    amount: '400000000000000000',
    side: 'SELL',
    network: '1',
    version: '6.2',
    maxImpact: '100',
    ignoreBadUsdPrice: 'true',
    userAddress: FROM,
  })
  await adapter.quote({ ...BUY, from: null }, OPTIONS)
  t.notOk(requests[1]!.query.has('userAddress'))
  t.same([adapter.label, adapter.freshMs], ['velora', 10_000])
})

t.test('a build passes the proof, both ways', async (t) => {
  const { adapter, requests } = await sandbox(t)
  for (const order of [BUY, SELL]) {
    const offer = await adapter.quote(order, OPTIONS)
    const material = await adapter.build(order, offer, OPTIONS)
    const verification = await adapter.prove(order, offer, material, callOf())
    t.equal(verification.router, AUGUSTUS)
    t.ok(BigInt(String(verification.minOut)) >= offer.minOut, 'the minimum is net of the fee')
    t.same(verification.fees, offer.details.fees, 'which is the one that was quoted')
    const raw = offer.raw.replace('"partnerFee":0.01', '"partnerFee":0')
    t.not(raw, offer.raw)
    const refusal = await failureOf(
      Promise.resolve(adapter.prove(order, { ...offer, raw }, material, callOf())),
    )
    t.equal(refusal.fields.rule, 'fees', 'a fee that was not stated')
    const more = { ...offer, minOut: BigInt(String(verification.minOut)) + 1n }
    const short = await failureOf(Promise.resolve(adapter.prove(order, more, material, callOf())))
    t.equal(short.fields.rule, 'minimum', 'a unit more was agreed')
    const { path, query } = requests.at(-1)!
    t.equal(`${path}?${query}`, `/transactions/${order.chain.chainId}?ignoreChecks=true`)
    t.match(material, {
      from: FROM,
      chainId: order.chain.chainId,
      approval:
        order === BUY ? null : { token: SELL.tokenIn.address, spender: AUGUSTUS, amount: `${SELL.amountIn}` },
    })
  }
})

t.test('an exact output takes the fee from the input, and no more than the maximum leaves', async (t) => {
  const { adapter, requests } = await sandbox(t)
  const { amountIn: _, ...terms } = BUY
  const amountOut = 500_000_000n
  const offer = await adapter.quoteOutput!({ ...terms, amountOut }, OPTIONS)
  t.match(offer, { expectedOut: amountOut, minOut: amountOut })
  const { amountIn, maxIn } = offer.takes!
  t.equal(maxIn, (amountIn * 10_300n + 9_999n) / 10_000n)
  const order = { ...BUY, amountIn: maxIn, amountOut }
  const material = await adapter.build(order, offer, OPTIONS)
  const proof = await adapter.prove(order, offer, material, callOf())
  t.match(proof, { minOut: String(amountOut), fees: [{ bps: 1, token: NATIVE, whose: 'velora' }] })
  const [prices, built] = requests
  t.match(Object.fromEntries(new URLSearchParams(prices!.query)), { amount: '500000001', side: 'BUY' })
  t.match(built!.body, { srcAmount: String(maxIn), destAmount: '500000001' })
  const rule = async (change: object, of = material) =>
    (await failureOf(Promise.resolve(adapter.prove({ ...order, ...change }, offer, of, callOf())))).fields
      .rule
  t.equal(await rule({ amountIn: maxIn - 1n }), 'value')
  t.equal(await rule({ amountOut: amountOut + 1n }), 'minimum')
  t.equal(await rule({ receiver: FROM.replace(/.$/, '1') }), 'recipient')
  const sold = await adapter.build(BUY, await adapter.quote(BUY, OPTIONS), OPTIONS)
  t.equal(await rule({ amountIn: BUY.amountIn }, sold), 'amount', 'an exact input is none')
})

t.test('the price route goes back byte for byte, with a minimum before the fee', async (t) => {
  const { server, adapter } = await scripted(t)
  server.behaviour = status(200, `{"priceRoute":${route()}}`)
  const offer = await adapter.quote(BUY, OPTIONS)
  t.equal(offer.raw, route())
  t.equal(offer.priceImpactPct, 0.1573)
  server.behaviour = status(200, transaction())
  for (const [minOut, destAmount] of [
    [1_145_434_270n, '1145548826'],
    [1n, '3'],
  ] as const) {
    await adapter.build(BUY, { ...offer, minOut }, OPTIONS)
    const { body } = server.requests.at(-1)!
    t.equal(memberText(Buffer.from(body), ['priceRoute']), route())
    const { priceRoute: _, ...rest } = JSON.parse(body)
    t.strictSame(rest, {
      srcToken: NATIVE,
      srcDecimals: 18,
      destToken: BUY.tokenOut.address,
      destDecimals: 6,
      srcAmount: '400000000000000000',
      destAmount,
      userAddress: FROM,
      receiver: FROM,
      deadline: NOW / 1_000 + 1_200,
    })
  }
})

t.test('a loss above the guard still carries a route, which is an offer', async (t) => {
  const { server, adapter } = await scripted(t)
  const error = 'ESTIMATED_LOSS_GREATER_THAN_MAX_IMPACT'
  server.behaviour = status(
    400,
    `{"error":"${error}","value":"38.2%","priceRoute":${route({ destUSD: '"730"' })}}`,
  )
  const offer = await adapter.quote(BUY, OPTIONS)
  t.match(offer, { expectedOut: 1_180_859_022n, priceImpactPct: 38.2648 })
  t.equal(offer.raw, route({ destUSD: '"730"' }))
  server.behaviour = status(400, `{"error":"${error}","value":"99%"}`)
  t.match(await failureOf(adapter.quote(BUY, OPTIONS)), { code: 'amount_too_large', status: 400 })
})

t.test('a token without a price in dollars has an unknown impact, and is offered', async (t) => {
  const { server, adapter } = await scripted(t)
  server.behaviour = status(200, `{"priceRoute":${route({ destUSD: '"0.0000000000"' })}}`)
  t.equal((await adapter.quote(BUY, OPTIONS)).priceImpactPct, null)
})

t.test('each refusal of prices has its own code', async (t) => {
  const cases: [http: number, body: string, code: string, status: number][] = [
    [400, '{"error":"No routes found with enough liquidity"}', 'no_route', 400],
    [400, '{"error":"Bad USD Price"}', 'no_route', 400],
    [400, '{"error":"Token not found"}', 'unknown_token', 400],
    [400, '{"error":"Something else, secret"}', 'upstream_status', 400],
    [404, '{"error":"Not Found"}', 'upstream_status', 404],
    [403, '{"error":"No routes found"}', 'upstream_refused', 502],
    [500, '{"error":"No routes found"}', 'upstream_failed', 502],
    [200, '{"error":"No routes found"}', 'upstream_unusable', 502],
    [200, `{"priceRoute":${route({ version: '"5"' })}}`, 'upstream_unusable', 502],
    [200, `{"priceRoute":${route({ network: '56' })}}`, 'upstream_unusable', 502],
    [200, `{"priceRoute":${route({ srcToken: `"${FROM}"` })}}`, 'upstream_unusable', 502],
    [200, `{"priceRoute":${route({ destToken: `"${FROM}"` })}}`, 'upstream_unusable', 502],
  ]
  for (const [http, body, code, expected] of cases) {
    // Each to an upstream of its own, whose breaker is closed.
    const { server, adapter } = await scripted(t)
    server.behaviour = status(http, body)
    const failure = await failureOf(adapter.quote(BUY, OPTIONS))
    t.match(failure, { code, status: expected }, `${http} ${body}`)
    t.notMatch(failure.message, /secret/)
  }
})

t.test('a rate limit is waited for as long as Velora says', async (t) => {
  const { server, adapter } = await scripted(t)
  server.behaviour = status(429, '{"error":"Too many requests"}', ['Retry-After: 20'])
  const limited = await failureOf(adapter.quote(BUY, OPTIONS))
  t.match(limited, { code: 'upstream_rate_limited', status: 502, fields: { provider: 'velora' } })
  t.ok(limited.fields.retryAfterMs! > 19_000 && limited.fields.retryAfterMs! <= 20_000)
})

t.test('it is asked on networks only that are seen in use', async (t) => {
  const { adapter } = await scripted(t)
  const networks = [...adapter.chains].map((key) => findChain(key)!.chainId!)
  t.same(
    networks.sort((a, b) => a - b),
    [1, 10, 56, 100, 130, 137, 146, 8_453, 9_745, 42_161, 43_114],
  )
})

t.test('an answer for another amount, without output, or with too high a fee is refused', async (t) => {
  const cases = [
    { srcAmount: '"1"' },
    { side: '"BUY"' },
    { destAmount: '"0"' },
    { destAmount: '1180977120' },
    { partnerFee: '0.11' },
    { partnerFee: '2' },
    { partnerFee: '-0.01' },
    { partnerFee: '0.015' },
    { partnerFee: '"0.01"' },
  ]
  for (const changes of cases) {
    // Each to an upstream of its own, whose breaker is closed.
    const { server, adapter } = await scripted(t)
    server.behaviour = status(200, `{"priceRoute":${route(changes)}}`)
    t.match(
      await failureOf(adapter.quote(BUY, OPTIONS)),
      { code: 'upstream_unusable' },
      JSON.stringify(changes),
    )
  }
})

t.test('the fee that a price route states, in percent, is taken off', async (t) => {
  const { server, adapter } = await scripted(t)
  const { partnerFee: _, ...silent } = JSON.parse(route()) as Record<string, unknown>
  const cases: [priceRoute: string, bps: number, expectedOut: bigint][] = [
    [JSON.stringify(silent), 0, 1_180_977_119n],
    [route({ partnerFee: '0' }), 0, 1_180_977_119n],
    [route({ partnerFee: '0.07' }), 7, 1_180_150_436n],
    [route({ partnerFee: '0.1' }), 10, 1_179_796_142n],
  ]
  for (const [priceRoute, bps, expectedOut] of cases) {
    server.behaviour = status(200, `{"priceRoute":${priceRoute}}`)
    const { details, ...offer } = await adapter.quote(BUY, OPTIONS)
    t.same(
      (details.fees as { bps: number }[]).map((fee) => fee.bps),
      bps === 0 ? [] : [bps],
    )
    t.equal(offer.expectedOut, expectedOut)
  }
  server.behaviour = status(200, `{"priceRoute":${route({ destAmount: '"1"' })}}`)
  t.match(await failureOf(adapter.quote(BUY, OPTIONS)), { code: 'amount_too_small', status: 400 })
})

t.test('a build that is refused is the provider at fault', async (t) => {
  const { server, adapter } = await scripted(t)
  server.behaviour = status(200, `{"priceRoute":${route()}}`)
  const offer = await adapter.quote(BUY, OPTIONS)
  const cases: [http: number, body: string, code: string, status: number][] = [
    [400, '{"error":"Unable to build transaction (1001)"}', 'upstream_failed', 502],
    [200, '{"error":"Unable to build transaction (1001)"}', 'upstream_failed', 502],
    [200, transaction({ value: '0x10' }), 'upstream_unusable', 502],
    [200, transaction({ chainId: '1' }), 'upstream_unusable', 502],
  ]
  for (const [http, body, code, expected] of cases) {
    server.behaviour = status(http, body)
    const failure = await failureOf(adapter.build(BUY, offer, OPTIONS))
    t.match(failure, { code, status: expected, scope: 'provider' }, `${http} ${body}`)
  }
})

t.test('a build that is refused is not held against it', async (t) => {
  const server = await hostileUpstream(t, status(200, `{"priceRoute":${route()}}`))
  const upstream = upstreamTo(t, server.url, 'velora')
  const adapter = velora({ upstream, clock: clockOf({ date: () => NOW }) })
  const offer = await adapter.quote(BUY, OPTIONS)
  server.behaviour = status(400, '{"error":"Unable to build transaction (1001)"}')
  for (let i = 0; i < 5; i++) await failureOf(adapter.build(BUY, offer, OPTIONS))
  t.match(upstream.state, { state: 'ok', failures: 0 })
})

t.test('a price route that was parsed and serialized again is caught by its signature', async (t) => {
  const { adapter } = await sandbox(t)
  const offer = await adapter.quote(BUY, OPTIONS)
  await adapter.build(BUY, offer, OPTIONS)
  for (const raw of [
    offer.raw.replace('"destAmount":"1', '"destAmount":"2'),
    ` ${offer.raw.replace(',', ', ')}`,
  ]) {
    t.match(await failureOf(adapter.build(BUY, { ...offer, raw }, OPTIONS)), { code: 'upstream_failed' })
  }
})

t.test("the sandbox's refusals are the provider's", async (t) => {
  const { adapter, url } = await sandbox(t)
  t.match(await failureOf(adapter.quote(evmOrder('base', 'ETH', 'GHOST', 10n ** 18n), OPTIONS)), {
    code: 'no_route',
  })
  const unknown = { ...BUY, tokenOut: { ...BUY.tokenOut, address: AUGUSTUS } }
  t.match(await failureOf(adapter.quote(unknown, OPTIONS)), { code: 'unknown_token' })
  const deep = await adapter.quote(evmOrder('base', 'ETH', 'THIN', 10n ** 18n), OPTIONS)
  t.ok(deep.priceImpactPct! > 15, 'a loss that the guard would have refused')

  const query = `srcToken=${NATIVE}&destToken=${BUY.tokenOut.address}&amount=1000000000&side=SELL`
  const { priceRoute } = (await (await fetch(`${url}/prices?${query}`)).json()) as { priceRoute: object }
  t.match(priceRoute, { version: '5', network: 1 }, 'where no version is asked for')
})
