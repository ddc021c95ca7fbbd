import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { CLOCK } from '../../../src/runtime/clock.ts'
import { listenChecked, SKIPPED, startBrowser, visit } from '../../fixtures/browser.ts'
import { movedClock } from '../../fixtures/clock.ts'

const HONEY = '0x000000000000000000000000000000686f6E6579'

t.test('the token list in Chromium', { skip: SKIPPED }, async (t) => {
  const browser = await startBrowser()
  const { url } = await listenChecked(t, movedClock(CLOCK))
  await narrowing(t, browser, url)
  await figures(t, browser, url)
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
      const all = (await symbols(page)).length
      t.ok(all > 50)
      await page.getByRole('searchbox').fill('wrapped eth')
      await page.getByText(/^\d+ of \d+ tokens$/).waitFor()
      t.same(new Set(await symbols(page)), new Set(['WETH']))
      await page.getByLabel('Chain').selectOption('base')
      await page.getByText(`1 of ${all} tokens`).waitFor()
      t.equal(new URL(page.url()).hash, '#/tokens?q=wrapped+eth&chain=base')
      await page.reload()
      await page.getByText(`1 of ${all} tokens`).waitFor()
      t.equal(await page.getByRole('searchbox').inputValue(), 'wrapped eth')
      await page.getByRole('searchbox').fill('0x4200')
      await page.waitForFunction('document.querySelectorAll("tbody tr").length === 1')
      t.same(await symbols(page), ['WETH'])
      await page.getByRole('searchbox').fill('no such token')
      await page.getByText('No token matches.').waitFor()
    },
  )

  await t.test('it is sorted by a column, first the most, and what is unknown stands last', async (t) => {
    const page = await open(t, browser, url)
    const amounts = (): Promise<string[]> => page.locator('td.col-liq').allTextContents()
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
    await page.getByText('No token matches.').waitFor()
    await page.getByRole('checkbox').check()
    const chip = page.getByRole('button', { name: 'honeypot', exact: true })
    await chip.hover()
    const tip = page.getByRole('tooltip')
    t.match(await tip.textContent(), /goplus says so.*Hidden: It is a honeypot.*\(goplus\)/)
  })
}

async function figures(t: Test, browser: Browser, url: string) {
  await t.test('a figure that is gone takes its tip along', async (t) => {
    const page = await open(t, browser, `${url}/#/tokens?q=0x8335&chain=base`)
    await page.locator('td.col-price button').hover()
    await page.getByRole('tooltip').waitFor()
    await page.evaluate("location.hash = '#/tokens?q=none-such'")
    await page.getByText('No token matches.').waitFor()
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
        /dexscreener; Token list, book majors \(curated\)\d+ s old, from \d\d:\d\d:\d\d/,
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

  await t.test('what is unknown is no zero, and says why', async (t) => {
    const page = await open(t, browser, `${url}/#/tokens?q=0x8335&chain=base`)
    const unknown = page.locator('td.col-risk').getByRole('button', { name: 'unknown' })
    t.equal(await unknown.textContent(), '—')
    await unknown.focus()
    t.match(await page.getByRole('tooltip').textContent(), 'Not checked is not safe.')
  })
}
