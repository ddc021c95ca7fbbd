/** Offers that come one after another: in the page's list of them, and in Chromium over a whole gateway. */
import type { Page, Request } from 'playwright-core'
import t, { type Test } from 'tap'
import type { Quote } from '../../../src/clients/client/index.ts'
import {
  aheadOf,
  behindBps,
  isHeld,
  noOffers,
  type OfferList,
  shownOf,
  standingOf,
  withEvent,
} from '../../../src/clients/console/views/swap/offers/offer-list.ts'
import { LASTS_MS } from '../../../src/swap/quote-stream.ts'
import { listen, SKIPPED, seriousFindings, startBrowser, visit } from '../../fixtures/browser.ts'
import { handClock } from '../../fixtures/clock.ts'

const quoteOf = (provider: string, out: number, more: object = {}): Quote =>
  ({
    provider,
    expectedOut: String(out),
    netOut: null,
    gasUsd: null,
    route: { buildBy: provider, alternatives: [] },
    ...more,
  }) as unknown as Quote

const told = (list: OfferList, event: string, quote: Quote, at = 1): OfferList =>
  withEvent(list, { event, id: null, data: { quote, end: null } }, at)

const words = (list: OfferList) => list.rows.map((row) => standingOf(row, list))

t.test('each provider has its row from the beginning, and keeps it', async (t) => {
  let list = noOffers(['a', 'b', 'c'])
  t.equal(shownOf(list, null), null)
  t.same(words(list), ['Asking…', 'Asking…', 'Asking…'])
  list = told(list, 'offer', quoteOf('b', 900), 5)
  t.equal(shownOf(list, null)?.provider, 'b')
  list = told(list, 'offer', quoteOf('a', 1_000), 6)
  t.equal(shownOf(list, null)?.provider, 'a', 'the most so far')
  t.same(words(list), ['Comparing…', 'Comparing…', 'Asking…'])
  const alternatives = [
    { provider: 'b', outcome: 'offered' },
    { provider: 'c', outcome: 'late' },
  ]
  list = told(list, 'best', quoteOf('a', 1_000, { route: { buildBy: 'a', alternatives } }), 7)
  t.same(words(list), ['Best', 'Less output', 'Late, still asking'])
  list = told(list, 'offer', quoteOf('c', 2_000), 8)
  t.equal(list.at, 7, 'what is shown is as old as it was')
  list = told(list, 'best', quoteOf('c', 2_000), 8)
  t.equal(shownOf(list, null)?.provider, 'c')
  t.equal(shownOf(list, 'b')?.quote?.expectedOut, '900', 'what was picked stays')
  t.same(
    list.rows.map(({ provider }) => provider),
    ['a', 'b', 'c'],
  )
  list = told(list, 'offer', quoteOf('d', 1), 9)
  t.equal(list.rows.at(-1)?.provider, 'd', 'one that no list has is behind them')
})

t.test('it is said why an offer is not the best', async (t) => {
  const alternatives = [
    { provider: 'failed', outcome: 'failed', code: 'no_route' },
    { provider: 'odd', outcome: 'failed', code: 'odd_code' },
    { provider: 'low', outcome: 'offered' },
    { provider: 'late', outcome: 'late' },
    { provider: 'outlier', outcome: 'outlier' },
  ]
  const net = (netOut: number, gasUsd: number) => ({ netOut: String(netOut), gasUsd })
  const best = quoteOf('best', 1_000_000, {
    ...net(990_000, 1),
    route: { buildBy: 'best', alternatives },
  })
  const rows: [provider: string, quote: Quote | null, words: string][] = [
    ['failed', null, 'Failed: no route'],
    ['odd', null, 'Failed: odd_code'],
    ['low', null, 'Far below the market'],
    ['late', null, 'Late, still asking'],
    ['silent', null, 'No offer'],
    ['outlier', quoteOf('outlier', 9_000_000), 'Suspiciously high'],
    ['dear', quoteOf('dear', 1_000_000, net(980_100, 2)), 'Higher gas'],
    ['both', quoteOf('both', 999_000, net(980_100, 2)), 'Less output, higher gas'],
    ['less', quoteOf('less', 990_000, net(980_100, 1)), 'Less output'],
    ['gross', quoteOf('gross', 999_000), 'Less output'],
    ['same', quoteOf('same', 1_000_000, net(990_000, 1)), 'Same'],
    ['ahead', quoteOf('ahead', 1_000_300, net(990_300, 1)), 'Same'],
    [
      'shaving',
      quoteOf('shaving', 1_001_000, { ...net(991_000, 1), deliveryLossBps: 20 }),
      'Less in the end · Usually delivers 0.2% less',
    ],
  ]
  let list = told(noOffers(rows.map(([provider]) => provider)), 'best', best)
  for (const [, quote] of rows) if (quote !== null) list = told(list, 'offer', quote)
  t.same(
    words(list),
    [...rows.map(([, , words]) => words), 'Best after fees'],
    'the rows, and that of the best',
  )
  t.equal(behindBps(quoteOf('a', 1), quoteOf('b', 0)), 0)
  const short = quoteOf('short', 1_000, { deliveryLossBps: 50 })
  t.same(words(told(noOffers(['short']), 'best', short)), ['Best · Usually delivers 0.5% less'])
  const ahead = Object.fromEntries(list.rows.map((row) => [row.provider, aheadOf(row, list)]))
  t.match(
    ahead,
    { failed: null, best: null, same: 0, ahead: 0.03, gross: -0.1, both: -1, shaving: -0.1 },
    'in percent',
  )
  const held = list.rows.filter((row) => isHeld(row, list)).map(({ provider }) => provider)
  t.same(
    held,
    ['dear', 'both', 'less', 'gross', 'same', 'ahead', 'shaving', 'best'],
    'no price alone, no outlier',
  )
  const end = { reason: 'failed' as const, code: 'price_out_of_line', error: 'It is far off.' }
  const ended = withEvent(list, { event: 'end', id: 'end', data: { quote: null, end } }, 99)
  t.same(ended.end, { at: 99, why: 'It is far off.' })
  t.equal(words(ended)[3], 'Too late')
})

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name }).click()
const isStream = (request: Request): boolean => request.url().includes('/api/quote/stream')

/** The streams that the page has opened, and how many of them it has left or that have ended. */
function streamsOf(page: Page) {
  const streams = { opened: 0, over: 0 }
  const note = (what: keyof typeof streams) => (request: Request) => {
    if (isStream(request)) streams[what]++
  }
  page.on('request', note('opened')).on('requestfailed', note('over')).on('requestfinished', note('over'))
  return streams
}

t.test('offers as they come, in Chromium', { skip: SKIPPED }, async (t) => {
  const browser = await startBrowser()
  const clock = handClock()
  const { url } = await listen(
    t,
    { LIMITS: 'swap=off,portfolio=off,rpcRead=off' },
    { clock, deadlines: { softMs: 1_500 } },
  )
  const { sandbox } = (await (await fetch(`${url}/api/health`)).json()) as {
    sandbox: Record<'control', string>
  }
  const dial = async (fault: object): Promise<void> => {
    const body = JSON.stringify(fault)
    const reply = await fetch(`${sandbox.control}/faults/kyberswap`, { method: 'PUT', body })
    t.equal(reply.status, 200)
  }
  await dial({ fault: 'latency', ms: 5_000 })
  const { page } = await visit(t, browser, `${url}/#/swap?chain=base&side=sell`, {
    width: 360,
    beside: Object.values(sandbox),
  })
  const streams = streamsOf(page)
  const row = (provider: string) => page.locator('.alternatives li', { hasText: provider })
  const best = (provider: string) => row(provider).getByText('Best', { exact: true })
  const review = page.getByRole('button', { name: 'Review swap' })
  const status = page.locator('.alternatives [role="status"]')
  /** Where what may be pressed is. */
  const places = async () => {
    const rows = ['KyberSwap', 'Velora', 'Uniswap v2', 'Uniswap v3'].map((provider) =>
      row(provider).locator('label'),
    )
    const boxes = await Promise.all([review, ...rows].map((one) => one.boundingBox()))
    return boxes.map((box) => [box!.x, box!.y])
  }
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await page.evaluate('new Promise(requestAnimationFrame)')
  }

  await t.test('each is seen once it came; a late better one takes the place of the best', async (t) => {
    await press(page, 'Sandbox wallet')
    await page.getByText('Play money. The key lives in this tab').waitFor()
    await page.getByLabel('Amount of USDC').fill('25')
    for (const provider of ['Velora', 'Uniswap v2', 'Uniswap v3'])
      await row(provider).getByText('Comparing…').waitFor()
    await row('KyberSwap').getByText('Asking…').waitFor()
    t.equal(await review.isDisabled(), true, 'nothing is chosen yet')
    t.equal(await page.locator('.alternatives').getByText('Best', { exact: true }).count(), 0)
    t.equal(await status.textContent(), '')
    const before = await places()

    clock.advance(1_500)
    await row('KyberSwap').getByText('Late, still asking').waitFor()
    await status.getByText('Best: ').waitFor({ state: 'attached' })
    t.equal(await review.isDisabled(), false)
    t.same(await places(), before)
    const first = await page.locator('.box-line output').textContent()

    clock.advance(3_500)
    await best('KyberSwap').waitFor()
    t.not(await page.locator('.box-line output').textContent(), first)
    t.match(await status.textContent(), /^Best: KyberSwap, [\d.]+ ETH\.$/)
    t.match(
      await row('Velora').locator('small').textContent(),
      /^[\d.]+ ETH after \$[\d.]+ gas · (Less output, h|H)igher gas$/,
    )
    const worth = (provider: string) => row(provider).locator('.worth').textContent()
    t.match(await worth('KyberSwap'), /^\$[\d.]+Proved$/, 'the best: what it is worth')
    for (const provider of ['Velora', 'Uniswap v2', 'Uniswap v3'])
      t.match(await worth(provider), /^−[\d.]+% against the bestProved$/, 'the others: by how much')
    await page.getByText('Swaps on Base must be proved before you can sign.').waitFor()
    t.same(await places(), before, 'nothing has moved')
    t.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth <= 0'), true)
    t.same(await seriousFindings(page), [])
    t.equal(streams.opened, 1)
  })

  await t.test('what was picked is built, and the stream is left', async (t) => {
    await page.getByRole('radio', { name: 'Velora' }).check()
    const asked = page.waitForRequest('**/api/build')
    await review.click()
    const { quote } = (await asked).postDataJSON() as { quote: { provider: string; expectedOut: string } }
    t.equal(quote.provider, 'velora')
    await until(() => streams.over === 1)
    await page.locator('.verified > summary').waitFor()
    await dial({ fault: null })
    // What was answered before is not shared any more.
    clock.advance(3_000)
    await press(page, 'Edit')
    await best('KyberSwap').waitFor()
    t.equal(await page.getByRole('radio', { name: 'KyberSwap' }).isChecked(), true, 'nothing is picked')
    t.equal(streams.opened, 2)
  })

  await t.test(
    'after its minute the page says as of when they are, and asks only when told to',
    async (t) => {
      clock.advance(LASTS_MS)
      await page.getByText('These offers are as of').waitFor()
      await until(() => streams.over === 2)
      t.match(await status.textContent(), /^These offers are as of [\d:]+\. $/)
      t.equal(await review.isDisabled(), false, 'an offer of then is asked for again when it is built')
      t.equal(streams.opened, 2)
      await press(page, 'Ask again')
      await status.getByText('Best: ').waitFor({ state: 'attached' })
      t.equal(await page.getByRole('button', { name: 'Ask again' }).count(), 0)
      t.equal(streams.opened, 3)
    },
  )

  await t.test('another order leaves it, and so does another view', async (t) => {
    await page.getByLabel('Amount of USDC').fill('26')
    await page.getByText('Offers for 26 USDC').waitFor()
    await until(() => streams.over === 3)
    t.equal(streams.opened, 4)
    await page.getByRole('link', { name: 'Explain' }).click()
    await until(() => streams.over === 4)
    t.equal(streams.opened, 4)
  })

  await refused(t, page, url)
})

async function refused(t: Test, page: Page, url: string) {
  await t.test('an order that is refused shows its error, and no offers', async (t) => {
    await page.route('**/api/quote/stream?*', (route) =>
      route.fulfill({
        status: 400,
        json: { error: 'No provider has a route.', scope: 'provider', code: 'no_route' },
      }),
    )
    page.removeAllListeners('console')
    await page.goto(`${url}/#/swap?chain=base&side=sell&amount=27`)
    const told = page
      .getByRole('alert')
      .filter({ hasText: /^No provider has a route for this pair and amount\.$/ })
    await told.waitFor()
    t.equal(await page.getByText('No provider has a route').count(), 1, 'once')
    t.equal(await page.getByText('There is no answer yet.').count(), 0)
    t.equal(await page.locator('.alternatives').count(), 0)
  })
}
