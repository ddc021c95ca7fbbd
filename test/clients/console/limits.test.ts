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
