import t from 'tap'
import { listen, SKIPPED, seriousFindings, startBrowser, visit } from '../../../fixtures/browser.ts'

interface Report {
  readonly lastMinute: object
  readonly loopDelay: object
}

t.test("the operator's page in Chromium", { skip: SKIPPED }, async (t) => {
  const browser = await startBrowser()
  const { adminUrl } = await listen(t, { ADMIN_PORT: '0' })
  const report = (await (await fetch(`${adminUrl}/instance`)).json()) as Report
  const shown = async (failed: number, p95Ms: number, p99Ms: number) => {
    const json = {
      ...report,
      upstreams: [],
      lastMinute: { ms: 60_000, requests: 1_000, failed, shed: 0, p95Ms },
      loopDelay: { p99Ms, maxMs: p99Ms },
    }
    const { page } = await visit(t, browser, adminUrl!, {
      before: async (page) => void (await page.route('**/instance', (route) => route.fulfill({ json }))),
    })
    await page.getByText('Event loop lag, p99').waitFor()
    return page
  }

  await t.test('a figure beyond the threshold of its alert is marked, by a shape and words', async (t) => {
    const page = await shown(101, 5_100, 101)
    t.same(await page.locator('.tiles .bad').allTextContents(), ['above 10%', 'above 5.0 s', 'above 100 ms'])
    t.equal(await page.locator('.tiles .bad .shape').count(), 3)
    const problems = page.getByRole('table', { name: 'Problems' }).getByRole('rowheader')
    t.same(await problems.allTextContents(), ['Errors', 'Duration', 'Event loop'])
    t.same(await seriousFindings(page), [])
  })

  await t.test('a figure at its threshold is not', async (t) => {
    const page = await shown(100, 5_000, 100)
    await page.getByText('No problems').waitFor()
    t.equal(await page.locator('.tiles .bad').count(), 0)
  })
})
