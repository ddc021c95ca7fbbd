import t from 'tap'
import type { Portfolio, TokenList } from '../../../src/clients/client/index.ts'
import { dayChangeOf, rowsOf, sharesOf } from '../../../src/clients/console/views/portfolio/sums.ts'
import { listen, SKIPPED, startBrowser, visit } from '../../fixtures/browser.ts'

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'

t.test('the sums of a portfolio', async (t) => {
  const holding = (address: string, valueUsd: number | null, more = {}) => ({ address, valueUsd, ...more })
  const chains = [
    {
      chain: 'base',
      usd: 310.5,
      holdings: [holding('0xAa', 110), holding('0xbb', 200.5), holding('0xdd', null)],
    },
    {
      chain: 'solana',
      usd: 90,
      holdings: [holding('Up', 50), holding('Capped', 39.5, { cappedBy: 'liquidity' }), holding('Dust', 0.5)],
    },
  ]
  const portfolio = { chains, totalUsd: 400.5 } as unknown as Portfolio
  const changed = (pricePct: number | null) => ({ h24: { pricePct } })
  const list = {
    tokens: [
      { chain: 'base', address: '0xaa', changes: changed(10) },
      { chain: 'base', address: '0xbb', changes: changed(null) },
      { chain: 'solana', address: 'Up', changes: changed(-50) },
      { chain: 'solana', address: 'up', changes: changed(900) },
      { chain: 'solana', address: 'Capped', changes: changed(900) },
    ],
  } as unknown as TokenList
  const day = dayChangeOf(portfolio, list)!
  t.equal(day.usd.toFixed(6), '-40.000000', '110 was 100, and 50 was 100')
  t.equal(day.percent.toFixed(6), '-20.000000')
  t.equal(day.covered, 160 / 400.5)
  t.equal(dayChangeOf(portfolio, { ...list, tokens: [] }), null)
  const order = (small: boolean) => rowsOf(portfolio.chains, small).map(({ holding }) => holding.address)
  t.strictSame(order(true), ['0xbb', '0xAa', 'Up', 'Capped', 'Dust', '0xdd'], 'by value, unpriced last')
  t.strictSame(order(false), ['0xbb', '0xAa', 'Up', 'Capped', '0xdd'], 'unpriced is not small')
  const of = (...usd: number[]) => sharesOf(usd.map((usd, i) => ({ chain: `c${i}`, usd })) as never)
  t.strictSame(of(10, 60, 0), [
    { chain: 'c1', part: 60 / 70 },
    { chain: 'c0', part: 10 / 70 },
  ])
  t.strictSame(of(0), [])
  t.strictSame(of(5, 5, 5, 5, 4, 1).at(-1), { chain: null, part: 5 / 25 })
})

t.test('a portfolio in Chromium', { skip: SKIPPED }, async (t) => {
  const browser = await startBrowser()
  const { url } = await listen(t)

  await t.test('of a pasted address: the total first, then what each figure is of', async (t) => {
    const { page } = await visit(t, browser, `${url}/#/portfolio`)
    await page.getByLabel('Addresses').fill(` ${WALLET}\n`)
    await page.getByRole('button', { name: 'View', exact: true }).click()
    const all = page.getByRole('table', { name: 'Holdings by value' })
    await all.waitFor()
    t.equal(new URL(page.url()).hash, `#/portfolio?of=${WALLET}`)
    await all.locator('.monogram img[src^="/api/logo/base/"]').first().waitFor()
    const sum = page.getByRole('region', { name: 'Total', exact: true })
    await sum.getByText(/in 24 h, based on \d+% of the holdings/).waitFor()
    t.match(await sum.textContent(), /^Total\$[\d,]+\.\d\d/)
    const shares = await page
      .getByRole('list', { name: 'Allocation by chain' })
      .getByRole('listitem')
      .allTextContents()
    t.ok(shares.length > 1 && shares.length <= 5, shares.join())
    await page.getByText(/^\d+ chains read$/).waitFor()

    await page.getByRole('button', { name: 'By chain' }).click()
    const base = page.getByRole('table', { name: 'Holdings on Base' })
    await base.waitFor()
    t.equal(await all.count(), 0)
    const usdc = base.getByRole('row').filter({ has: page.getByText('USDC', { exact: true }) })
    await usdc.locator('td.col-amount button').hover()
    const tip = page.getByRole('tooltip')
    t.match(await tip.textContent(), /^The chain, at block \d+\d+ s old.*\d+ base units$/)
    const ghost = base.getByRole('row').filter({ has: page.getByText('GHOST', { exact: true }) })
    t.match(await ghost.textContent(), /—Unpriced$/)
    await ghost.getByRole('button', { name: 'Unpriced' }).focus()
    t.match(await tip.textContent(), /^No pool is deep enough/)
    const line = page.getByRole('region', {
      name: 'The request of this view',
      exact: true,
      includeHidden: true,
    })
    t.equal(await line.textContent(), `curl -s --compressed '${url}/api/portfolio?address=${WALLET}'`)

    const href = new URLSearchParams((await usdc.getByRole('link').getAttribute('href'))!.split('?')[1])
    t.match(Object.fromEntries(href), { chain: 'base', side: 'sell', token: /^0x/, amount: /^\d+(\.\d+)?$/ })
    await usdc.getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Swap' }).waitFor()
  })

  await t.test('what is capped, small or not read says so beside its figure', async (t) => {
    const { page } = await visit(t, browser, url, { isNew: true })
    let asked = 0
    await page.route('**/api/portfolio?*', async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { chains: { status: string; holdings: object[] }[] }
      asked++
      const [first, second] = body.chains as [(typeof body.chains)[0], (typeof body.chains)[0]]
      const [capped, small] = first.holdings as [object, object]
      Object.assign(capped, { cappedBy: 'liquidity', symbol: 'CAPPED', valueUsd: 7 })
      Object.assign(small, { symbol: 'SMALL', valueUsd: 0.02 })
      Object.assign(second, { status: asked === 1 ? 'failed' : 'complete' })
      await route.fulfill({ response, json: body })
    })
    await page.goto(`${url}/?of=fixed#/portfolio?of=${WALLET}`)
    const capped = page.getByRole('row').filter({ has: page.getByText('CAPPED', { exact: true }) })
    await capped.getByRole('button', { name: 'Capped', exact: true }).focus()
    t.match(await page.getByRole('tooltip').textContent(), /^Capped at 20% of its pools/)
    await page.getByRole('region', { name: 'Total' }).getByText('Total, incomplete').waitFor()
    t.equal(await page.getByText('SMALL', { exact: true }).count(), 0)
    await page.getByRole('button', { name: /^Show \d+ small balances?$/ }).click()
    await page.getByText('SMALL', { exact: true }).waitFor()
    await page.getByText(/^1 chain could not be read: [\w ]+\.$/).waitFor()
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText(/^\d+ chains read$/).waitFor()
    t.equal(asked, 2)
  })

  await t.test('what is no address is refused here, and asked for nowhere', async (t) => {
    const { page } = await visit(t, browser, `${url}/#/portfolio?of=0x1234`)
    t.match(await page.getByRole('alert').textContent(), /0x and 40 hexadecimal digits/)
    t.equal(await page.locator('.freshness').count(), 0)
  })
})
