import type { Page } from 'playwright-core'
import t from 'tap'
import { countHealthy, listen, SKIPPED, startBrowser, visit } from '../../fixtures/browser.ts'

t.test('limits and health in Chromium', { skip: SKIPPED }, async (t) => {
  const browser = await startBrowser()

  await t.test('a budget drains with each request, and refills when its window ends', async (t) => {
    const { url } = await listen(t)
    const { page } = await visit(t, browser, `${url}/#/limits`, { isNew: true })
    const budget = page.getByRole('listitem').filter({ hasText: 'Solana reads' })
    await budget.getByText('Unused').waitFor()
    t.equal(await budget.locator('.budget-left').textContent(), 'Up to 60 a minute')
    const ask = page.getByRole('button', { name: 'Send a test read' })
    await ask.click()
    await budget.getByText('59 left of 60').waitFor()
    await ask.click()
    await budget.getByText('58 left of 60').waitFor()
    t.match(await budget.textContent(), /Resets in \d+ s/)
    await page.clock.install()
    await page.clock.runFor(61_000)
    await budget.getByText('Unused').waitFor()
    t.equal(await budget.locator('.budget-left').textContent(), 'Up to 60 a minute')
  })

  await t.test('a budget that is used up is told of with its code', async (t) => {
    const { url } = await listen(t, { LIMITS: 'rpcRead=1/100' }, { windowMs: 1e10 })
    const { page, expect } = await visit(t, browser, `${url}/#/limits`)
    const ask = page.getByRole('button', { name: 'Send a test read' })
    await ask.click()
    await page.getByText('0 left of 1', { exact: true }).waitFor()
    expect(/status of 429/)
    await ask.click()
    const said = page.getByRole('status').filter({ hasText: 'Too many requests' })
    t.match(await said.textContent(), /Try again in \d+ s\./)
  })

  await t.test('providers are listed with their states, those in trouble first', async (t) => {
    const { url, stop } = await listen(t, { JUPITER_URL: 'http://127.0.0.1:1' })
    await (await fetch(`${url}/api/tokens`)).text()
    const { page, expect } = await visit(t, browser, `${url}/#/limits`)
    const names = page.getByRole('table', { name: 'Providers and nodes' }).getByRole('rowheader')
    await names.first().waitFor()
    t.equal(await names.first().textContent(), 'Jupiter')
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'Jupiter' }) })
    await page
      .getByRole('status')
      .getByText(/^1 of \d+ sources? with problems · \d+ of \d+ sources in use/)
      .waitFor()
    t.notMatch(await page.locator('main').textContent(), '—', 'nothing is left open')
    t.match(await row.textContent(), /Jupiter(cooling|degraded)never\d+upstream_unavailable/)
    t.ok((await countHealthy(page)) > 0)
    expect(/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|status of 503/)
    await stop()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.locator('.is-gone').waitFor()
    t.equal(await countHealthy(page), 0, 'nothing looks healthy without the gateway')
  })

  await t.test('who keeps their word is listed, with what is proved', async (t) => {
    const { url } = await listen(t)
    const figures = { swaps: 40, medianBps: -3, medianSimulatedBps: null, medianGasBps: null, lossBps: 0 }
    const whole = { ...figures, clients: 5, errorPerMille: 1 }
    const small = { ...figures, size: 'small', swaps: 10, medianBps: 0 }
    const large = { ...figures, size: 'large', swaps: 30, medianBps: 25, lossBps: 20 }
    const providers = [
      { provider: 'kyberswap', delivered: { ...whole, medianBps: 18, sizes: [small, large] } },
      { provider: 'velora', delivered: { ...whole, sizes: [] } },
      { provider: 'uniswap-v2' },
    ]
    const before = async (page: Page): Promise<void> => {
      await page.route('**/api/bake-off?range=7d', async (route) => {
        const response = await route.fetch()
        const body = (await response.json()) as object
        await route.fulfill({ response, json: { ...body, chains: [{ chain: 'base', providers }] } })
      })
    }
    const { page } = await visit(t, browser, `${url}/#/limits`, { before })
    const rows = page.getByRole('table', { name: 'What providers deliver' }).locator('tbody tr')
    await rows.first().waitFor()
    t.same(await rows.allTextContents(), ['KyberSwapBase400.18% less0.2%', 'VeloraBase400.03% morenone'])
    await page.getByRole('button', { name: '0.18% less' }).click()
    await page.getByText('small: as stated in 10 swaps').waitFor()
    await page.getByText('large: 0.25% less in 30 swaps').waitFor()
    await page.getByRole('button', { name: '0.2%', exact: true }).click()
    await page.getByText('with a probability of at most 1 of 1,000.').waitFor()
  })

  await t.test('before a swap landed it says so, and private statistics are not mentioned', async (t) => {
    const [open, closed] = [await listen(t), await listen(t, { OPERATIONS: 'admin', ADMIN_PORT: '0' })]
    const { page } = await visit(t, browser, `${open.url}/#/limits`)
    await page.getByText('No swaps yet.').waitFor()
    const { page: other, expect } = await visit(t, browser, `${closed.url}/#/relay`)
    expect(/status of 404/)
    await other.goto(`${closed.url}/#/limits`)
    await other.getByText('Providers and nodes').first().waitFor()
    await other.waitForLoadState('networkidle')
    t.equal(await other.getByText('Who keeps their word').count(), 0)
  })

  await t.test('the shape of the state stands beside its text, on a phone too', async (t) => {
    const { url } = await listen(t)
    const { page } = await visit(t, browser, `${url}/#/limits`, { width: 390 })
    const state = page.getByRole('status').filter({ hasText: 'sources in use' })
    const shape = (await state.locator('.shape').boundingBox())!
    const text = (await state.getByText(/^All systems normal/).boundingBox())!
    t.ok(shape.x + shape.width <= text.x, 'before it')
    t.ok(shape.y >= text.y - 2 && shape.y + shape.height <= text.y + text.height, 'at its height')
  })
})
