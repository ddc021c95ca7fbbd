/** The packed module in a page of another origin than the gateway's, in a real Chromium. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { SKIPPED, startBrowser } from '../../fixtures/browser.ts'
import { listen } from '../../fixtures/gateway.ts'
import { packClient } from '../../fixtures/programs.ts'
import { scripted } from '../../fixtures/scripted.ts'
import { SWAPS } from '../../fixtures/swaps.ts'

/** What the page does; its value comes back as JSON. */
const SCRIPT = `(async ([baseUrl, order]) => {
  const { createClient } = await import('/client.js')
  const exchanges = []
  const client = createClient({ baseUrl, onExchange: (exchange) => exchanges.push(exchange), maxWaitMs: 0 })
  const codeOf = (promise) => promise.then(() => null, ({ code, retryAfterMs }) => ({ code, retryAfterMs }))
  const quote = await client.quote(order)
  const built = await client.build({ ...order, quote })
  const refused = await codeOf(client.quote(order))
  let first = null
  for await (const event of client.prices({ tokens: ['solana:native'] }, { lastEventId: 'a.1' })) {
    first = event.event
    break
  }
  const controller = new AbortController()
  controller.abort()
  const aborted = await codeOf(client.chains({ signal: controller.signal }))
  const lost = await codeOf(createClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 }).chains())
  const [{ serverTiming, requestId }] = exchanges
  return { built: built.from, refused, first, aborted, lost, limits: client.limits, serverTiming, requestId }
})`

t.test('a page of another origin uses all of it', { skip: SKIPPED }, async (t) => {
  const folder = t.testdir()
  packClient(folder)
  const client = readFileSync(join(folder, 'index.js'), 'utf8')
  const site = await scripted(t, (response, { target }) => {
    const isModule = target === '/client.js'
    response.setHeader('content-type', isModule ? 'text/javascript' : 'text/html')
    response.end(isModule ? client : '<!doctype html>')
  })
  const browser = await startBrowser()
  for (const origins of ['*', site.url]) {
    const gateway = await listen(t, { CORS_ORIGINS: origins, LIMITS: 'swap=2/100' })
    const tab = await browser.newPage()
    await tab.goto(site.url)
    const value = await tab.evaluate(`${SCRIPT}(${JSON.stringify([gateway.url, SWAPS.base])})`)
    t.match(value, {
      built: SWAPS.base.from,
      refused: { code: 'budget_exhausted', retryAfterMs: Number },
      first: 'snapshot',
      aborted: { code: 'aborted' },
      lost: { code: 'network' },
      limits: [{ name: 'swap-client', remaining: 0, quota: 2, windowMs: 60_000 }, { name: 'swap-global' }],
      serverTiming: { total: Number },
      requestId: /./,
    })
    await tab.close()
  }
})
