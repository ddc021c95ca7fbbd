import t, { type Test } from 'tap'
import { floorUnits } from '../../../src/chains/json/decimal.ts'
import type { BuildOrder } from '../../../src/proof/terms/order.ts'
import { TonContracts } from '../../../src/proof/ton/contracts.ts'
import { dedustPools } from '../../../src/proof/ton/dedust.ts'
import type { Offer, SwapProvider } from '../../../src/providers/provider.ts'
import { proseReader } from '../../../src/providers/swap/prose.ts'
import { swapcoffee, swapcoffeeDecimals } from '../../../src/providers/swap/swapcoffee.ts'
import { swapcoffee as sandboxSwapcoffee } from '../../../src/sandbox/swap/swapcoffee.ts'
import { contractAddress } from '../../../src/sandbox/ton/addresses.ts'
import { tonNodes, tonUrls } from '../../../src/sandbox/ton/node.ts'
import { TonRpc } from '../../../src/upstream/nodes/ton/rpc.ts'
import { callOf } from '../../fixtures/call.ts'
import { clockOf } from '../../fixtures/clock.ts'
import fc from '../../fixtures/fast-check.ts'
import { type HostileUpstream, hostileUpstream, http, status } from '../../fixtures/hostile-upstream.ts'
import { failureOf, NOW, OPTIONS, orderOf, startProvider, upstreamTo } from '../../fixtures/provider.ts'

const FROM = contractAddress('somebody')
const USDT = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'
const POOL = 'EQCM3B12QK1e4yZSf8GtBRT0aLMNyEsBc_DhVfRRtOEffLez'
const CELL = 'te6cckEBAQEAAgAAAEysuc0='

const BUY = orderOf('ton', 'GRAM', 'USDT', 12_500_000_000n)
const SELL = orderOf('ton', 'USDT', 'GRAM', 5_000_000n)

const built = (order: typeof BUY): BuildOrder => ({ ...order, from: FROM })

async function sandbox(t: Test) {
  const provider = await startProvider(t, sandboxSwapcoffee)
  const { url } = await startProvider(t, tonNodes)
  const rpc = new TonRpc({ urls: tonUrls(url) })
  t.teardown(() => rpc.close())
  const clock = clockOf({ date: () => NOW })
  const { upstream } = provider
  return {
    ...provider,
    coffee: swapcoffee({ upstream, contracts: new TonContracts(rpc, clock), clock }),
    alone: swapcoffee({ upstream, clock }),
  }
}

/** An adapter before an upstream that says what the test says. */
async function scripted(t: Test): Promise<{ server: HostileUpstream; coffee: SwapProvider }> {
  const server = await hostileUpstream(t)
  return {
    server,
    coffee: swapcoffee({
      upstream: upstreamTo(t, server.url, 'swapcoffee'),
      clock: clockOf({ date: () => NOW }),
    }),
  }
}

const asset = (address: string, decimals: unknown) =>
  `{"address":{"blockchain":"ton","address":"${address}"},"metadata":{"symbol":"X","decimals":${decimals}}}`

const PATHS = `[ {"blockchain":"ton", "dex":"stonfi_v2","pool_address":"${POOL}","query":9007199254740993,
  "swap":{"result":"fully_fulfilled","input_amount":12.50,"output_amount":1.9E1,"\\u0078":"\\u00e9"},"next":[]} ]`

/** A route's text, members replaced or (null) left out. */
function route(changes: Readonly<Record<string, string | null>> = {}): string {
  const members = {
    input_token: asset('native', 9),
    output_token: asset(USDT, 6),
    input_amount: '12.5',
    output_amount: '19.218733',
    price_impact: '-0.0012',
    recommended_gas: '0.2',
    paths: PATHS,
    ...changes,
  }
  const text = Object.entries(members).filter(([, value]) => value !== null)
  return `{${text.map(([name, value]) => `"${name}":${value}`).join(',')}}`
}

t.test('quotes what the market gives, in base units', async (t) => {
  const { coffee, market, requests } = await sandbox(t)
  const offer = await coffee.quote(BUY, OPTIONS)
  const [ton, usdt] = [market.native('ton'), market.find('ton', USDT)!]
  const fill = market.at(NOW).swap(ton, usdt, BUY.amountIn)!
  t.equal(offer.expectedOut, fill.amountOut)
  t.equal(offer.minOut, (fill.amountOut * 9_700n) / 10_000n)
  t.ok(Math.abs(offer.priceImpactPct! - fill.priceImpactPct) < 1e-9)
  t.strictSame(offer.details, {
    stated: { hops: [{ dex: 'stonfi_v2', pool: fill.hops[0]!.pool }], recommendedGas: 0.2 },
  })
  t.equal(
    requests[0]!.text,
    `{"input_token":{"blockchain":"ton","address":"native"},"output_token":{"blockchain":"ton","address":"${USDT}"},"input_amount":12.5,"max_splits":1,"max_length":2,"pool_selector":{"dexes":["stonfi","stonfi_v2","dedust"]}}`,
  )
  t.same([coffee.label, coffee.freshMs, [...coffee.chains]], ['swapcoffee', 10_000, ['ton']])
})

t.test(
  'a pair that takes two swaps in a row has no route, because only the last one has a minimum',
  async (t) => {
    const { coffee } = await sandbox(t)
    const order = orderOf('ton', 'NOT', 'STON', 1_000_000_000_000n)
    t.equal((await failureOf(coffee.quote(order, OPTIONS))).code, 'no_route')
  },
)

t.test('a build passes the proof, both ways', async (t) => {
  const { coffee } = await sandbox(t)
  // DOGS is traded at DeDust, the others at STON.fi.
  const [buyDogs, sellDogs] = [
    orderOf('ton', 'GRAM', 'DOGS', 1_500_000_000n),
    orderOf('ton', 'DOGS', 'GRAM', 10n ** 14n),
  ]
  for (const order of [BUY, SELL, buyDogs, sellDogs]) {
    const offer = await coffee.quote(order, OPTIONS)
    const material = await coffee.build(built(order), offer, OPTIONS)
    if (material.kind !== 'ton') return t.fail('no TON message')
    t.equal(material.message.validUntil, NOW / 1_000 + 300, 'in seconds')
    const proof = await coffee.prove(built(order), offer, material, callOf())
    t.equal(proof.sender, FROM)
    t.equal(proof.recipient, FROM)
    t.equal(proof.minOut, String(offer.minOut))
    t.equal(proof.checks.includes('pools'), order === buyDogs || order === sellDogs)
    const more = { ...offer, minOut: offer.minOut + 1n }
    const failure = await failureOf(Promise.resolve(coffee.prove(built(order), more, material, callOf())))
    t.equal(failure.fields.rule, 'minimum')
  }
})

t.test("an amount beyond what the provider's double holds is proved as it was sent", async (t) => {
  const { coffee } = await sandbox(t)
  const order = { ...BUY, amountIn: 123_456_789_012_345_678n }
  const offer = await coffee.quote(order, OPTIONS)
  const material = await coffee.build(built(order), offer, OPTIONS)
  t.match(await coffee.prove(built(order), offer, material, callOf()), { gas: '200000000' })
})

t.test('the nodes are asked about what a message names, and without them nothing is proved', async (t) => {
  const { coffee, alone } = await sandbox(t)
  for (const [order, rule] of [
    [orderOf('ton', 'USDC', 'GRAM', 5_000_000n), 'jetton_wallet'],
    [orderOf('ton', 'GRAM', 'USDC', 5_000_000_000n), 'jetton_wallet'],
    [BUY, 'router'],
  ] as const) {
    const offer = await coffee.quote(order, OPTIONS)
    const material = await coffee.build(built(order), offer, OPTIONS)
    t.match(await coffee.prove(built(order), offer, material, callOf()), { sender: FROM })
    const failure = await failureOf(Promise.resolve(alone.prove(built(order), offer, material, callOf())))
    t.match(failure, { code: 'material_unproved', fields: { rule }, message: /RPC_URLS_TON/ })
  }
})

t.test('a route that the proof could not read is none', async (t) => {
  const { server, coffee } = await scripted(t)
  const DEDUST = 'EQA-X_yo3fzzbDbJ_0bzFWKqtRuZFIRa1sJsveZJ1YpViO3r'
  const through = (dex: string, pool: string) => PATHS.replace('stonfi_v2', dex).replace(POOL, pool)
  const cases: [paths: string, code: string | null][] = [
    [PATHS, null],
    [through('stonfi', POOL), null],
    [through('dedust', DEDUST), null],
    [through('dedust', dedustPools(null, USDT)[1]), null],
    [through('dedust', dedustPools(null, contractAddress('another jetton'))[0]), 'no_route'],
    [through('dedust', POOL), 'no_route'],
    [through('dedust', 'nonsense'), 'no_route'],
    [through('tonco', POOL), 'no_route'],
    [PATHS.replace('"next":[]', `"next":[{"dex":"stonfi","pool_address":"${POOL}"}]`), 'no_route'],
  ]
  for (const [paths, code] of cases) {
    server.behaviour = status(200, route({ paths }))
    const quote = coffee.quote(BUY, OPTIONS)
    if (code === null) t.ok(await quote, paths)
    else t.equal((await failureOf(quote)).code, code, paths)
  }
})

t.test('the paths go back byte for byte, and slippage as a fraction in digits', async (t) => {
  const { server, coffee } = await scripted(t)
  server.behaviour = status(200, route())
  const offer = await coffee.quote(BUY, OPTIONS)
  t.equal(offer.raw, route())
  const transaction = `{"address":"${POOL}","value":"12815000000","cell":"${CELL}","send_mode":3,"query_id":1}`
  server.behaviour = status(200, `{"route_id":1,"transactions":[${transaction}]}`)
  const cases: [bps: number, fraction: string][] = [
    [1, '0.0001'],
    [10, '0.001'],
    [300, '0.03'],
    [1_234, '0.1234'],
    [5_000, '0.5'],
  ]
  for (const [slippageBps, fraction] of cases) {
    const material = await coffee.build({ ...built(BUY), slippageBps }, offer, OPTIONS)
    const { head, body } = server.requests.at(-1)!
    t.match(head, /^POST \/v2\/route\/transactions HTTP/)
    t.equal(body, `{"sender_address":"${FROM}","slippage":${fraction},"paths":${PATHS}}`)
    t.strictSame(material, {
      kind: 'ton',
      message: {
        to: POOL,
        value: '12815000000',
        payload: CELL,
        stateInit: null,
        validUntil: NOW / 1_000 + 300,
        from: FROM,
      },
    })
  }
})

t.test("amounts are written as digits, and never beyond what the provider's double holds", async (t) => {
  const { server, coffee } = await scripted(t)
  server.behaviour = status(200, route({ input_token: asset(USDT, 6), output_token: asset('native', 9) }))
  const sent = async (amountIn: bigint): Promise<{ literal: string; offer: Offer }> => {
    const offer = await coffee.quote({ ...SELL, amountIn }, OPTIONS)
    return { literal: /"input_amount":([^,]+),/.exec(server.requests.at(-1)!.body)![1]!, offer }
  }
  const cases: [amount: bigint, literal: string, sent?: string][] = [
    [1n, '0.000001'],
    [1_000_000n, '1'],
    [999_999_999_999_999n, '999999999.999999'],
    // Sixteen digits that a double happens to hold, and sixteen that it would change.
    [9_007_199_254_740_993n, '9007199254.740993'],
    [9_007_199_254_740_991n, '9007199254.74099', '9007199254740990'],
    [123_456_789_012_345_678_901n, '123456789012345', '123456789012345000000'],
  ]
  for (const [amount, literal, amountSent] of cases) {
    const { literal: actual, offer } = await sent(amount)
    t.equal(actual, literal)
    t.equal(offer.details.amountSent, amountSent)
  }
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: 1n, max: 1n << 100n }), async (amount) => {
      const { literal } = await sent(amount)
      const held = floorUnits(String(Number(literal)), 6)!
      return held <= amount && amount - held <= amount / 10n ** 14n
    }),
    { numRuns: 50 },
  )
})

t.test('the amount that comes out is read from its digits', async (t) => {
  const { server, coffee } = await scripted(t)
  const cases: [literal: string, expectedOut: bigint, minOut: bigint][] = [
    ['19.2187339999', 19_218_733n, 18_642_171n],
    ['9007199254740993.000001', 9_007_199_254_740_993_000_001n, 8_736_983_277_098_763_210_000n],
    ['1.9E-5', 19n, 18n],
    ['1', 1_000_000n, 970_000n],
  ]
  for (const [literal, expectedOut, minOut] of cases) {
    server.behaviour = status(200, route({ output_amount: literal }))
    const offer = await coffee.quote(BUY, OPTIONS)
    t.equal(offer.expectedOut, expectedOut, literal)
    t.equal(offer.minOut, minOut, literal)
  }
})

t.test('its price impact is negative for a loss, and ours positive', async (t) => {
  const { server, coffee } = await scripted(t)
  for (const [theirs, ours] of [
    ['-0.0012', 0.12],
    ['0.0012', -0.12],
    ['0', 0],
    ['null', null],
    [null, null],
  ] as const) {
    server.behaviour = status(200, route({ price_impact: theirs }))
    t.equal((await coffee.quote(BUY, OPTIONS)).priceImpactPct, ours)
  }
})

t.test('decimals may be text', async (t) => {
  const { server, coffee } = await scripted(t)
  server.behaviour = status(200, route({ output_token: asset(USDT, '"6"') }))
  t.equal((await coffee.quote(BUY, OPTIONS)).expectedOut, 19_218_733n)
})

t.test('another swap than the one that was asked for is refused', async (t) => {
  const { server, coffee } = await scripted(t)
  const partial = PATHS.replace('fully_fulfilled', 'partially_fulfilled')
  const cases: [changes: Record<string, string | null>, code: string][] = [
    [{ output_token: asset(contractAddress('a similar token'), 6) }, 'unknown_token'],
    [{ output_token: asset('native', 9) }, 'unknown_token'],
    [{ output_token: asset('USDT', 6) }, 'unknown_token'],
    [{ input_token: asset(USDT, 6) }, 'unknown_token'],
    [{ output_token: asset(USDT, 9) }, 'upstream_unusable'],
    [{ input_token: asset('native', '"6"') }, 'upstream_unusable'],
    [{ output_token: asset(USDT, '"x"') }, 'upstream_unusable'],
    [{ output_token: asset(USDT, 37) }, 'upstream_unusable'],
    [{ output_token: asset(USDT, '"37"') }, 'upstream_unusable'],
    [{ output_token: asset(USDT, 6).replace('"ton"', '"eth"') }, 'upstream_unusable'],
    [{ output_amount: '-19.2' }, 'upstream_unusable'],
    [{ output_amount: '"19.2"' }, 'upstream_unusable'],
    [{ output_amount: null }, 'upstream_unusable'],
    [{ output_amount: '0' }, 'amount_too_small'],
    [{ output_amount: '9.9E-7' }, 'amount_too_small'],
    [{ paths: '[]' }, 'no_route'],
    [{ paths: 'null' }, 'upstream_unusable'],
    [{ paths: `${PATHS.slice(0, -1)},${PATHS.slice(1)}` }, 'upstream_unusable'],
    [{ paths: partial }, 'amount_too_large'],
    [{ left_amount: '0.5' }, 'amount_too_large'],
  ]
  for (const [changes, code] of cases) {
    server.behaviour = status(200, route(changes))
    // A breaker that has opened would answer for the upstream.
    const fresh = swapcoffee({ upstream: upstreamTo(t, server.url, 'swapcoffee') })
    const failure = await failureOf(fresh.quote(BUY, OPTIONS))
    t.equal(failure.code, code, JSON.stringify(changes))
    t.equal(failure.fields.provider, 'swapcoffee')
  }
  server.behaviour = status(200, route({ left_amount: '0' }))
  t.ok(await coffee.quote(BUY, OPTIONS), 'nothing left is the whole amount')
})

t.test('anything but exactly one message is refused', async (t) => {
  const { server, coffee } = await scripted(t)
  const one = `{"address":"${POOL}","value":"1","cell":"${CELL}"}`
  const offer: Offer = { expectedOut: 1n, minOut: 1n, priceImpactPct: null, details: {}, raw: route() }
  const cases: [transactions: string, code: string][] = [
    [`[${one},${one}]`, 'material_refused'],
    ['[]', 'material_refused'],
    ['null', 'upstream_unusable'],
    [`[${one.replace('"1"', '1')}]`, 'upstream_unusable'],
    [`[${one.replace('"1"', '"-1"')}]`, 'upstream_unusable'],
    [`[${one.replace('"cell"', '"sell"')}]`, 'upstream_unusable'],
  ]
  for (const [transactions, code] of cases) {
    server.behaviour = status(200, `{"route_id":1,"transactions":${transactions}}`)
    const failure = await failureOf(coffee.build(built(BUY), offer, OPTIONS))
    t.equal(failure.code, code, transactions)
    if (code === 'material_refused') t.equal(failure.fields.rule, 'one_message')
  }
  server.behaviour = status(200, `{"transactions":[${one.replace('}', `,"stateInit":"${CELL}"}`)}]}`)
  t.match(await coffee.build(built(BUY), offer, OPTIONS), { message: { stateInit: CELL } })
})

t.test('every refusal has its code, and never the provider’s words', async (t) => {
  const { server } = await scripted(t)
  const cases: [status: number, body: string, code: string, ours: number][] = [
    [400, '{"error":"No route found"}', 'no_route', 400],
    [400, '{"error":"Route was not found for the pair"}', 'no_route', 400],
    [422, '{"error":"Insufficient liquidity"}', 'no_route', 400],
    [404, '{"error":"Token EQxyz was not found"}', 'unknown_token', 400],
    [400, '{"error":"address is not valid"}', 'unknown_token', 400],
    [400, '{"error":"Input amount is too small"}', 'amount_too_small', 400],
    [400, '{"error":"input_amount must be at most 5"}', 'amount_too_large', 400],
    [400, '{"error":"max_length is odd"}', 'upstream_status', 400],
    [409, '{"error":"try later"}', 'upstream_status', 409],
    [401, '{"error":"Invalid API key"}', 'upstream_refused', 502],
    [403, '{"error":"Invalid API key"}', 'upstream_refused', 502],
    [429, '{"error":"Too many requests"}', 'upstream_rate_limited', 502],
    [500, '{"error":"No route found"}', 'upstream_failed', 502],
    [200, '{"error":"No route found"}', 'upstream_unusable', 502],
    [200, '<html>', 'upstream_unusable', 502],
    [200, '', 'upstream_unusable', 502],
    [302, '', 'upstream_unusable', 502],
  ]
  for (const [code, body, expected, ours] of cases) {
    server.behaviour = (socket) => socket.write(http(code, body))
    const coffee = swapcoffee({ upstream: upstreamTo(t, server.url, 'swapcoffee') })
    const failure = await failureOf(coffee.quote(BUY, OPTIONS))
    t.equal(failure.code, expected, `${code} ${body}`)
    t.equal(failure.status, ours, `${code} ${body}`)
    t.notMatch(failure.message, /EQxyz|API key/)
  }
})

t.test('prose is understood only where it is short and clear', async (t) => {
  const cases: [text: string, code: string | null][] = [
    ['no path', 'no_route'],
    ['Could not find pool: not found', 'no_route'],
    ['No route.', 'no_route'],
    ['unknown jetton', 'unknown_token'],
    ['Coin type is not supported', 'unknown_token'],
    ['offer amount below minimum', 'amount_too_small'],
    ['units exceeds the reserve', 'amount_too_large'],
    ['insufficient input amount', 'amount_too_small'],
    ['Not Found', null],
    ['Bad Request', null],
    ['', null],
    [`no route${' '.repeat(5_000)}`, null],
  ]
  const read = proseReader('x', () => null)
  for (const [text, code] of cases) {
    const refused = () => read(400, Buffer.from(text))
    if (code === null) t.equal(refused(), null, text.slice(0, 40))
    else t.throws(refused, { code }, text.slice(0, 40))
  }
})

t.test('the sandbox answers as the provider does, down to a similar token', async (t) => {
  const { coffee, requests } = await sandbox(t)
  const ghost = orderOf('ton', 'GRAM', 'GHOST', 1_000_000_000n)
  const nowhere = { ...BUY, tokenOut: { address: contractAddress('nowhere'), isNative: false, decimals: 9 } }
  const cases: [order: typeof BUY, code: string][] = [
    [ghost, 'no_route'],
    [nowhere, 'unknown_token'],
    [{ ...BUY, tokenIn: nowhere.tokenOut }, 'unknown_token'],
    [{ ...BUY, amountIn: 1n }, 'amount_too_small'],
  ]
  for (const [order, code] of cases) t.equal((await failureOf(coffee.quote(order, OPTIONS))).code, code)
  t.equal(requests.length, cases.length, 'each asked once')
})

t.test("a jetton's decimals come from a route of one TON", async (t) => {
  const { upstream, requests, market } = await sandbox(t)
  const decimalsOf = swapcoffeeDecimals(upstream)
  for (const symbol of ['USDT', 'NOT']) {
    const token = market.tokens('ton').find((one) => one.symbol === symbol)!
    t.equal(await decimalsOf(BUY.chain, token.address, OPTIONS), token.decimals)
  }
  t.match(requests[0]!.text, /"address":"native".*"input_amount":1,/)
  t.equal((await failureOf(decimalsOf(BUY.chain, contractAddress('nowhere'), OPTIONS))).code, 'unknown_token')
})

t.test('each fault has its code in bounded time, and passes', async (t) => {
  const { url, dials } = await sandbox(t)
  const cases = [
    ['429', 'upstream_rate_limited'],
    ['500', 'upstream_failed'],
    ['garbage', 'upstream_unusable'],
    ['hang', 'upstream_timeout'],
    ['latency', 'upstream_timeout'],
    ['stale', null],
  ] as const
  for (const [fault, code] of cases) {
    let nowMs = 0
    const upstream = upstreamTo(t, url, 'swapcoffee', () => nowMs)
    const coffee = swapcoffee({ upstream })
    dials.set('swapcoffee', fault)
    const quote = coffee.quote(BUY, OPTIONS.within(code === 'upstream_timeout' ? 50 : 2_000))
    if (code === null) t.ok(await quote)
    else t.equal((await failureOf(quote)).code, code, fault)
    dials.set('swapcoffee', null)
    // The breaker's longest pause.
    nowMs += 60_000
    t.ok(await coffee.quote(BUY, OPTIONS), `works again after ${fault}`)
  }
})
