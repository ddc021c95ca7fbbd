import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { TokenRow } from '../../../../src/clients/client/index.ts'
import { casesLast, matching } from '../../../../src/clients/console/views/tokens/rows.ts'
import { CLOCK } from '../../../../src/runtime/clock.ts'
import { listen, listenChecked, SKIPPED, startBrowser, visit } from '../../../fixtures/browser.ts'
import { movedClock } from '../../../fixtures/clock.ts'

const HONEY = '0x000000000000000000000000000000686f6E6579'

t.test('a token named as a test case is one only in the sandbox', async (t) => {
  const rows = [
    { symbol: 'ODD', name: 'Odd (sandbox)', address: '0x1', chain: 'base', book: 'new' },
    { symbol: 'EVEN', name: 'Even', address: '0x2', chain: 'base', book: 'new' },
  ] as TokenRow[]
  const listed = (book: string, isSandbox: boolean) =>
    matching(rows, new URLSearchParams({ book }), isSandbox).map(({ symbol }) => symbol)
  const order = (isSandbox: boolean) => casesLast(rows, isSandbox).map(({ symbol }) => symbol)
  t.same([listed('new', true), listed('cases', true), order(true)], [['EVEN'], ['ODD'], ['EVEN', 'ODD']])
  t.same([listed('new', false), listed('cases', false), order(false)], [['ODD', 'EVEN'], [], ['ODD', 'EVEN']])
})

t.test('the token list in Chromium', { skip: SKIPPED }, async (t) => {
  const browser = await startBrowser()
  const { url } = await listenChecked(t, movedClock(CLOCK))
  await narrowing(t, browser, url)
  await figures(t, browser, url)
  await kept(t, browser, url)
})

const symbols = (page: Page): Promise<string[]> => page.locator('tbody th strong').allTextContents()

async function open(t: Test, browser: Browser, url: string): Promise<Page> {
  const { page } = await visit(t, browser, url)
  await page.getByRole('rowheader').first().waitFor()
  return page
}

async function narrowing(t: Test, browser: Browser, url: string) {
  await t.test(
    'it is searched by symbol, name and address, and the URL keeps what was searched',
    async (t) => {
      const page = await open(t, browser, url)
      t.ok((await symbols(page)).length > 50)
      await page.getByRole('searchbox').fill('wrapped eth')
      await page.getByText(/^\d+ of \d+ tokens$/).waitFor()
      t.same(new Set(await symbols(page)), new Set(['WETH']))
      await page.getByRole('button', { name: 'Base', exact: true }).click()
      await page.getByText(/^1 of \d+ tokens$/).waitFor()
      t.equal(new URL(page.url()).hash, '#/tokens?q=wrapped+eth&chain=base')
      await page.reload()
      await page.getByText(/^1 of \d+ tokens$/).waitFor()
      t.equal(await page.getByRole('searchbox').inputValue(), 'wrapped eth')
      await page.getByRole('searchbox').fill('0x4200')
      await page.waitForFunction('document.querySelectorAll("tbody tr").length === 1')
      t.same(await symbols(page), ['WETH'])
      await page.getByRole('searchbox').fill('no such token')
      await page.getByText('No tokens match.').waitFor()
    },
  )

  await t.test('a chip narrows it to one of the lists, and gives way when it is pressed again', async (t) => {
    const page = await open(t, browser, url)
    const chip = page.getByRole('button', { name: 'Trending', exact: true })
    t.equal(await chip.getAttribute('title'), 'Trending tokens')
    await chip.click()
    await page.getByText(/^\d+ of \d+ tokens$/).waitFor()
    t.equal(new URL(page.url()).hash, '#/tokens?book=trending')
    await chip.click()
    await page.getByText(/^\d+ tokens$/).waitFor()
  })

  await t.test("the sandbox's test cases have a list of their own, and top no ranking", async (t) => {
    const page = await open(t, browser, `${url}/#/tokens?all=true&sort=-price`)
    await page.getByText('SPAM', { exact: true }).first().waitFor()
    const areCases = async () =>
      (await page.locator('tbody th').allTextContents()).map((row) => row.includes('(sandbox)'))
    const ranked = await areCases()
    t.ok(ranked.includes(true) && ranked.includes(false))
    t.same(ranked, ranked.toSorted(), 'behind all others, at a price of a million dollars')
    await page.getByRole('button', { name: 'Boosted', exact: true }).click()
    await page.getByText(/^\d+ of \d+ tokens$/).waitFor()
    t.notOk((await areCases()).includes(true), 'and in no other list')
    await page.goto(`${url}/#/tokens`)
    await page.getByRole('button', { name: 'Test cases', exact: true }).click()
    await page.getByText('FROZEN', { exact: true }).waitFor()
    t.equal(new URL(page.url()).hash, '#/tokens?book=cases')
    t.notOk((await areCases()).includes(false))
    const shown = await symbols(page)
    for (const symbol of ['HONEY', 'TAXED', 'SPAM', 'FROZEN']) t.ok(shown.includes(symbol), symbol)
  })

  await t.test('it is sorted by a column, first the most, and what is unknown stands last', async (t) => {
    const page = await open(t, browser, url)
    const byVolume = page.getByRole('columnheader', { name: 'Volume' })
    t.equal(await byVolume.getAttribute('aria-sort'), 'descending', 'by volume until somebody sorts it')
    t.match(await page.locator('td.col-vol24').first().textContent(), /^\$[\d.]+[MB]$/)
    // The sandbox's test cases are behind what is ranked.
    const ranked = page.locator('tbody tr', { hasNotText: '(sandbox)' })
    const amounts = (): Promise<string[]> => ranked.locator('td.col-liq').allTextContents()
    await page.getByRole('button', { name: 'Liquidity' }).click()
    const heading = page.getByRole('columnheader', { name: 'Liquidity' })
    t.equal(await heading.getAttribute('aria-sort'), 'descending')
    const descending = await amounts()
    await page.getByRole('button', { name: 'Liquidity' }).click()
    t.equal(await heading.getAttribute('aria-sort'), 'ascending')
    const ascending = await amounts()
    t.not(descending[0], ascending[0])
    t.equal(descending[0]?.at(-1), 'M')
    t.equal(descending.at(-1), '—')
    t.equal(ascending.at(-1), '—')
    t.match(page.url(), /sort=liq$/)
  })

  await t.test('what the gate holds back is shown where it is asked for, with its reasons', async (t) => {
    const page = await open(t, browser, url)
    await page.getByRole('searchbox').fill(HONEY)
    await page.getByText('No tokens match.').waitFor()
    await page.getByRole('button', { name: /^\d+ hidden for risk\. Show$/ }).click()
    const chip = page.getByRole('button', { name: 'honeypot', exact: true })
    await chip.hover()
    const tip = page.getByRole('tooltip')
    t.match(await tip.textContent(), /goplus says so.*Hidden: It is a honeypot.*\(goplus\)/)
  })
}

async function kept(t: Test, browser: Browser, url: string) {
  await t.test('the list begins above the fold, with its first row, at two widths', async (t) => {
    for (const [width, most] of [
      [1440, 220],
      [390, 190],
    ] as const) {
      const { page } = await visit(t, browser, url, { width })
      const row = page.getByRole('rowheader').first()
      await row.waitFor()
      await page.getByText('Sandbox: simulated market, play money.').waitFor()
      const { y } = (await row.boundingBox())!
      t.ok(y < most, `the first row is at ${y} of ${most} px, ${width} px wide`)
    }
  })

  await t.test('a token that is watched is so in this browser only, and found again', async (t) => {
    const page = await open(t, browser, `${url}/#/tokens?q=0x8335&chain=base`)
    await page.getByRole('button', { name: 'Watch USDC' }).click()
    await page.goto(`${url}/#/tokens?watched=true`)
    await page.getByText(/^1 of \d+ tokens$/).waitFor()
    t.same(await symbols(page), ['USDC'])
    await page.reload()
    await page.getByText(/^1 of \d+ tokens$/).waitFor()
    t.equal(await page.getByRole('button', { name: 'Watch USDC' }).getAttribute('aria-pressed'), 'true')
    await page.getByRole('button', { name: 'Watch USDC' }).click()
    await page.getByText('No tokens match.').waitFor()
  })

  await t.test('an address that is not on the list is looked up in place', async (t) => {
    const page = await open(t, browser, url)
    await page.evaluate(`location.hash = '#/tokens?q=${HONEY}'`)
    t.match(await page.locator('.lookup').textContent(), /^Not on this list\. Look it up on .*Base/)
    await page.getByRole('button', { name: 'Base', exact: true }).click()
    await page.getByRole('link', { name: /HONEY/ }).click()
    await page.getByRole('heading', { level: 1, name: 'HONEY' }).waitFor()
  })

  await t.test('no name is wider than a page: neither of wide letters, nor of marks alone', async (t) => {
    const named = { symbol: 'W'.repeat(32), name: '\u0e49'.repeat(64) }
    for (const width of [1440, 390]) {
      const { page } = await visit(t, browser, url, { width })
      await page.route(/\/api\/tokens?\b/, async (route) => {
        const reply = await route.fetch()
        const { tokens, row, ...others } = (await reply.json()) as { tokens?: TokenRow[]; row?: TokenRow }
        const json = {
          ...others,
          tokens: tokens?.map((one) => ({ ...one, ...named })),
          row: { ...row, ...named },
        }
        await route.fulfill({ json })
      })
      for (const hash of ['#/tokens?all=true', `#/token/base/${HONEY}`]) {
        await page.goto(`${url}/${hash}`)
        await page.getByText(named.symbol).first().waitFor()
        const beyond = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
        t.equal(await page.evaluate(beyond), 0, `${hash}, ${width} px wide`)
      }
    }
  })

  await t.test('a token has one colour on all chains', async (t) => {
    const page = await open(t, browser, `${url}/#/tokens?q=USDC`)
    const marks = page
      .locator('tbody tr', { has: page.getByText('USDC', { exact: true }) })
      .locator('.monogram')
    t.ok((await marks.count()) > 3)
    const classes = await marks.evaluateAll((all) => all.map((one) => one.className))
    t.equal(new Set(classes).size, 1)
  })
}

async function figures(t: Test, browser: Browser, url: string) {
  await t.test('a token has the logo that the gateway answers, in the place of its letter', async (t) => {
    const page = await open(t, browser, url)
    const logos = page.locator('tbody .monogram img')
    await page.waitForFunction(
      `[...document.querySelectorAll('tbody .monogram img')].some((img) => img.naturalWidth === 64)`,
    )
    const first = logos.first()
    t.match(await first.getAttribute('src'), /^\/api\/logo\/[a-z]+\/\w+$/)
    const monogram = page.locator('tbody .monogram', { has: page.locator('img') }).first()
    t.match(await first.boundingBox(), await monogram.boundingBox())
    await first.dispatchEvent('error')
    t.notOk(await first.isVisible(), 'the letter shows where it cannot be had')
  })

  await t.test('without LOGOS the page asks for none', async (t) => {
    const off = await listen(t, { LOGOS: 'off' })
    const page = await open(t, browser, off.url)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.reload({ waitUntil: 'networkidle' })
    await page.locator('tbody .monogram').first().waitFor()
    t.ok(asked.includes('/api/config'))
    t.same(
      asked.filter((path) => path.startsWith('/api/logo')),
      [],
    )
    t.equal(await page.locator('tbody .monogram img').count(), 0)
  })

  await t.test('a figure that is gone takes its tip along', async (t) => {
    const page = await open(t, browser, `${url}/#/tokens?q=0x8335&chain=base`)
    await page.locator('td.col-price button').hover()
    await page.getByRole('tooltip').waitFor()
    await page.evaluate("location.hash = '#/tokens?q=none-such'")
    await page.getByText('No tokens match.').waitFor()
    await page.getByRole('tooltip').waitFor({ state: 'hidden' })
    t.equal(await page.locator('.tip').isHidden(), true)
  })

  await t.test(
    'a figure tells its source and its age when pointed at, and no longer when left',
    async (t) => {
      const page = await open(t, browser, `${url}/#/tokens?q=0x8335&chain=base`)
      const price = page.locator('td.col-price button')
      t.match(await price.textContent(), /^\$[01]\.\d{2,4}$/)
      await price.hover()
      const tip = page.getByRole('tooltip')
      t.match(
        await tip.textContent(),
        /dexscreener; Token list, majors \(curated\)\d+ s old, from \d\d:\d\d:\d\d/,
      )
      await page.mouse.move(0, 0)
      await tip.waitFor({ state: 'hidden' })
    },
  )

  await t.test(
    'the keyboard reaches each figure by its arrows, through one stop of the Tab key',
    async (t) => {
      const page = await open(t, browser, url)
      t.equal(await page.locator('tbody [tabindex="0"]').count(), 1)
      await page.locator('tbody button').first().focus()
      const focused = (): Promise<unknown> =>
        page.evaluate('document.activeElement.closest("td").className.trim()')
      t.match(await focused(), 'col-price')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowRight')
      t.match(await focused(), 'col-liq')
      await page.keyboard.press('ArrowDown')
      t.match(await focused(), 'col-liq')
      t.equal(await page.evaluate('document.activeElement.closest("tr").rowIndex'), 2)
      t.equal(await page.evaluate('document.activeElement.getAttribute("aria-describedby")'), 'tip')
      t.match(await page.getByRole('tooltip').textContent(), /s old/)
      await page.keyboard.press('Escape')
      await page.getByRole('tooltip').waitFor({ state: 'hidden' })
      t.equal(await page.locator('tbody [tabindex="0"]').count(), 1)
    },
  )

  await t.test('a token that is not hand-picked says that it is not checked yet', async (t) => {
    const { page } = await visit(t, browser, url)
    await page.route(/\/api\/tokens\b/, async (route) => {
      const list = (await (await route.fetch()).json()) as { tokens: TokenRow[] }
      const [first] = list.tokens.filter(({ book }) => book === 'trending')
      await route.fulfill({ json: { ...list, tokens: [{ ...first, security: null }] } })
    })
    await page.goto(`${url}/?anew#/tokens`)
    const chip = page.locator('td.col-risk').getByRole('button', { name: 'Not checked yet' })
    await chip.focus()
    t.match(await page.getByRole('tooltip').textContent(), 'Unknown is not safe.')
  })

  await t.test('what was not scanned says so, and why', async (t) => {
    const page = await open(t, browser, `${url}/#/tokens?q=0x8335&chain=base`)
    const unknown = page.locator('td.col-risk').getByRole('button', { name: 'Hand-picked' })
    await unknown.focus()
    t.match(await page.getByRole('tooltip').textContent(), "That isn't a safety rating.")
  })
}
