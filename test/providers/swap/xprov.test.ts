import t, { type Test } from 'tap'
import { findXprovChain } from '../../../src/chains/find.ts'
import { WRAPPED_SOL_MINT } from '../../../src/chains/solana/programs.ts'
import { quotaFor } from '../../../src/config/providers.ts'
import type { BuildOrder, Order } from '../../../src/proof/terms/order.ts'
import { parseQuote, Xprov } from '../../../src/providers/swap/xprov.ts'
import { PLACEHOLDER_FROM, xprovSui } from '../../../src/providers/swap/xprov-sui.ts'
import { UPGRADED } from '../../../src/sandbox/sui/compose.ts'
import { callOf } from '../../fixtures/call.ts'
import { hostileUpstream, http, status } from '../../fixtures/hostile-upstream.ts'
import { failureOf, OPTIONS, orderOf, upstreamTo } from '../../fixtures/provider.ts'
import { clientOf, crossChain, startXprov, WALLETS } from '../../fixtures/xprov.ts'

const { evm, solana, sui } = WALLETS
const SUI = findXprovChain('sui')!
const HASH = `0x${'9d'.repeat(32)}`

t.test('asks with ids, base units and native sentinels, and leaves absent options out', async (t) => {
  const { client, market, requests } = await startXprov(t)
  await client.quote(
    crossChain(market, ['sui', null, sui], ['solana', null, solana], 3_000_000_000n),
    OPTIONS,
  )
  t.same(Object.fromEntries(requests[0]!.query), {
    fromChain: '9270000000000000',
    toChain: '1151111081099710',
    fromToken: `0x${'2'.padStart(64, '0')}::sui::SUI`,
    toToken: '11111111111111111111111111111111',
    fromAmount: '3000000000',
    fromAddress: sui,
    toAddress: solana,
    integrator: 'swapgate',
    allowBridges: 'mayanMCTP',
  })
  const order = crossChain(market, ['base', 'USDC', evm], ['ethereum', null, evm], 5_000_000n)
  const toSolana = crossChain(market, ['base', null, evm], ['solana', null, solana], 10n ** 17n)
  await client.quote({ ...toSolana, tokenOut: { address: WRAPPED_SOL_MINT, isNative: false } }, OPTIONS)
  t.equal(requests[1]!.query.get('toToken'), WRAPPED_SOL_MINT, 'a token beside SOL')
  await client.quote({ ...order, slippage: '0.005', preference: 'FASTEST' }, OPTIONS)
  t.match(Object.fromEntries(requests[2]!.query), {
    fromToken: order.tokenIn.address,
    toToken: '0x0000000000000000000000000000000000000000',
    slippage: '0.005',
    order: 'FASTEST',
  })
})

t.test('keeps the answer byte for byte, and ids above 2^53 exactly', async (t) => {
  const { client, market } = await startXprov(t)
  const order = crossChain(market, ['sui', null, sui], ['base', 'USDC', evm], 3_000_000_000n)
  const { value, text } = await client.quote(order, OPTIONS)
  t.equal(value.action.fromChainId, 9_270_000_000_000_000)
  t.match(text, '"fromChainId":9270000000000000,')
  t.same(parseQuote(text), { value, text })
  t.equal(parseQuote(`${text} x`), null)
  t.equal(
    parseQuote(text.replace('"data":"', '"data":["').replace(/("data":\["[^"]+")/, '$1]')),
    null,
    'a bundle',
  )
})

const tool = (code: string) => ({ errorType: 'NO_QUOTE', code, tool: 'x', message: 'secret' })
const failed = (subpaths: unknown) => ({ filteredOut: [], failed: [{ overallPath: 'x', subpaths }] })
const refused = (code: number | undefined, errors?: unknown) =>
  JSON.stringify({ message: 'provider text https://li.quest/secret', code, errors })

// [status, body, our code, our status]
const ON_QUOTE: readonly [number, string, string, number][] = [
  [400, refused(1_011), 'invalid_parameter', 400],
  [400, refused(undefined), 'invalid_parameter', 400],
  [404, refused(1_002), 'no_route', 400],
  [404, refused(undefined), 'no_route', 400],
  ...[
    'NO_POSSIBLE_ROUTE',
    'INSUFFICIENT_LIQUIDITY',
    'TOOL_TIMEOUT',
    'UNKNOWN_ERROR',
    'RPC_ERROR',
    'DIFFERENT_RECIPIENT_NOT_SUPPORTED',
    'TOOL_SPECIFIC_ERROR',
    'CANNOT_GUARANTEE_MIN_AMOUNT',
  ].map((code): [number, string, string, number] => [
    404,
    refused(1_002, failed({ a: [tool(code)] })),
    'no_route',
    400,
  ]),
  [404, refused(1_002, failed({ a: [tool('AMOUNT_TOO_LOW')] })), 'amount_too_small', 400],
  [404, refused(1_002, failed({ a: [tool('AMOUNT_TOO_HIGH')] })), 'amount_too_large', 400],
  [
    404,
    refused(1_002, failed({ a: [tool('NO_POSSIBLE_ROUTE'), tool('AMOUNT_TOO_LOW')] })),
    'amount_too_small',
    400,
  ],
  [404, refused(1_002, failed({ a: tool('FEES_HIGHER_THAN_AMOUNT') })), 'amount_too_small', 400],
  [
    404,
    refused(1_002, failed({ a: [tool('TOOL_TIMEOUT')], b: [tool('AMOUNT_TOO_HIGH')] })),
    'amount_too_large',
    400,
  ],
  [404, refused(1_002, { failed: [null, { subpaths: 7 }, { subpaths: { a: [null] } }] }), 'no_route', 400],
  [404, refused(1_003), 'unknown_token', 400],
  [400, refused(1_005), 'upstream_rate_limited', 502],
  [429, refused(1_005), 'upstream_rate_limited', 502],
  [401, refused(1_010), 'upstream_refused', 502],
  [400, refused(1_010), 'upstream_refused', 502],
  [408, refused(1_009), 'upstream_timeout', 502],
  ...[1_000, 1_001, 1_004, 1_006, 1_007, 1_008, 1_012, 1_013].map(
    (code): [number, string, string, number] => [422, refused(code), 'upstream_failed', 502],
  ),
  [500, refused(1_006), 'upstream_failed', 502],
  [409, refused(4_711), 'upstream_status', 409],
  [418, refused(undefined), 'upstream_status', 418],
  [404, '<html>', 'upstream_status', 404],
  [200, '{}', 'upstream_unusable', 502],
  [200, '<html>', 'upstream_unusable', 502],
]

async function scripted(t: Test) {
  const server = await hostileUpstream(t)
  // A breaker of its own for each call, so that no failure hides the next.
  return { server, client: () => clientOf(t, server.url) }
}

t.test('every refusal of a quote has its code, and none repeats what the provider wrote', async (t) => {
  const { server, client } = await scripted(t)
  const { market } = await startXprov(t)
  const order = crossChain(market, ['base', null, evm], ['ethereum', null, evm], 1n)
  for (const [code, body, expected, ours] of ON_QUOTE) {
    server.behaviour = status(code, body)
    const failure = await failureOf(client().quote(order, OPTIONS))
    t.match(failure, { code: expected, status: ours }, `${code} ${body.slice(0, 150)}`)
    t.notMatch(failure.message, /li\.quest|secret|provider text/)
  }
})

t.test("decimals come from the provider's token, and an unknown one is a refusal", async (t) => {
  const { client, market } = await startXprov(t)
  const usdc = market.tokens('sui').find(({ symbol }) => symbol === 'USDC')!
  t.equal(await client.decimals(SUI, usdc.address, OPTIONS), 6)
  const { server, client: fresh } = await scripted(t)
  for (const [code, body] of [
    [404, refused(1_003)],
    [404, refused(undefined)],
    [400, refused(1_011)],
  ] as const) {
    server.behaviour = status(code, body)
    t.match(await failureOf(fresh().decimals(SUI, '0x1::a::A', OPTIONS)), {
      code: 'unknown_token',
      status: 400,
    })
  }
  const token = { address: 'x', chainId: 1, symbol: 'X' }
  for (const decimals of [-1, 37, 6.5, '6', null]) {
    server.behaviour = status(200, JSON.stringify({ ...token, decimals }))
    t.match(await failureOf(fresh().decimals(SUI, '0x1::a::A', OPTIONS)), { code: 'upstream_unusable' })
  }
})

t.test('a status comes back byte for byte, with the hints that there are', async (t) => {
  const { server, client } = await scripted(t)
  const text = '{ "status":"DONE","substatus":"REFUNDED","n":90071992547409931234 }'
  server.behaviour = (socket) => socket.write(http(200, text))
  t.equal((await client().status(HASH, {}, OPTIONS)).toString(), text)
  t.match(server.requests[0]!.head, `GET /v1/status?txHash=${HASH} HTTP`)
  await client().status(HASH, { fromChain: SUI, toChain: SUI, bridge: 'a/b & c' }, OPTIONS)
  t.match(
    server.requests[1]!.head,
    '&bridge=a%2Fb+%26+c&fromChain=9270000000000000&toChain=9270000000000000 HTTP',
  )
  const unknown = '{"status":"NOT_FOUND","substatusMessage":"The transaction was not found."}'
  server.behaviour = (socket) => socket.write(http(200, unknown))
  t.equal((await client().status(HASH, {}, OPTIONS)).toString(), unknown, 'an unknown hash is a status too')
  server.behaviour = status(400, refused(1_011))
  t.match(await failureOf(client().status(HASH, {}, OPTIONS)), { code: 'invalid_parameter', status: 400 })
  server.behaviour = status(404, refused(1_003))
  t.match(await failureOf(client().status(HASH, {}, OPTIONS)), { code: 'upstream_status', status: 404 })
  // No other try would mend it, whatever code it has.
  for (const code of [1_001, 1_004, 1_006, 1_007, 1_008, 1_012]) {
    server.behaviour = status(code % 2 === 0 ? 409 : 422, refused(code))
    const failure = await failureOf(client().status(HASH, {}, OPTIONS))
    t.match(failure, { code: 'upstream_status', status: code % 2 === 0 ? 409 : 422 }, `${code}`)
    t.notMatch(failure.message, /try again/i)
  }
  server.behaviour = status(503, refused(1_006))
  t.match(await failureOf(client().status(HASH, {}, OPTIONS)), { code: 'upstream_failed', status: 502 })
  for (const body of ['[]', '{}', '{"status":7}', 'null', 'x']) {
    server.behaviour = status(200, body)
    t.match(
      await failureOf(client().status(HASH, {}, OPTIONS)),
      { code: 'upstream_unusable', status: 502 },
      body,
    )
  }
})

t.test('a rate limit is one in a 400 too: whatever is asked next is refused at once', async (t) => {
  const { server, client } = await scripted(t)
  const { market } = await startXprov(t)
  const order = crossChain(market, ['base', null, evm], ['ethereum', null, evm], 1n)
  for (const [headers, waitMs] of [
    [[], 1_000],
    [['ratelimit-reset: 30'], 30_000],
  ] as const) {
    server.behaviour = status(400, refused(1_005), headers)
    const one = client()
    const before = server.requests.length
    t.match(await failureOf(one.quote(order, OPTIONS)), {
      code: 'upstream_rate_limited',
      status: 502,
      scope: 'provider',
      fields: { provider: 'xprov', upstreamStatus: 400 },
    })
    const next = await failureOf(one.status(HASH, {}, OPTIONS))
    t.match(next, { code: 'upstream_rate_limited', status: 502 })
    t.ok(next.fields.retryAfterMs! > waitMs - 1_000 && next.fields.retryAfterMs! <= waitMs)
    t.equal(server.requests.length - before, 1, 'it is left alone')
  }
})

t.test(
  'only bridges that can be proved are asked for, by the chain that a cross-chain swap starts on',
  async (t) => {
    const { client, market, requests, url } = await startXprov(t)
    const asked = async (one: Xprov, [from, wallet]: readonly [string, string], to: string) => {
      await one.quote(
        crossChain(market, [from, null, wallet], [to, 'USDC', to === 'solana' ? solana : evm], 10n ** 17n),
        OPTIONS,
      )
      return requests.at(-1)!.query.get('allowBridges')
    }
    t.match(await asked(client, ['base', evm], 'solana'), /^across,/)
    t.equal(await asked(client, ['base', evm], 'base'), null, 'nothing crosses')
    const order = crossChain(market, ['solana', null, solana], ['base', 'USDC', evm], 10n ** 9n)
    await client.quote(order, OPTIONS)
    t.equal(requests.at(-1)!.query.get('allowBridges'), 'mayan')
    await client.quote(crossChain(market, ['sui', null, sui], ['base', 'USDC', evm], 10n ** 10n), OPTIONS)
    t.equal(requests.at(-1)!.query.get('allowBridges'), 'mayanMCTP')
    const upstream = upstreamTo(t, url, 'xprov')
    const any = new Xprov({ quotes: upstream, rest: upstream, bridges: null })
    await any.quote(order, OPTIONS)
    t.equal(requests.at(-1)!.query.get('allowBridges'), null, 'any, where what is stated may be handed out')
  },
)

t.test('five failures of the provider in a row open its breaker, five of a route do not', async (t) => {
  const { server } = await scripted(t)
  const { market } = await startXprov(t)
  const order = crossChain(market, ['base', null, evm], ['ethereum', null, evm], 1n)
  const after = async (code: number) => {
    server.behaviour = status(400, refused(code))
    const upstream = upstreamTo(t, server.url, 'xprov')
    const one = new Xprov({ quotes: upstream, rest: upstream, bridges: null })
    for (let i = 0; i < 5; i++) await failureOf(one.quote(order, OPTIONS))
    return upstream.breaker.isReady
  }
  for (const code of [1_000, 1_006, 1_009, 1_013]) t.notOk(await after(code), String(code))
  for (const code of [1_001, 1_004, 1_007, 1_008, 1_012]) t.ok(await after(code), String(code))
  for (const code of [1_002, 1_003, 1_010, 1_011]) t.ok(await after(code), String(code))
})

t.test('a lock-out is honoured for as long as the provider says', async (t) => {
  const { server, client } = await scripted(t)
  server.behaviour = status(429, refused(1_005), ['ratelimit-reset: 30'])
  const one = client()
  const failure = await failureOf(one.status(HASH, {}, OPTIONS))
  t.ok(failure.fields.retryAfterMs! > 29_000 && failure.fields.retryAfterMs! <= 30_000)
  t.match(await failureOf(one.status(HASH, {}, OPTIONS)), { code: 'upstream_rate_limited' })
  t.equal(server.requests.length, 1)
  t.same(quotaFor('xprov', null, 'quote'), { calls: 75, windowMs: 7_200_000 })
})

const SELL: Order = orderOf('sui', 'USDC', 'SUI', 25_000_000n)
const BUILD: BuildOrder = { ...SELL, from: sui }

t.test("Sui's quote without a wallet is made for a placeholder, and says so", async (t) => {
  const { client, requests, market } = await startXprov(t)
  const provider = xprovSui(client)
  t.match({ ...provider, chains: [...provider.chains] }, { label: 'xprov', chains: ['sui'] })
  const offer = await provider.quote(SELL, OPTIONS)
  t.match(Object.fromEntries(requests[0]!.query), {
    fromAddress: PLACEHOLDER_FROM,
    toAddress: PLACEHOLDER_FROM,
    slippage: '0.03',
  })
  t.match(offer.details, { placeholderFrom: true })
  const fill = market
    .at(requests[0]!.now)
    .swap(
      market.find('sui', SELL.tokenIn.address)!,
      market.find('sui', SELL.tokenOut.address)!,
      SELL.amountIn,
    )!
  t.equal(offer.expectedOut, fill.amountOut)
  t.equal(offer.minOut, (fill.amountOut * 97n) / 100n)
  t.type(offer.priceImpactPct, 'number')
  t.notOk('placeholderFrom' in (await provider.quote(BUILD, OPTIONS)).details)
})

t.test('Sui builds from its own quote, and asks again where that was for somebody else', async (t) => {
  const { client, requests } = await startXprov(t)
  const provider = xprovSui(client)
  const own = await provider.quote(BUILD, OPTIONS)
  const built = await provider.build(BUILD, own, OPTIONS)
  t.equal(requests.length, 1, 'the quote has its transaction')
  t.match(await provider.prove(BUILD, own, built, callOf()), { sender: sui })

  const offer = await provider.quote(SELL, OPTIONS)
  const again = await provider.build(BUILD, offer, OPTIONS)
  t.equal(requests.length, 3)
  t.match(await provider.prove(BUILD, offer, again, callOf()), { sender: sui })

  const moved = { ...offer, minOut: offer.expectedOut + 1n }
  t.match(await failureOf(provider.build(BUILD, moved, OPTIONS)), {
    code: 'quote_moved',
    fields: { minOut: moved.minOut.toString(), expectedOut: offer.expectedOut.toString() },
  })
})

t.test('on Sui, a transaction for another wallet, or without one, is never handed out', async (t) => {
  const { client } = await startXprov(t)
  const forNobody = await xprovSui(client).quote(SELL, OPTIONS)
  const { server, client: scriptedClient } = await scripted(t)
  server.behaviour = status(200, forNobody.raw)
  const provider = xprovSui(scriptedClient())
  t.match(await failureOf(provider.build(BUILD, forNobody, OPTIONS)), {
    code: 'material_refused',
    fields: { rule: 'sender' },
  })
  const own = await xprovSui(client).quote(BUILD, OPTIONS)
  const unbuilt = { ...own, raw: own.raw.replace(/"data":"[^"]*"/, '"to":"x"') }
  t.match(await failureOf(provider.build(BUILD, unbuilt, OPTIONS)), {
    code: 'material_refused',
    fields: { rule: 'encoding' },
  })
})

t.test('on Sui, a quote for another swap is refused', async (t) => {
  const { client } = await startXprov(t)
  const own = await xprovSui(client).quote(BUILD, OPTIONS)
  const { server, client: scriptedClient } = await scripted(t)
  const lies: readonly [rule: string, said: string, instead: string][] = [
    ['amount', '"fromAmount":"25000000"', '"fromAmount":"24000000"'],
    ['minimum', `"toAmountMin":"${own.minOut}"`, '"toAmountMin":"0"'],
    ['slippage', `"toAmountMin":"${own.minOut}"`, `"toAmountMin":"${own.minOut / 2n}"`],
    ['destination_chain', '"toChainId":9270000000000000', '"toChainId":1'],
    ['received_token', '::sui::SUI"', '::sui::SUIT"'],
  ]
  for (const [rule, said, instead] of lies) {
    const raw = own.raw.replaceAll(said, instead)
    t.not(raw, own.raw, rule)
    server.behaviour = status(200, raw)
    const provider = xprovSui(scriptedClient())
    t.match(await failureOf(provider.quote(BUILD, OPTIONS)), { code: 'upstream_unusable' }, rule)
    const refused = { code: 'material_refused', fields: { rule } }
    t.match(await failureOf(provider.build(BUILD, { ...own, raw }, OPTIONS)), refused, rule)
  }
})

t.test("Sui's minimum does not fall with the market: a closer slippage is asked for", async (t) => {
  const { client, requests } = await startXprov(t)
  const provider = xprovSui(client)
  const forNobody = await provider.quote(SELL, OPTIONS)
  // What the caller was promised lies between what the market gives now, and what three percent leave of it.
  const minOut = (forNobody.expectedOut * 99n) / 100n
  const offer = { ...forNobody, minOut }
  const built = await provider.build(BUILD, offer, OPTIONS)
  t.equal(requests.length, 3)
  t.equal(requests[2]!.query.get('slippage'), '0.01')
  const proof = await provider.prove(BUILD, offer, built, callOf())
  t.ok(proof.checks.includes('minimum'), 'the bytes carry the minimum that was promised')
})

t.test('Sui: a route through upgraded packages is proved where two nodes vouch for them', async (t) => {
  const { client } = await startXprov(t)
  const order = { ...BUILD, from: BUILD.from.replace(/..$/, '59') }
  const asked: string[][] = []
  const vouching = (upgrades: ReadonlyMap<string, string>) => ({
    async upgrades(packages: readonly string[]) {
      asked.push([...packages])
      return upgrades
    },
  })
  const offer = await xprovSui(client).quote(order, OPTIONS)
  const built = await xprovSui(client).build(order, offer, OPTIONS)
  const refused = { code: 'material_refused', fields: { rule: 'package' } }
  const [router, venue] = [...UPGRADED.keys()]
  for (const objects of [null, vouching(new Map()), vouching(new Map([[router!, UPGRADED.get(router!)!]]))])
    t.match(
      await failureOf(Promise.resolve(xprovSui(client, objects).prove(order, offer, built, callOf()))),
      refused,
    )
  t.same(asked, [
    [router, venue],
    [router, venue],
  ])
  const proof = await xprovSui(client, vouching(UPGRADED)).prove(order, offer, built, callOf())
  t.ok(proof.checks.includes('minimum'))
})
