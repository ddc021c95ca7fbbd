import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { countHealthy, listen, SKIPPED, startBrowser, visit } from '../../fixtures/browser.ts'

const HONEY = '0x000000000000000000000000000000686f6E6579'
/** Old enough for a whole chart, at whatever time of the day. */
const BRETT = '0x532f27101965dd16442E59d40670FaF5eBB142E4'
const WETH = '0x4200000000000000000000000000000000000006'

t.test('a token in Chromium', { skip: SKIPPED }, async (t) => {
  const browser = await startBrowser()
  const { url } = await listen(t)
  await reached(t, browser, url)
  await charted(t, browser, url)
  await placed(t, browser, url)
  await sourced(t, browser, url)
  await priced(t, browser)
})

const chart = (page: Page) => page.getByRole('img', { name: /candles of .* each/ })

/** Whether a pixel of the chart has this colour, such as `20,104,60`, within the next frames. */
const painted = (page: Page, colour: string): Promise<boolean> =>
  page.evaluate(`new Promise((resolve) => {
    const has = (canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
      for (let i = 0; i < data.length; i += 4) if (data.slice(i, i + 3).join() === '${colour}') return true
      return false
    }
    let frames = 60
    const look = () => {
      if ([...document.querySelectorAll('.chart canvas')].some(has)) resolve(true)
      else if (frames-- === 0) resolve(false)
      else requestAnimationFrame(look)
    }
    look()
  })`)

async function reached(t: Test, browser: Browser, url: string) {
  await t.test('it is reached by a row of the list, and has its URL', async (t) => {
    const { page } = await visit(t, browser, `${url}/#/tokens?q=weth&chain=base`)
    await page.getByRole('link', { name: /^WETH/ }).click()
    await page.getByRole('heading', { level: 1, name: 'WETH' }).waitFor()
    t.equal(new URL(page.url()).hash, `#/token/base/${WETH}`)
    const line = page.getByRole('region', {
      name: 'The request of this view',
      exact: true,
      includeHidden: true,
    })
    t.equal(await line.textContent(), `curl -s --compressed '${url}/api/token/base/${WETH}'`)
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Tokens' }).waitFor()
  })

  await t.test('one that nobody knows is told of with the service’s own words', async (t) => {
    const { page, expect } = await visit(t, browser, url)
    expect(/status of 400/)
    await page.goto(`${url}/#/token/base/0x12`)
    await page.getByText('address must be the address of a token on Base').waitFor()
    t.equal(await page.getByRole('link', { name: 'Search the token list' }).getAttribute('href'), '#/tokens')
  })
}

async function charted(t: Test, browser: Browser, url: string) {
  await t.test('its candles are drawn in the colours of the theme, told in words, and a table', async (t) => {
    const { page, expect } = await visit(t, browser, `${url}/#/token/base/${BRETT}`)
    expect(/willReadFrequently/)
    await chart(page).locator('canvas').first().waitFor()
    for (const colour of ['24,92,158', '169,70,8']) t.ok(await painted(page, colour), colour)
    await page.getByRole('radio', { name: 'Dark' }).check({ force: true })
    for (const colour of ['128,189,248', '247,160,98']) t.ok(await painted(page, colour), colour)
    t.equal(await chart(page).count(), 1)
    t.match(await page.locator('.summary').textContent(), /^168 candles of 60 min each, from .*between \$/)
    await page.getByText('The last 48 candles as a table').click()
    const table = page.getByRole('table', { name: 'The last 48 candles' })
    await table.getByRole('row').nth(48).waitFor()
    await table.locator('td.col-close button').first().focus()
    t.match(await page.getByRole('tooltip').textContent(), /^GeckoTerminal\d+ s old/)
    t.equal(await page.locator('.chart style, .chart a').count(), 0, 'no style, no logo')
    await page.getByRole('button', { name: '4h', exact: true }).click()
    await page
      .locator('.summary')
      .getByText(/^180 candles of 4 h each/)
      .waitFor()
    t.equal(new URL(page.url()).hash, `#/token/base/${BRETT}?candles=4h`)
    for (const [name, each] of [
      ['1m', '60 s'],
      ['5m', '5 min'],
      ['15m', '15 min'],
      ['1d', '24 h'],
    ] as const) {
      await page.getByRole('button', { name, exact: true }).click()
      await page
        .locator('.summary')
        .getByText(new RegExp(`^\\d+ candles of ${each} each`))
        .waitFor()
    }
    t.equal(await page.getByRole('link', { name: 'https://www.tradingview.com/' }).count(), 1)
  })
}

async function placed(t: Test, browser: Browser, url: string) {
  await t.test('what is said of a token is beside its chart, and below it on a phone', async (t) => {
    const { page } = await visit(t, browser, `${url}/#/token/base/${WETH}`, { width: 1440 })
    await chart(page).waitFor()
    const boxes = async () => {
      const [of, beside] = await Promise.all([
        chart(page).boundingBox(),
        page.locator('.beside').boundingBox(),
      ])
      return { of: of!, beside: beside! }
    }
    const wide = await boxes()
    t.ok(wide.of.y + wide.of.height < 900, 'the chart is above the fold')
    t.ok(wide.beside.x > wide.of.x + wide.of.width)
    t.equal(await page.getByText('WETH', { exact: true }).count(), 1, 'its symbol is there once')
    await page.getByRole('button', { name: '1m', exact: true }).click()
    await page
      .locator('.summary')
      .getByText(/^180 candles of 60 s each/)
      .waitFor()
    await page.getByRole('button', { name: '5m', exact: true }).click()
    await page
      .locator('.summary')
      .getByText(/^180 candles of 5 min each/)
      .waitFor()
    await page.goto(`${url}/#/token/base/native`)
    await page.getByRole('heading', { level: 1, name: 'ETH', exact: true }).waitFor()
    await page
      .locator('.identity')
      .getByText(/^Base$/)
      .waitFor()
    t.equal(await page.locator('.identity a').count(), 0, 'no explorer has a page of the coin')
    await page.goBack()
    await page.setViewportSize({ width: 390, height: 844 })
    const narrow = await boxes()
    t.ok(narrow.beside.y > narrow.of.y + narrow.of.height)
    await page.getByRole('link', { name: 'Sell WETH' }).click()
    await page.getByRole('heading', { level: 1, name: 'Swap' }).waitFor()
    const asked = new URLSearchParams(new URL(page.url()).hash.split('?')[1])
    t.match(Object.fromEntries(asked), { chain: 'base', side: 'sell', token: WETH })
  })
}

async function sourced(t: Test, browser: Browser, url: string) {
  await t.test('security stands by source, and what a source does not say is no no', async (t) => {
    const { page } = await visit(t, browser, `${url}/#/token/base/${HONEY}`)
    const table = page.getByRole('table', { name: 'What each source says' })
    await table.waitFor()
    const row = table
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name: 'cannot be sold' }) })
    t.same(await row.getByRole('cell').allTextContents(), ['GeckoTerminal —GoPlus: yes'])
    t.match(await page.getByRole('alert').textContent(), /^Danger: .*cannot be sold.* Reported by .*GoPlus/)
    t.match(await page.locator('.verdict').textContent(), /^2 sources, \d+ checks, \d+ flags?/)
    const flags = await table.getByRole('row').count()
    await page.locator('.verdict').getByRole('button', { name: 'Show all' }).click()
    await table.getByRole('row').nth(flags).waitFor()
    await row.getByRole('button', { name: 'unknown' }).focus()
    t.match(await page.getByRole('tooltip').textContent(), /^GeckoTerminal\d+ s old.*Unknown is not safe/)
    await page.getByText(/^No source reports on: .*permanent delegate/).waitFor()
    await page.getByText('GoPlus, in its own words').click()
    t.match(await page.locator('.words').last().textContent(), 'is_honeypot1')
  })

  await t.test('trades, holders and early buyers have their sources', async (t) => {
    const { page } = await visit(t, browser, `${url}/#/token/base/${BRETT}`)
    const trades = page.getByRole('table', { name: 'Trades, the newest first' })
    await trades.waitFor()
    t.equal(await trades.getByRole('row').count(), 13)
    await page
      .locator('section', { has: trades })
      .getByRole('button', { name: /^Show all/ })
      .click()
    await trades.getByRole('row').nth(13).waitFor()
    const holders = page.getByRole('table', { name: 'The largest holders' })
    const holder = holders.getByRole('rowheader').first().getByRole('link')
    t.match(await holder.getAttribute('title'), /^0x[0-9a-fA-F]{40}$/)
    await holders.getByRole('cell').getByRole('button').first().focus()
    t.match(await page.getByRole('tooltip').textContent(), /^GoPlus\d+ s old/)
    await page.goto(`${url}/#/token/base/${HONEY}`)
    const early = page.getByRole('table', { name: /first buyers/ })
    await early.getByRole('rowheader', { name: 'Early buyer' }).nth(3).waitFor()
    t.equal(await early.getByRole('rowheader', { name: 'Creator' }).count(), 1)
  })
}

async function priced(t: Test, browser: Browser) {
  await t.test('its price is live, and comes back with the service', async (t) => {
    const first = await listen(t)
    const { port } = new URL(first.url)
    const { page, expect } = await visit(t, browser, `${first.url}/#/token/base/${WETH}`)
    await page.locator('.live').getByText('live', { exact: true }).waitFor()
    const price = page.locator('.live .figure')
    await price.focus()
    t.match(await page.getByRole('tooltip').textContent(), `GET /api/prices/stream?tokens=base:${WETH}`)
    t.ok((await countHealthy(page)) > 0)
    expect(/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE|status of 503/)
    await first.stop()
    await page.locator('.live').getByText('lost', { exact: true }).waitFor()
    t.match(await price.textContent(), /^\$/, 'what was shown stays')
    await page.locator('.is-gone').waitFor()
    t.equal(await countHealthy(page), 0, 'and nothing of it looks healthy')
    await listen(t, { PORT: port })
    await page.locator('.live').getByText('live', { exact: true }).waitFor()
  })
}
