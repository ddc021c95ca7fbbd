import t from 'tap'
import { kyberswap } from '../../src/providers/swap/kyberswap.ts'
import { kyberswap as sandboxKyberswap } from '../../src/sandbox/swap/kyberswap.ts'
import { clockOf } from '../fixtures/clock.ts'
import { evmOrder } from '../fixtures/evm-orders.ts'
import { loadOpenApi } from '../fixtures/openapi.ts'
import { NOW, OPTIONS, startProvider } from '../fixtures/provider.ts'

/**
 * Where the API is known to differ from the document: it answers null where a hop has no
 * extras, which the document wants as objects in an answer and as strings in a body, and an empty `chargeFeeBy` where there is no fee, as the document's own prose says.
 */
const DEVIATION =
  /\/(poolExtra|extra) must be (string|object)$|\/chargeFeeBy must be equal to one of the allowed values$/

t.test("KyberSwap's own document allows what we send, and what our sandbox answers", async (t) => {
  const document = loadOpenApi(t, 'kyberswap-aggregator.yaml')
  if (document === null) return
  const { upstream, requests, url } = await startProvider(t, sandboxKyberswap)
  const kyber = kyberswap({ upstream, clientId: 'us', clock: clockOf({ date: () => NOW }) })
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
  const kyber = kyberswap({ upstream: sandbox.upstream, clientId: 'us', clock: clockOf({ date: () => NOW }) })
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

t.test('the judge finds what is wrong', async (t) => {
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
