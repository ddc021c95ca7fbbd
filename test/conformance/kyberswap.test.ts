import t from 'tap'
import { memberText } from '../../src/chains/json/member.ts'
import { kyberswap } from '../../src/providers/swap/kyberswap.ts'
import { kyberswap as sandboxKyberswap, sealed } from '../../src/sandbox/swap/kyberswap.ts'
import { callOf } from '../fixtures/call.ts'
import { clockOf } from '../fixtures/clock.ts'
import { evmOrder } from '../fixtures/evm-orders.ts'
import { loadOpenApi } from '../fixtures/openapi.ts'
import { NOW, OPTIONS, startProvider } from '../fixtures/provider.ts'
import { readVectorLines, skipWithout } from '../fixtures/vectors.ts'

/**
 * Where the API is known to differ from the document: it answers null if a hop has no
 * extras, which the document wants as objects in an answer and as strings in a body, and an empty `chargeFeeBy` where there is no fee, as the document's own prose says. Recorded
 * routes have a number as `timestamp`.
 */
const DEVIATION =
  /\/(poolExtra|extra) must be (string|object)$|\/chargeFeeBy must be equal to one of the allowed values$|\/timestamp must be string$/

t.test("KyberSwap's own document allows what we send, and what our sandbox answers", async (t) => {
  const document = loadOpenApi(t, 'kyberswap-aggregator.yaml')
  if (document === null) return
  const { upstream, requests, url } = await startProvider(t, sandboxKyberswap)
  const kyber = kyberswap({ upstream, clock: clockOf({ date: () => NOW }) })
  for (const slippageBps of [300, 5_000]) {
    for (const [from, to] of [
      ['ETH', 'USDC'],
      ['AERO', 'DEGEN'],
    ] as const) {
      const order = { ...evmOrder('base', from, to, 10n ** 18n), slippageBps }
      await kyber.build(order, await kyber.quote(order, OPTIONS), OPTIONS)
    }
  }
  t.equal(requests.length, 8)
  for (const { method, path, query, text, body } of [...requests]) {
    const sent = document.request(method, path, { query, body })
    t.strictSame(
      sent.filter((violation) => !DEVIATION.test(violation)),
      [],
      `${method} ${path}`,
    )
    const init = method === 'POST' ? { method, body: text } : { method }
    const response = await fetch(`${url}${path}?${query}`, init)
    t.equal(response.status, 200)
    const answered = document.response(method, path, 200, await response.json())
    t.strictSame(
      answered.filter((violation) => !DEVIATION.test(violation)),
      [],
      `${path} answered`,
    )
  }
})

t.test('so it does where a market maker backs out, and where no wallet is named', async (t) => {
  const document = loadOpenApi(t, 'kyberswap-aggregator.yaml')
  if (document === null) return
  const sandbox = await startProvider(t, ({ market }) => {
    const server = sandboxKyberswap({ market })
    let builds = 0
    return {
      ...server,
      handle: (request) =>
        request.method === 'POST' && ++builds === 1
          ? { status: 422, body: { code: 4222, message: 'no', details: null, requestId: 'r' } }
          : server.handle(request),
    }
  })
  const kyber = kyberswap({ upstream: sandbox.upstream, clock: clockOf({ date: () => NOW }) })
  const order = evmOrder('base', 'ETH', 'USDC', 10n ** 18n)
  await kyber.build(order, await kyber.quote({ ...order, from: null }, OPTIONS), OPTIONS)
  t.same(
    sandbox.requests.map(({ method, query }) => `${method} ${query.get('excludeRFQSources') ?? ''}`.trim()),
    ['GET', 'POST', 'GET true', 'POST'],
  )
  for (const { method, path, query, body } of sandbox.requests) {
    const sent = document.request(method, path, { query, body })
    t.strictSame(
      sent.filter((violation) => !DEVIATION.test(violation)),
      [],
      `${method} ${path}?${query}`,
    )
  }
})

t.test("the sandbox's errors have the document's shape", async (t) => {
  const document = loadOpenApi(t, 'kyberswap-aggregator.yaml')
  if (document === null) return
  const { url } = await startProvider(t, sandboxKyberswap)
  for (const query of ['amountIn=x', 'amountIn=1&tokenIn=0x1&tokenOut=0x2']) {
    const response = await fetch(`${url}/base/api/v1/routes?${query}`)
    t.equal(response.status, 400)
    const violations = document.schema('Error', await response.json())
    // The vendor's error reference: `details` is a list of violations, or null; the document says object.
    t.strictSame(
      violations.filter((violation) => violation !== 'Error/details must be object'),
      [],
      query,
    )
  }
})

interface Recorded {
  readonly id: string
  readonly pair?: { readonly route: Answer; readonly build: Answer }
  readonly figuresOnly?: {
    readonly routeSummary: { readonly amountOut: string }
    readonly build: { readonly amountOut: string }
    readonly calldata: { readonly minReturnAmount: string }
    readonly slippageBps: number
  }
}
interface Answer {
  readonly data: Readonly<Record<string, unknown>>
}

const PAIRS = 'live/kyberswap.jsonl'

t.test('recorded pairs of a route and its build pass', { skip: skipWithout(PAIRS) }, async (t) => {
  const order = { ...evmOrder('base', 'ETH', 'USDC', 10n ** 18n), slippageBps: 50 }
  for (const { id, pair, figuresOnly } of readVectorLines<Recorded>(PAIRS)) {
    const { routeSummary } = (pair?.route.data as unknown as NonNullable<typeof figuresOnly>) ?? figuresOnly
    const given = pair === undefined ? figuresOnly!.build.amountOut : String(pair.build.data.amountOut)
    const { upstream } = await startProvider(t, ({ market }) => {
      const server = sandboxKyberswap({ market }, () => BigInt(given))
      return {
        ...server,
        // The recorded amount for the sandbox's own pair, whose calldata can be made.
        async handle(request) {
          const reply = await server.handle(request)
          if (request.method !== 'GET') return reply
          return { ...reply, body: resealed(String(reply.body), routeSummary.amountOut) }
        },
      }
    })
    const kyber = kyberswap({ upstream, clock: clockOf({ date: () => NOW }) })
    for (const slippageBps of [50, 100, 300]) {
      const asked = { ...order, slippageBps }
      const offer = await kyber.quote(asked, OPTIONS)
      t.equal(String(offer.expectedOut), given, `${id}: as its build will give`)
      const material = await kyber.build(asked, offer, OPTIONS)
      const proof = await kyber.prove(asked, offer, material, callOf())
      t.match(proof, { minOut: String(offer.minOut) }, `${id} at ${slippageBps} bps`)
      t.match(material, { expectedOut: given })
      if (figuresOnly?.slippageBps === slippageBps)
        t.equal(proof.minOut, figuresOnly.calldata.minReturnAmount, `${id}: the recorded minimum`)
    }
  }
})

t.test(
  "the sandbox's answers have the fields and types of the recorded ones",
  {
    skip: skipWithout(PAIRS),
  },
  async (t) => {
    const recorded = readVectorLines<Recorded>(PAIRS).find(({ pair }) => pair !== undefined)!.pair!
    const { upstream, requests, url } = await startProvider(t, sandboxKyberswap)
    const kyber = kyberswap({ upstream, clock: clockOf({ date: () => NOW }) })
    const order = evmOrder('base', 'ETH', 'USDC', 10n ** 18n)
    await kyber.build(order, await kyber.quote(order, OPTIONS), OPTIONS)
    const [route, build] = await Promise.all(
      [...requests].map(async ({ method, path, query, text }) => {
        const init = method === 'POST' ? { method, body: text } : { method }
        return (await (await fetch(`${url}${path}?${query}`, init)).json()) as Answer
      }),
    )
    const summaryOf = ({ data }: Answer) => typesOf(data.routeSummary)
    t.strictSame(summaryOf(route!), summaryOf(recorded.route))
    t.strictSame(typesOf(build!.data), typesOf(recorded.build.data))
    const fallOf = (one: Answer, other: Answer) =>
      BigInt((one.data.routeSummary as { amountOut: string }).amountOut) -
      BigInt(String(other.data.amountOut))
    t.equal(fallOf(route!, build!), fallOf(recorded.route, recorded.build), 'and a build gives as much less')
  },
)

/** A route with another amount, under a checksum of its own. */
function resealed(body: string, amountOut: string): string {
  const summary = memberText(Buffer.from(body), ['data', 'routeSummary'])!
  const changed = summary
    .replace(/"amountOut":"\d+"/, `"amountOut":"${amountOut}"`)
    .replace(/"checksum":"\d+"/, '"checksum":""')
  return body.replace(summary, sealed(changed))
}

/** The names of an object's members, each with the type of its value. */
const typesOf = (value: unknown): object =>
  Object.fromEntries(
    Object.entries(value as object)
      .map(([name, one]) => [name, Array.isArray(one) ? 'list' : typeof one] as const)
      .sort(),
  )

t.test('the judge finds the faults', async (t) => {
  const document = loadOpenApi(t, 'kyberswap-aggregator.yaml')
  if (document === null) return
  const path = '/base/api/v1/routes'
  t.strictSame(document.request('GET', '/base/api/v2/routes'), ['GET /base/api/v2/routes is not described'])
  t.strictSame(document.request('GET', path, { query: { tokenIn: 'a', tokenOut: 'b', amount: '1' } }), [
    'query parameter amount is not described',
    'query parameter amountIn is missing',
  ])
  const query = { tokenIn: 'a', tokenOut: 'b', amountIn: '1', gasInclude: 'yes' }
  t.strictSame(document.request('GET', path, { query }), ['gasInclude must be boolean'])
  t.strictSame(document.response('GET', path, 418, {}), ['status 418 is not described'])
  t.ok(document.response('GET', path, 200, { code: 0 }).length > 0)
  const build = '/base/api/v1/route/build'
  t.ok(document.request('POST', build, { body: { sender: 1, recipent: '' } }).length > 1)
  t.strictSame(document.request('POST', build), ['the body is missing'])
})
