import t from 'tap'
import { listen, SKIPPED, startBrowser, visit } from '../../fixtures/browser.ts'

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'

t.test('a portfolio in Chromium', { skip: SKIPPED }, async (t) => {
  const browser = await startBrowser()
  const { url } = await listen(t)

  await t.test('of a pasted address, with what each figure is of', async (t) => {
    const { page } = await visit(t, browser, `${url}/#/portfolio`)
    await page.getByLabel('Addresses').fill(` ${WALLET}\n`)
    await page.getByRole('button', { name: 'Look' }).click()
    const base = page.getByRole('table', { name: 'Holdings on base' })
    await base.waitFor()
    t.equal(new URL(page.url()).hash, `#/portfolio?of=${WALLET}`)
    const usdc = base.getByRole('row').filter({ has: page.getByText('USDC', { exact: true }) })
    t.match(await usdc.textContent(), /1,000\$[01]\.\d+\$(1,000|999)\.\d\d$/)
    await usdc.locator('td.col-amount button').hover()
    t.match(
      await page.getByRole('tooltip').textContent(),
      /^The chain, at block \d+\d+ s old.*1000000000 base units$/,
    )
    const ghost = base.getByRole('row').filter({ has: page.getByText('GHOST', { exact: true }) })
    t.match(await ghost.textContent(), /1,000——$/)
    const line = page.getByRole('region', {
      name: 'The request of this view',
      exact: true,
      includeHidden: true,
    })
    t.equal(await line.textContent(), `curl -s --compressed '${url}/api/portfolio?address=${WALLET}'`)
  })

  await t.test('what is no address is refused here, and asked for nowhere', async (t) => {
    const { page } = await visit(t, browser, `${url}/#/portfolio?of=0x1234`)
    t.match(await page.getByRole('alert').textContent(), /0x and 40 hexadecimal digits/)
    t.equal(await page.locator('.freshness').count(), 0)
  })
})
