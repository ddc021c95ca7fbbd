import t, { type Test } from 'tap'
import { memberText } from '../../../src/chains/json/member.ts'
import { headersFor, INTEGRATOR } from '../../../src/config/providers.ts'
import type { Offer, SwapProvider } from '../../../src/providers/provider.ts'
import { kyberswap } from '../../../src/providers/swap/kyberswap.ts'
import { priceImpactPct } from '../../../src/providers/swap/stated.ts'
import { kyberswap as sandboxKyberswap } from '../../../src/sandbox/swap/kyberswap.ts'
import { Upstream } from '../../../src/upstream/upstream.ts'
import { callOf } from '../../fixtures/call.ts'
import { clockOf } from '../../fixtures/clock.ts'
import { evmOrder, FROM, NATIVE } from '../../fixtures/evm-orders.ts'
import fc from '../../fixtures/fast-check.ts'
import { type HostileUpstream, hostileUpstream, status } from '../../fixtures/hostile-upstream.ts'
import { failureOf, NOW, OPTIONS, startProvider, upstreamTo } from '../../fixtures/provider.ts'

const ROUTER = '0x6131B5fae19EA4f9D964eAc0408E4408b66337b5'
const BUY = evmOrder('base', 'ETH', 'USDC', 400_000_000_000_000_000n)
const SELL = evmOrder('base', 'USDC', 'ETH', 250_000_000n)
const LATER = NOW / 1_000 + 1_200

async function sandbox(t: Test) {
  const provider = await startProvider(t, sandboxKyberswap)
  return {
    ...provider,
    kyber: kyberswap({ upstream: provider.upstream, clock: clockOf({ date: () => NOW }) }),
  }
}

/** An adapter before an upstream that says what the test says. */
async function scripted(t: Test): Promise<{ server: HostileUpstream; kyber: SwapProvider }> {
  const server = await hostileUpstream(t)
  const upstream = upstreamTo(t, server.url, 'kyberswap')
  return { server, kyber: kyberswap({ upstream, clock: clockOf({ date: () => NOW }) }) }
}

/** A summary with what a parser would lose: a long integer, an escape, spaces, a name that nobody knows. */
const summary = (changes: Readonly<Record<string, string>> = {}): string => {
  const members = {
    tokenIn: `"${NATIVE}"`,
    amountIn: '"400000000000000000"',
    amountInUsd: '"1182.47"',
    tokenOut: '"0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"',
    amountOut: '"1181903344"',
    amountOutUsd: '"1181.74"',
    gas: '"214000"',
    gasUsd: '"0.0039"',
    route: '[[ {"exchange":"uniswapv3","\\u0065xtra":{"liquidity":9007199254740993, "x":1.0}} ]]',
    ...changes,
  }
  return `{ ${Object.entries(members)
    .map(([name, value]) => `"${name}" : ${value}`)
    .join(',')} }`
}

const routeOf = (text: string): string =>
  `{"code":0,"data":{"other":{"routeSummary":1},"routeSummary":${text},"routerAddress":"${ROUTER}"}}`

const BUILT = JSON.stringify({
  code: 0,
  data: {
    amountIn: '400000000000000000',
    data: '0xe21fd0e9',
    routerAddress: ROUTER,
    transactionValue: '400000000000000000',
  },
})

t.test('quotes what the market gives', async (t) => {
  const { kyber, market, requests } = await sandbox(t)
  const offer = await kyber.quote(BUY, OPTIONS)
  const usdc = market.find('base', BUY.tokenOut.address)!
  const fill = market.at(NOW).swap(market.native('base'), usdc, BUY.amountIn)!
  t.equal(offer.expectedOut, fill.amountOut - 1n, 'as a build will give')
  t.equal(offer.minOut, (offer.expectedOut * 9_700n) / 10_000n)
  t.equal(offer.priceImpactPct, priceImpactPct(fill.amountInUsd, fill.amountOutUsd))
  t.strictSame(offer.details, {
    routerAddress: ROUTER,
    stated: { exchanges: ['aerodrome'], gas: '107000', gasUsd: '0.0039' },
  })
  t.equal(requests[0]!.path, '/base/api/v1/routes')
  t.strictSame(Object.fromEntries(requests[0]!.query), {
    tokenIn: NATIVE,
    tokenOut: BUY.tokenOut.address,
    amountIn: '400000000000000000',
    gasInclude: 'true',
    origin: FROM,
  })
  await kyber.quote({ ...BUY, from: null }, OPTIONS)
  t.notOk(requests[1]!.query.has('origin'), 'nobody is named where nobody asked')
  t.same([kyber.label, kyber.freshMs, kyber.chains.size], ['kyberswap', 10_000, 15])
})

t.test('a build passes the proof, both ways, with an approval for a token only', async (t) => {
  const { kyber } = await sandbox(t)
  for (const order of [BUY, SELL]) {
    const offer = await kyber.quote(order, OPTIONS)
    const material = await kyber.build(order, offer, OPTIONS)
    const verification = await kyber.prove(order, offer, material, callOf())
    t.match(verification, { router: ROUTER, recipient: FROM, minOut: String(offer.minOut) })
    t.match(material, {
      kind: 'evm',
      to: ROUTER,
      value: order === BUY ? '400000000000000000' : '0',
      approval: order === BUY ? null : { token: SELL.tokenIn.address, spender: ROUTER, amount: '250000000' },
    })
  }
})

t.test(
  'the minimum of a quote is what its build holds, at every slippage and for a few units too',
  async (t) => {
    const { kyber } = await sandbox(t)
    for (const slippageBps of [1, 7, 50, 100, 300, 2_000, 4_999, 5_000]) {
      for (const amountIn of [400_000_000_000_000_000n, 399_999_999_999_999_999n, 2_000_000_000n]) {
        const order = { ...BUY, amountIn, slippageBps }
        const offer = await kyber.quote(order, OPTIONS)
        const { minOut } = await kyber.prove(order, offer, await kyber.build(order, offer, OPTIONS), callOf())
        t.equal(minOut, String(offer.minOut), `${amountIn} at ${slippageBps} bps`)
      }
    }
  },
)

t.test(
  'a build that simulates a fall keeps the minimum of its quote, or says that the market moved',
  async (t) => {
    let change: (amountOut: bigint) => bigint = (amountOut) => amountOut
    const { upstream, requests } = await startProvider(t, ({ market }) =>
      sandboxKyberswap({ market }, (amountOut) => change(amountOut)),
    )
    const kyber = kyberswap({ upstream, clock: clockOf({ date: () => NOW }) })
    const order = { ...BUY, slippageBps: 50 }
    const offer = await kyber.quote(order, OPTIONS)
    const routed = offer.expectedOut + 1n
    const builds = () => requests.filter(({ method }) => method === 'POST').length
    const built = async () => {
      const before = builds()
      const material = await kyber.build(order, offer, OPTIONS)
      const { minOut } = await kyber.prove(order, offer, material, callOf())
      return { minOut: BigInt(minOut as string), asked: builds() - before, material }
    }

    change = (amountOut) => amountOut - 1n
    t.match(await built(), { minOut: offer.minOut, asked: 1 }, 'one unit is within')
    for (const percent of [101n, 110n, 120n]) {
      change = (amountOut) => (amountOut * percent) / 100n
      const { minOut, asked, material } = await built()
      const expectedOut = (routed * percent) / 100n
      t.same([minOut, asked], [(expectedOut * 9_950n) / 10_000n, 1], 'a rise holds more than the quote')
      t.match(material, { expectedOut: String(expectedOut) })
    }
    change = (amountOut) => (amountOut * 9_990n) / 10_000n
    const fallen = await built()
    t.equal(fallen.asked, 2, 'a fall beyond it is asked again, with less slippage')
    t.ok(fallen.minOut >= offer.minOut)
    change = (amountOut) => (amountOut * 9_949n) / 10_000n
    t.match(await failureOf(kyber.build(order, offer, OPTIONS)), {
      code: 'quote_moved',
      status: 400,
      fields: { minOut: String(offer.minOut), expectedOut: String((routed * 9_949n) / 10_000n) },
    })
  },
)

t.test('calldata that holds less than the quote is refused, whatever its answer states', async (t) => {
  const { kyber } = await sandbox(t)
  const order = { ...BUY, slippageBps: 50 }
  const offer = await kyber.quote(order, OPTIONS)
  const material = await kyber.build(order, offer, OPTIONS)
  const claimed = { ...offer, minOut: offer.minOut + 1n }
  t.match(await failureOf(Promise.resolve(kyber.prove(order, claimed, material, callOf()))), {
    code: 'material_refused',
    fields: { rule: 'minimum' },
  })
})

t.test('Tether on Ethereum asks for its allowance to be reset first', async (t) => {
  const { kyber } = await sandbox(t)
  const order = evmOrder('ethereum', 'USDT', 'ETH', 250_000_000n)
  const material = await kyber.build(order, await kyber.quote(order, OPTIONS), OPTIONS)
  t.match(material, { approval: { token: order.tokenIn.address, reset: true } })
})

t.test('the summary goes back byte for byte, with slippage in bps and never left out', async (t) => {
  const { server, kyber } = await scripted(t)
  server.behaviour = status(200, routeOf(summary()))
  const offer = await kyber.quote(BUY, OPTIONS)
  t.equal(offer.raw, summary())
  t.equal(offer.priceImpactPct, 0.0617)
  server.behaviour = status(200, BUILT)
  for (const slippageBps of [1, 300, 2_000, 2_001, 5_000]) {
    await kyber.build({ ...BUY, slippageBps }, offer, OPTIONS)
    const { head, body } = server.requests.at(-1)!
    t.match(head, /^POST \/base\/api\/v1\/route\/build HTTP/)
    t.equal(memberText(Buffer.from(body), ['routeSummary']), summary())
    const { routeSummary: _, ...rest } = JSON.parse(body)
    t.strictSame(rest, {
      sender: FROM,
      recipient: FROM,
      origin: FROM,
      slippageTolerance: slippageBps,
      ...(slippageBps > 2_000 && { ignoreCappedSlippage: true }),
      deadline: LATER,
      enableGasEstimation: false,
      source: INTEGRATOR,
    })
  }
})

t.test(
  'an altered summary, or one that was parsed and written anew, is caught by its checksum',
  async (t) => {
    const { kyber } = await sandbox(t)
    const offer = await kyber.quote(BUY, OPTIONS)
    await kyber.build(BUY, offer, OPTIONS)
    for (const raw of [
      JSON.stringify(JSON.parse(offer.raw)),
      offer.raw.replace('"amountOut":"1', '"amountOut":"2'),
    ]) {
      t.not(raw, offer.raw)
      const failure = await failureOf(kyber.build(BUY, { ...offer, raw }, OPTIONS))
      t.match(failure, {
        code: 'upstream_failed',
        status: 502,
        scope: 'provider',
        fields: { upstreamStatus: 400 },
      })
    }
  },
)

t.test('the client id is a header of both calls', async (t) => {
  const { url, requests } = await startProvider(t, sandboxKyberswap)
  const options = { label: 'kyberswap', url, maxBytes: 1_000_000, headers: headersFor('kyberswap', null) }
  const upstream = new Upstream(options)
  t.teardown(() => upstream.close())
  const kyber = kyberswap({ upstream, clock: clockOf({ date: () => NOW }) })
  await kyber.build(BUY, await kyber.quote(BUY, OPTIONS), OPTIONS)
  t.same(
    requests.map(({ headers }) => headers['x-client-id']),
    [INTEGRATOR, INTEGRATOR],
  )
})

t.test('each refusal has its own code, whatever the HTTP status', async (t) => {
  const { server, kyber } = await scripted(t)
  server.behaviour = status(200, routeOf(summary()))
  const offer = await kyber.quote(BUY, OPTIONS)
  const refusal = (code: number) => `{"code":${code},"message":"secret words","details":null,"requestId":"r"}`
  const cases: [code: number, http: number, ours: string, status: number][] = [
    [4000, 400, 'no_route', 400],
    [4001, 400, 'no_route', 400],
    [4002, 400, 'upstream_failed', 502],
    [4005, 400, 'upstream_failed', 502],
    [4008, 400, 'no_route', 400],
    [4008, 200, 'no_route', 400],
    [4009, 400, 'amount_too_large', 400],
    [4010, 400, 'no_route', 400],
    [4011, 400, 'unknown_token', 400],
    [4011, 200, 'unknown_token', 400],
    [4221, 422, 'upstream_failed', 502],
    [4222, 422, 'upstream_failed', 502],
    [4227, 422, 'no_route', 400],
    [40010, 400, 'invalid_parameter', 400],
    [40011, 400, 'no_route', 400],
    [4999, 400, 'upstream_failed', 502],
  ]
  for (const [code, http, ours, expected] of cases) {
    server.behaviour = status(http, refusal(code))
    const calls = [() => kyber.quote(BUY, OPTIONS), () => kyber.build(BUY, offer, OPTIONS)]
    for (const call of calls) {
      const failure = await failureOf(call())
      t.match(
        failure,
        { code: ours, status: expected, fields: { provider: 'kyberswap' } },
        `${code} in ${http}`,
      )
      t.notMatch(failure.message, /secret/)
    }
  }
})

t.test('a swap that it cannot build is not held against it', async (t) => {
  const server = await hostileUpstream(t, status(200, routeOf(summary())))
  const upstream = upstreamTo(t, server.url, 'kyberswap')
  const kyber = kyberswap({ upstream, clock: clockOf({ date: () => NOW }) })
  const offer = await kyber.quote(BUY, OPTIONS)
  for (const code of [4002, 4221, 4008]) {
    server.behaviour = status(422, `{"code":${code},"message":"no"}`)
    for (let i = 0; i < 5; i++) await failureOf(kyber.build(BUY, offer, OPTIONS))
    t.match(upstream.state, { state: 'ok', failures: 0 }, String(code))
  }
})

t.test('an unknown chain, an outage and a passing status', async (t) => {
  const { server, kyber } = await scripted(t)
  const cases: [http: number, body: string, code: string, status: number][] = [
    [
      404,
      '{"message":"route not found","path":"/x","request_id":"r","status":404}',
      'unsupported_chain',
      400,
    ],
    [404, '<html>', 'upstream_status', 404],
    [409, '{}', 'upstream_status', 409],
    [401, refusalText, 'upstream_refused', 502],
    [403, refusalText, 'upstream_refused', 502],
    [500, refusalText, 'upstream_failed', 502],
    [200, 'null', 'upstream_unusable', 502],
    [200, '{"code":0,"message":"successfully"}', 'upstream_unusable', 502],
    [200, routeOf(summary({ amountOut: '"1e9"' })), 'upstream_unusable', 502],
    [200, routeOf(summary({ amountOut: '1181903344' })), 'upstream_unusable', 502],
  ]
  for (const [http, body, code, expected] of cases) {
    server.behaviour = status(http, body)
    t.match(await failureOf(kyber.quote(BUY, OPTIONS)), { code, status: expected }, `${http} ${body}`)
  }
})
const refusalText = '{"code":4008,"message":"no"}'

t.test('a route for another order is refused, and so is one without output', async (t) => {
  const cases: [changes: Record<string, string>, code: string][] = [
    [{ tokenIn: `"${ROUTER}"` }, 'upstream_unusable'],
    [{ tokenOut: `"${ROUTER}"` }, 'upstream_unusable'],
    [{ amountIn: '"400000000000000001"' }, 'upstream_unusable'],
    [{ extraFee: `{"feeAmount":"10","feeReceiver":"${FROM}"}` }, 'upstream_unusable'],
    [{ extraFee: `{"feeAmount":"0","feeReceiver":"${FROM}"}` }, 'upstream_unusable'],
    [{ extraFee: '{"feeAmount":"1","feeReceiver":""}' }, 'upstream_unusable'],
    [{ extraFee: '{"feeAmount":"0,1","feeReceiver":""}' }, 'upstream_unusable'],
    [{ amountOut: '"0"' }, 'no_route'],
    [{ amountOut: '"1"' }, 'no_route'],
  ]
  for (const [changes, code] of cases) {
    // Each to an upstream of its own, whose breaker is closed.
    const { server, kyber } = await scripted(t)
    server.behaviour = status(200, routeOf(summary(changes)))
    t.match(await failureOf(kyber.quote(BUY, OPTIONS)), { code }, JSON.stringify(changes))
  }
  const { server, kyber } = await scripted(t)
  for (const extraFee of ['{"feeAmount":"","feeReceiver":""}', '{"feeAmount":"0","feeReceiver":""}']) {
    server.behaviour = status(200, routeOf(summary({ extraFee })))
    t.equal((await kyber.quote(BUY, OPTIONS)).expectedOut, 1_181_903_343n, 'none is taken')
  }
  server.behaviour = status(200, routeOf(summary()))
  const offer = await kyber.quote(BUY, OPTIONS)
  server.behaviour = status(200, BUILT.replace('400000000000000000', '400000000000000001'))
  t.match(await failureOf(kyber.build(BUY, offer, OPTIONS)), { code: 'upstream_unusable' })
})

t.test(
  'where a market maker backs out, it builds without them, for no less than the old minimum',
  async (t) => {
    const { server, kyber } = await scripted(t)
    server.behaviour = status(200, routeOf(summary()))
    const offer = await kyber.quote(BUY, OPTIONS)

    /** The first build is refused; the new route gives `out`. */
    const rebuild = (out: string) => {
      let builds = 0
      server.behaviour = (socket, request) => {
        const isBuild = request.head.startsWith('POST')
        if (!isBuild) return status(200, routeOf(summary({ amountOut: `"${out}"` })))(socket, request)
        const answer = ++builds === 1 ? status(422, '{"code":4222,"message":"no"}') : status(200, BUILT)
        answer(socket, request)
      }
      return kyber.build(BUY, offer, OPTIONS)
    }
    const sentBps = () => JSON.parse(server.requests.at(-1)!.body).slippageTolerance

    await rebuild('1181903344')
    t.equal(sentBps(), 300)
    t.match(server.requests.at(-2)!.head, /excludeRFQSources=true/)
    await rebuild('1250000000')
    t.equal(sentBps(), 300, 'a better market allows no more slippage')
    await rebuild('1160000000')
    t.equal(sentBps(), 116)
    t.ok((1_160_000_000n * BigInt(10_000 - sentBps())) / 10_000n >= offer.minOut)
    server.behaviour = (socket, request) => {
      const isBuild = request.head.startsWith('POST')
      const answer = isBuild ? status(422, '{"code":4222,"message":"no"}') : status(200, routeOf(summary()))
      answer(socket, request)
    }
    const before = server.requests.length
    t.match(await failureOf(kyber.build(BUY, offer, OPTIONS)), { code: 'upstream_failed', status: 502 })
    t.equal(server.requests.length - before, 3, 'once more, and no more than that')
    const failure = await failureOf(rebuild('1146446243'))
    t.match(failure, {
      code: 'quote_moved',
      status: 400,
      fields: { minOut: '1146446242', expectedOut: '1146446242' },
    })
  },
)

t.test("the sandbox's refusals are the provider's", async (t) => {
  const { kyber, upstream } = await sandbox(t)
  const cases: [order: ReturnType<typeof evmOrder>, code: string][] = [
    [evmOrder('base', 'ETH', 'GHOST', 10n ** 18n), 'no_route'],
    [evmOrder('base', 'ETH', 'THIN', 10n ** 21n), 'amount_too_large'],
    [{ ...BUY, tokenOut: { ...BUY.tokenOut, address: ROUTER } }, 'unknown_token'],
    [{ ...BUY, amountIn: 0n }, 'no_route'],
  ]
  for (const [order, code] of cases) {
    t.match(await failureOf(kyber.quote(order, OPTIONS)), { code, status: 400 }, code)
  }
  const lost = kyberswap({ upstream })
  t.notOk(lost.chains.has('gnosis'))
})

t.test('a price impact is a percentage of dollars, or unknown', (t) => {
  const cases: [inUsd: string, outUsd: string, pct: number | null][] = [
    ['100', '99', 1],
    ['100', '101', -1],
    ['3', '2', 33.3333],
    ['0', '1', null],
    ['1', '0', null],
    ['', '1', null],
    ['1', '', null],
    ['x', '1', null],
    ['1e999', '1', null],
  ]
  for (const [inUsd, outUsd, pct] of cases) t.equal(priceImpactPct(inUsd, outUsd), pct, `${inUsd} ${outUsd}`)
  t.end()
})

t.test("a member's text is cut out exactly", (t) => {
  const cases: [document: string, path: string[], text: string | null][] = [
    ['{"a":1}', ['a'], '1'],
    [' { "a" : { "b" : [1, {"a":2}] } , "c":3}', ['a', 'b'], '[1, {"a":2}]'],
    ['{"a":1,"a":2.50}', ['a'], '2.50'],
    ['{"\\u0061":true}', ['a'], 'true'],
    ['{"x":{"a":1}}', ['a'], null],
    ['{"x":"\\"a\\":{","a":"}\\\\"}', ['a'], '"}\\\\"'],
    ['[{"a":1}]', ['a'], null],
    ['{}', ['a'], null],
    ['{"a":[]}', ['a', 'b'], null],
    ['{"é":"é","a":{"ü":1e5 }}', ['a'], '{"ü":1e5 }'],
    ['7', [], '7'],
  ]
  for (const [document, path, text] of cases) t.equal(memberText(Buffer.from(document), path), text, document)
  fc.assert(
    fc.property(
      fc.json(),
      fc.json(),
      fc.string(),
      fc.string(),
      fc.constantFrom('', ' ', '\n\t'),
      (a, b, x, y, space) => {
        fc.pre(x !== y)
        const [first, second] = [JSON.stringify(x), JSON.stringify(y)]
        const document = `{${space}${first}${space}:${space}${a}${space},${second}:${b}${space}}`
        const bytes = Buffer.from(document)
        return memberText(bytes, [x]) === a && memberText(bytes, [y]) === b
      },
    ),
  )
  t.end()
})

t.test('faults of the provider are its own', async (t) => {
  const { kyber, dials } = await sandbox(t)
  const cases = [
    ['500', 'upstream_failed'],
    ['garbage', 'upstream_unusable'],
    ['429', 'upstream_rate_limited'],
  ] as const
  for (const [fault, code] of cases) {
    dials.set('kyberswap', fault)
    const failure = await failureOf(kyber.quote(BUY, OPTIONS) as Promise<Offer>)
    t.match(failure, { code, status: 502, scope: 'provider', fields: { provider: 'kyberswap' } }, fault)
  }
})
