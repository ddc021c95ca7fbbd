import t from 'tap'
import { listen, passUntil, SKIPPED, startBrowser, visit } from '../../../fixtures/browser.ts'

/** What the browser itself says of a service that is gone. */
const GONE = /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|status of 503/

t.test('the console without its service, in Chromium', { skip: SKIPPED }, async (t) => {
  const browser = await startBrowser()

  await t.test('what is shown stays when the service stops, says how old it is, and recovers', async (t) => {
    const first = await listen(t)
    const { port } = new URL(first.url)
    const { page, expect } = await visit(t, browser, `${first.url}/#/tokens?q=weth`, { isNew: true })
    await page.getByRole('rowheader').first().waitFor()
    await page.clock.install()
    const rows = await page.getByRole('rowheader').count()
    expect(GONE)
    await first.stop()

    await page.getByRole('button', { name: 'Refresh' }).click()
    const freshness = page.locator('.freshness')
    await freshness.getByText("Can't reach the gateway.").waitFor()
    // The page's own clock stands still but for what it is let pass: the strip comes with the next look at the health.
    await page.clock.runFor(10_000)
    await page
      .getByRole('alert')
      .getByText(/^Can't reach the gateway\. Showing data from \d\d:\d\d\.$/)
      .waitFor()
    await page.getByRole('status').getByText('Gateway unreachable').waitFor()
    t.match(await freshness.textContent(), /Updated \d+ s ago.*Retrying/)
    const healthy =
      "[...document.querySelectorAll('.dot')].map((dot) => getComputedStyle(dot).backgroundColor)"
    t.same(await page.evaluate(healthy), ['rgba(0, 0, 0, 0)'], 'no dot is green')
    t.equal(await page.getByRole('rowheader').count(), rows, 'the table is still there')

    // A view whose code was not loaded yet waits for the service, too.
    await page.getByRole('link', { name: 'Limits & health' }).click()
    await page.locator('.view').getByText("Can't reach the gateway. Retrying").waitFor()

    // It knows no logo before its first list.
    expect(/logo_not_found/)
    await listen(t, { PORT: port })
    await passUntil(page, page.getByRole('heading', { level: 1, name: 'Limits & health' }))
    await passUntil(page, page.getByRole('status').getByText('Online'))
    await page.getByRole('link', { name: 'Tokens' }).click()
    await page.locator('.freshness.fresh').waitFor()
    // Each part of the page asks again in its own time, and what is asked as the clock is moved may be late again.
    await passUntil(page, page.locator('body:not(:has-text("reach the gateway"))'))
    t.pass('no part says that the gateway does not answer')
  })

  await t.test('it asks again as often as the documents say', async (t) => {
    const { url, log } = await listen(t)
    const { page } = await visit(t, browser, url, { isNew: true })
    await page.clock.install()
    const wallet = 'vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg'
    for (const [hash, route, seconds] of [
      ['#/limits', '/api/health', 5],
      ['#/tokens', '/api/tokens', 10],
      [`#/portfolio?of=${wallet}`, '/api/portfolio', 30],
    ] as const) {
      const asked = (): number => log.filter((line) => line.route === route).length
      const answered = () => page.waitForResponse((response) => response.url().includes(route))
      await page.goto(`${url}/?of=${seconds}${hash}`)
      await page.locator('.freshness.fresh').waitFor()
      // From here on time stands still, but for what the test lets pass.
      let answer = answered()
      await page.clock.pauseAt(Date.now() + 120_000 * seconds)
      await answer
      await page.waitForLoadState('networkidle')
      const before = asked()
      await page.clock.runFor(seconds * 1_000 - 1)
      t.equal(asked(), before, `${route}: not before ${seconds} s`)
      answer = answered()
      await page.clock.runFor(1)
      await answer
      t.equal(asked(), before + 1, `${route}: after ${seconds} s`)
      await page.clock.resume()
    }
  })

  await t.test('a page of another version than the service says so, and can be loaded anew', async (t) => {
    const { url } = await listen(t)
    const { page, expect } = await visit(t, browser, url, { isNew: true })
    await page.getByRole('rowheader').first().waitFor()
    await page.clock.install()
    await page.route('**/assets/limits-*', (route) => route.fulfill({ status: 404 }))
    expect(/status of 404/)
    await page.getByRole('link', { name: 'Limits & health' }).click()
    const anew = page.getByRole('button', { name: 'Reload' })
    await passUntil(page, anew)
    await page.unroute('**/assets/limits-*')
    await anew.click()
    await page.getByRole('heading', { level: 1, name: 'Limits & health' }).waitFor()
    t.equal(new URL(page.url()).hash, '#/limits')
  })

  await t.test('over a slow line the page comes, and its bytes are few enough to wait for', async (t) => {
    const { url } = await listen(t)
    const { page, context, bytes } = await visit(t, browser, `${url}/#/limits`, { isNew: true })
    const line = await context.newCDPSession(page)
    await line.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 300,
      downloadThroughput: 50_000,
      uploadThroughput: 50_000,
    })
    await line.send('Network.setCacheDisabled', { cacheDisabled: true })
    const before = bytes()
    await page.goto(`${url}/?slow#/tokens`)
    await page.getByRole('rowheader').first().waitFor()
    const needed = bytes() - before
    t.ok(needed > 10_000 && needed < 450_000, `${needed} bytes take ${needed / 50_000} s of 9`)
  })

  await t.test('an answer that is slow is told of, while the last one stays', async (t) => {
    const { url } = await listen(t)
    const { page } = await visit(t, browser, `${url}/#/tokens?q=weth`, { isNew: true })
    await page.getByRole('rowheader').first().waitFor()
    await page.clock.install()
    let go = (): void => {}
    const held = new Promise<void>((resolve) => (go = resolve))
    await page.route(/\/api\/tokens\b/, async (route) => {
      await held
      await route.continue()
    })
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.clock.runFor(5_000)
    await page.locator('.freshness').getByText('Slow response, still waiting.').waitFor()
    t.ok((await page.getByRole('rowheader').count()) > 5)
    go()
    await page.locator('.freshness.fresh').waitFor()
  })

  await t.test(
    'a page that nobody looks at asks nothing, and asks at once when it is looked at',
    async (t) => {
      const { url, log } = await listen(t)
      const { page } = await visit(t, browser, url, { isNew: true })
      await page.getByRole('rowheader').first().waitFor()
      await page.clock.install()
      const asked = (): number => log.filter(({ route }) => route === '/api/health').length
      const look = (state: 'hidden' | 'visible'): Promise<unknown> =>
        page.evaluate(`
        Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      `)
      await look('hidden')
      const before = asked()
      await page.clock.runFor(60_000)
      t.equal(asked(), before)
      const answered = page.waitForResponse('**/api/health')
      await look('visible')
      await answered
      t.equal(asked(), before + 1)
    },
  )
})
