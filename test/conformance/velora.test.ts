import t from 'tap'
import { velora } from '../../src/providers/swap/velora.ts'
import { velora as sandboxVelora } from '../../src/sandbox/swap/velora.ts'
import { clockOf } from '../fixtures/clock.ts'
import { evmOrder } from '../fixtures/evm-orders.ts'
import { loadOpenApi } from '../fixtures/openapi.ts'
import { failureOf, NOW, OPTIONS, startProvider } from '../fixtures/provider.ts'

/**
 * The document is of version 5, of which 6.2 is a superset. By the
 * provider's SDK these query parameters are newer than the document, and so are the functions of 6.2's router and one source of
 * makers' orders.
 * The fee is a whole number there, and 0.01 in live answers of October 2026.
 */
const NEWER =
  /^query parameter (version|maxImpact|ignoreBadUsdPrice|excludeRFQ) is not described$|^(excludeContractMethods|excludeDEXS).\d must be equal to one of|\/partnerFee must be integer$/

t.test("Velora's own document allows what we send, and what our sandbox answers", async (t) => {
  const document = loadOpenApi(t, 'velora-market-v5.json')
  if (document === null) return
  const { upstream, requests, url } = await startProvider(t, sandboxVelora)
  const adapter = velora({ upstream, clock: clockOf({ date: () => NOW }) })
  // On networks that the document lists.
  for (const order of [
    evmOrder('ethereum', 'ETH', 'USDC', 10n ** 18n),
    evmOrder('bsc', 'USDT', 'CAKE', 10n ** 18n),
  ]) {
    await adapter.build(order, await adapter.quote(order, OPTIONS), OPTIONS)
    await adapter.quote({ ...order, from: null }, OPTIONS)
  }
  t.equal(requests.length, 6)
  for (const { method, path, query, text, body } of [...requests]) {
    const sent = document.request(method, path, { query, body })
    t.strictSame(
      sent.filter((violation) => !NEWER.test(violation)),
      [],
      `${method} ${path}`,
    )
    const init = method === 'POST' ? { method, body: text } : { method }
    const response = await fetch(`${url}${path}?${query}`, init)
    t.equal(response.status, 200)
    const answered = document.response(method, path, 200, await response.json())
    t.strictSame(
      answered.filter((violation) => !NEWER.test(violation)),
      [],
      `${path} answered`,
    )
  }
})

t.test("the sandbox's errors have the document's shape", async (t) => {
  const document = loadOpenApi(t, 'velora-market-v5.json')
  if (document === null) return
  const { upstream, requests, url } = await startProvider(t, sandboxVelora)
  const adapter = velora({ upstream, clock: clockOf({ date: () => NOW }) })
  await failureOf(adapter.quote({ ...evmOrder('ethereum', 'ETH', 'USDC', 0n) }, OPTIONS))
  const { path, query } = requests[0]!
  const refused = await fetch(`${url}${path}?${query}`)
  t.equal(refused.status, 400)
  t.strictSame(document.response('GET', path, 400, await refused.json()), [])

  query.set('amount', String(10n ** 24n))
  query.set('maxImpact', '15')
  const guarded = await fetch(`${url}${path}?${query}`)
  t.equal(guarded.status, 400)
  const body = (await guarded.json()) as { error: string; priceRoute: unknown }
  t.equal(body.error, 'ESTIMATED_LOSS_GREATER_THAN_MAX_IMPACT')
  // The document's `oneOf` matches both of its members here: any body with `error` fits the first.
  const violations = document.schema('PriceRouteWithError', body)
  t.strictSame(
    violations.filter((violation) => !NEWER.test(violation)),
    [],
  )
})
