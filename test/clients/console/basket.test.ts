/** A basket: what it asks and what comes of its parts, in data; and in Chromium, from Swap to its summary. */
import type { Browser, Locator, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { BasketPlan, BasketTop, SwapOptions } from '../../../src/clients/client/index.ts'
import {
  leftOut,
  limitOf,
  planInputOf,
  readBasket,
  warningsOf,
} from '../../../src/clients/console/views/basket/order.ts'
import {
  type Basket,
  type BasketPart,
  feesFor,
  gotOf,
  isBusy,
  nextOf,
  type PartAttempt,
  paidFor,
  partAfter,
  partsOf,
} from '../../../src/clients/console/views/basket/part.ts'
import type { SwapChain } from '../../../src/clients/console/views/swap/order.ts'
import { CLOCK } from '../../../src/runtime/clock.ts'
import {
  listenChecked,
  passUntil,
  SKIPPED,
  seriousFindings,
  sign,
  startBrowser,
  visit,
} from '../../fixtures/browser.ts'
import { movedClock } from '../../fixtures/clock.ts'

const CHAIN = {
  key: 'solana',
  majors: [
    { address: 'sol', kind: 'native' },
    { address: 'usdc', kind: 'stablecoin' },
  ],
} as unknown as SwapChain
const OPTIONS = { slippageBps: { min: 1, max: 5_000 } } as SwapOptions
const read = (query: string) => readBasket(new URLSearchParams(query), CHAIN, OPTIONS)

t.test('the order is read from the URL, and its faults are reported by field', async (t) => {
  t.equal(read(''), null)
  t.equal(read('n=3&slippage=1'), null)
  t.same(read('usd=250'), { chain: 'solana', usd: '250', limit: 5, slippageBps: 50 })
  t.same(read('usd=99.5&n=12&slippage=0.3'), { chain: 'solana', usd: '99.5', limit: 12, slippageBps: 30 })
  for (const usd of ['0', '-1', '1e3', '1.1234567', '1234567890', 'all']) {
    t.match(read(`usd=${usd}`), { field: 'amount', text: /dollars above zero/ }, usd)
  }
  for (const slippage of ['0', '51', 'x']) t.match(read(`usd=1&slippage=${slippage}`), { field: 'slippage' })
  for (const [n, limit] of [
    ['1', 1],
    ['20', 20],
    ['0', 5],
    ['21', 5],
    ['2.5', 5],
    ['x', 5],
  ] as const) {
    t.equal(limitOf(new URLSearchParams({ n })), limit, n)
  }
})

t.test('the gateway chooses the tokens; where one is taken out, the next one takes its place', async (t) => {
  const order = { chain: 'solana', usd: '250', limit: 2, slippageBps: 50 }
  const top = { tokens: ['a', 'b', 'c', 'd'].map((address) => ({ address })) } as unknown as BasketTop
  t.equal(planInputOf(order, [], null), order)
  t.equal(planInputOf(order, ['a'], null), null, 'the tokens are not known yet')
  t.same(planInputOf(order, ['a'], top), { ...order, only: 'b,c' })
  t.same(planInputOf(order, ['b', 'c'], top), { ...order, only: 'a,d' })
  t.equal(planInputOf(order, ['a', 'b', 'c', 'd'], top), order, 'the last one cannot be taken out')
})

t.test('what a plan leaves out has a reason, and a warning stands once for all that it is of', async (t) => {
  const clip = (token: string, liqBps: number, ...warnings: readonly string[]) => ({
    token,
    liqBps,
    warnings,
  })
  const unchecked = 'No source has checked this token for risks.'
  const plan = {
    minClipUsd: '10',
    left: ['unlisted', 'wrapped', 'gated', 'unknown', 'limit', 'clip'].map((reason) => ({
      token: reason,
      reason,
    })),
    clips: [clip('a', 5, unchecked), clip('b', 250, 'The clip is 250 bps of …', unchecked), clip('c', 1)],
  } as unknown as BasketPlan
  t.same(
    leftOut(plan, ['d']).map(({ token, why }) => `${token}: ${why}`),
    [
      'd: you took it out',
      'unlisted: not in the token list',
      'wrapped: the native coin, wrapped',
      'gated: hidden for risk',
      'unknown: its liquidity is unknown',
      'limit: beyond the number of tokens',
      'clip: its part would be less than $10',
    ],
  )
  t.same(
    [...warningsOf(plan)],
    [
      [unchecked, ['a', 'b']],
      ['2.5% of its pools moves the price', ['b']],
    ],
  )
})

const partOf = (state: BasketPart['state'], more: object = {}): BasketPart =>
  ({ state, id: null, problem: null, receipt: null, ...more }) as BasketPart

const after = (part: BasketPart, attempt: object | null) =>
  partAfter(
    part,
    attempt && ({ steps: [], error: null, verdict: null, ...attempt } as unknown as PartAttempt),
  )

t.test(
  'a part is the order that was asked for, whatever the plan of a gateway that was taken over says',
  async (t) => {
    const query = {
      chain: 'base',
      side: 'sell',
      token: 'theirs',
      against: 'b',
      toChain: 'base',
      amount: '0.5',
      slippageBps: 9_900,
    }
    const plan = {
      usd: '9',
      clips: [{ token: 'ours', usd: '60', quote: { query } }],
    } as unknown as BasketPlan
    const asked = { chain: 'solana', usd: '60', limit: 1, slippageBps: 50 }
    const [part] = partsOf(plan, asked, (address) => ({ address }) as never)
    t.same(part!.order, { chain: 'solana', side: 'buy', token: 'ours', amount: '0.5', slippageBps: 50 })
    t.match(part, { token: { address: 'ours' }, state: 'waiting' })
  },
)

t.test('a part follows its attempt, and what was signed never waits again', async (t) => {
  const review = partOf('review')
  t.same(after(review, { phase: 'building' }), { state: 'review' })
  t.same(after(review, { phase: 'review' }), { state: 'review' })
  t.same(after(review, { phase: 'running' }), { state: 'signing', id: null })
  t.same(after(review, { phase: 'running', steps: [{ id: null }] }), { state: 'signing', id: null })
  t.same(after(review, { phase: 'running', steps: [{ id: 'x' }] }), { state: 'signed', id: 'x' })
  const receipt = {}
  t.same(after(review, { phase: 'done', steps: [{ id: 'x' }], receipt }), {
    state: 'confirmed',
    id: 'x',
    receipt,
  })
  t.same(after(review, null), { state: 'waiting' }, 'a review that was left')
  for (const state of ['signing', 'signed', 'confirmed', 'blocked', 'failed', 'skipped'] as const) {
    t.same(after(partOf(state), null), {}, state)
  }
})

t.test('what failed says why', async (t) => {
  const review = partOf('review')
  const failed = (problem: string, id: string | null) =>
    after(review, { phase: 'failed', problem, steps: [{ id }] }).problem
  t.equal(failed('It failed.', 'x'), 'It failed.')
  t.equal(failed('Nothing was signed.', null), 'Nothing was signed.')
  const refused = (code: string) => after(review, { phase: 'refused', error: { code, message: 'Why.' } })
  t.same(refused('material_refused'), { state: 'blocked', problem: 'Why.' })
  t.same(refused('material_unproved'), { state: 'blocked', problem: 'Why.' })
  t.same(refused('quote_moved'), { state: 'failed', problem: 'Why.' })
  t.same(after(review, { phase: 'refused', verdict: { isVerified: false, message: 'Own.' } }), {
    state: 'blocked',
    problem: 'Own.',
  })
})

t.test('one part is in progress at a time; payments and receipts are summed exactly', async (t) => {
  const basket = (...states: readonly BasketPart['state'][]) =>
    ({ parts: states.map((state) => partOf(state)) }) as unknown as Basket
  t.equal(nextOf(basket('confirmed', 'blocked', 'waiting', 'waiting')), 2)
  t.equal(nextOf(basket('confirmed', 'skipped', 'failed')), -1)
  for (const state of ['review', 'signing', 'signed'] as const) t.ok(isBusy(basket('waiting', state)), state)
  t.notOk(isBusy(basket('waiting', 'confirmed', 'blocked', 'failed', 'skipped')))
  const paid = (...amounts: readonly string[]) =>
    partOf('confirmed', { receipt: { paid: amounts.map((amount) => ({ amount })), got: [] } })
  t.equal(paidFor([]), '0')
  t.equal(paidFor([paid('9007199254740993'), paid('2')]), '9007199254740995')
  t.equal(paidFor([paid('1'), paid()]), null)
  t.equal(paidFor([paid('1'), partOf('confirmed')]), null)
  const charged = (amount?: string) => partOf('confirmed', { receipt: { fee: amount && { amount } } })
  t.equal(feesFor([charged('5000'), charged('5001')]), '10001')
  t.equal(feesFor([charged('5000'), charged()]), null)
  t.equal(gotOf(paid('1')), null)
  t.equal(gotOf(partOf('confirmed', { receipt: { got: [1] } })), 1)
})

/** Of the gateway and its chains; a page whose clock is installed passes it on. */
const clock = movedClock(CLOCK)

interface Sandbox {
  readonly control: string
}

t.test('a basket in Chromium', { skip: SKIPPED }, async (t) => {
  const browser = await startBrowser()
  const { url } = await listenChecked(t, clock, { LIMITS: 'swap=off,portfolio=off,rpcRead=off,rpcSend=off' })
  const { sandbox } = (await (await fetch(`${url}/api/health`)).json()) as { sandbox: Sandbox }
  await planned(t, browser, url, sandbox)
  await blocked(t, browser, url, sandbox)
  await bought(t, browser, url, sandbox)
})

const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('button', { name }).click()
const parts = (page: Page): Locator => page.getByRole('list', { name: 'Parts' }).locator('li')
const chips = (page: Page): Promise<readonly string[]> => parts(page).locator('.chip').allTextContents()

const opened = (t: Test, browser: Browser, url: string, sandbox: Sandbox, more: object = {}) =>
  visit(t, browser, url, { beside: Object.values(sandbox), ...more })

async function narrow(t: Test, page: Page, what: string): Promise<void> {
  t.same(await seriousFindings(page), [], `axe-core finds nothing: ${what}`)
  for (const width of [360, 390, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    t.equal(
      await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
      0,
      `${what} does not scroll sideways at ${width} px`,
    )
  }
}

async function planned(t: Test, browser: Browser, url: string, sandbox: Sandbox) {
  await t.test('its plan adds up, and a token that is taken out gives its place to the next', async (t) => {
    const { page } = await opened(t, browser, `${url}/#/swap?chain=solana`, sandbox)
    await page.getByRole('link', { name: 'Buy several tokens at once' }).click()
    await page.getByRole('heading', { level: 1, name: 'Basket' }).waitFor()
    t.equal(new URL(page.url()).hash, '#/basket?chain=solana')
    await page.getByText('Enter an amount to see what it buys.').waitFor()
    await page.getByLabel('Amount of dollars').fill('100')
    await page.getByLabel('Tokens, the deepest first').selectOption('3')
    await parts(page).nth(2).waitFor()
    await page.locator('.plan[aria-busy="false"]').waitFor()
    const sums = await parts(page).locator('.clip-worth strong').allTextContents()
    const cents = sums.reduce((sum, text) => sum + Math.round(100 * Number(text.slice(1))), 0)
    t.ok(Math.abs(cents - 10_000) <= 2, String(sums))
    t.match(await page.locator('.plan .facts').textContent(), /^Total\$100\.00 = [\d.]+ SOL$/)
    t.match(await parts(page).first().textContent(), /\d%.*\$\d.*≈ [\d,.]+ \w/)
    const names = (): Promise<readonly string[]> =>
      parts(page).locator('.token-text strong').allTextContents()
    const [first, ...others] = await names()
    await page.getByLabel(first!).uncheck()
    await page.getByText('you took it out').waitFor()
    t.equal(await page.evaluate('document.activeElement.type'), 'checkbox', 'it keeps the focus')
    await page.locator('.plan[aria-busy="false"]').waitFor()
    t.same((await names()).slice(0, 2), others)
    t.equal((await names()).length, 3)
    t.match(new URL(page.url()).hash, /without=/)
    const line = page.getByRole('region', {
      name: 'The request of this view',
      exact: true,
      includeHidden: true,
    })
    t.match(await line.textContent(), /\/api\/basket\/plan\?chain=solana&usd=100&limit=3&.*only=/)
    await page.getByLabel(first!).check()
    await page.getByText('you took it out').waitFor({ state: 'detached' })
    t.equal(await page.getByRole('button', { name: 'Connect wallet' }).isEnabled(), true)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await narrow(t, page, `a plan, ${colorScheme}`)
    }
  })

  await t.test(
    'what is wrong is said at its field, and where there is nothing to buy, in its place',
    async (t) => {
      const { page, expect } = await opened(t, browser, `${url}/#/basket?chain=solana&usd=5`, sandbox)
      expect(/status of 400/)
      const alert = page.getByRole('alert')
      await alert.filter({ hasText: 'usd must be at least minClipUsd' }).waitFor()
      t.equal(await page.getByLabel('Amount of dollars').getAttribute('aria-invalid'), 'true')
      await page.getByLabel('Amount of dollars').fill('many')
      await alert.filter({ hasText: 'The amount must be dollars above zero' }).waitFor()
      await page.getByText('Max slippage').click()
      await page.getByLabel('Slippage, %').fill('80')
      await alert.filter({ hasText: 'Enter 0.01% to 50%.' }).waitFor()
      await page.goto(`${url}/#/basket?chain=unichain&usd=50`)
      await alert.filter({ hasText: 'The token list has no token on Unichain for a basket.' }).waitFor()
      t.notMatch(await page.locator('.problem').textContent(), /GET/)
      t.same(await seriousFindings(page), [])
    },
  )
}

async function blocked(t: Test, browser: Browser, url: string, sandbox: Sandbox) {
  await t.test("a part whose transaction is not the plan's is blocked, and the others go on", async (t) => {
    const { page } = await opened(t, browser, `${url}/#/basket?chain=ethereum&usd=60&n=2`, sandbox)
    await press(page, 'Sandbox wallet')
    await page.getByText('Play money. The key lives in this tab').waitFor()
    await page.route('**/api/build', async (route) => {
      const response = await route.fetch()
      const built = (await response.json()) as { data: string; from: string }
      const data = built.data.replaceAll(built.from.slice(2).toLowerCase(), 'bad0'.repeat(10))
      await route.fulfill({ response, json: { ...built, data } })
    })
    await press(page, 'Review 2 swaps')
    await page.getByText("Blocked: the transaction doesn't match your order").waitFor()
    t.same(await chips(page), ['Blocked', 'Waiting'])
    t.equal(await page.getByRole('button', { name: 'Sign' }).count(), 0)
    await narrow(t, page, 'a part that is blocked')
    await page.unroute('**/api/build')
    await press(page, /^Next: /)
    await page.locator('.verified > summary').waitFor()
    t.same(await chips(page), ['Blocked', 'In review'])
    await press(page, 'Back')
    await press(page, /^Skip [A-Z]+$/)
    await page.getByRole('heading', { name: 'Summary' }).waitFor()
    t.match(
      await page.locator('.result .facts').textContent(),
      /^You receivednothingYou paid0 ETHNetwork fees\$0Not bought\w+ \(blocked\), \w+ \(skipped\)$/,
    )
    await press(page, /^Try again/)
    await page.locator('.verified > summary').waitFor()
    t.same(await chips(page), ['In review', 'Skipped'])
    await press(page, 'Back')
    await press(page, 'Skip the rest')
    await press(page, 'New basket')
    await page.locator('.plan').waitFor()
  })
}

async function bought(t: Test, browser: Browser, url: string, sandbox: Sandbox) {
  await t.test('its parts are reviewed and signed one after the other, and none twice', async (t) => {
    const before = (page: Page) => page.clock.install({ time: clock.date() })
    const { page } = await opened(t, browser, `${url}/#/swap?chain=solana`, sandbox, { before })
    const pass = (shown: Locator): Promise<void> => passUntil(page, shown, clock)
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.postData()?.includes('sendTransaction') === true) sent.push(request.postData()!)
    })
    await page.getByRole('link', { name: 'Buy several tokens at once' }).click()
    await page.getByLabel('Amount of dollars').fill('60')
    await page.getByLabel('Tokens, the deepest first').selectOption('3')
    await press(page, 'Sandbox wallet')
    await pass(page.getByLabel('Wallet balances').getByText('2', { exact: true }))
    await press(page, 'Review 3 swaps')
    await page.locator('.verified > summary').waitFor()
    t.match(
      await page.locator('.verified > summary').textContent(),
      /^Provider's claim · (\d\d) of \1 checks passed$/,
    )
    t.match(await page.locator('.review > .facts').textContent(), /Priority fee<?\$[\d.]+/)
    t.same(await chips(page), ['In review', 'Waiting', 'Waiting'])
    await narrow(t, page, 'a part in review')

    await page.getByRole('link', { name: 'Swap', exact: true }).click()
    await page.getByRole('link', { name: 'Buy several tokens at once' }).waitFor()
    // The form leaves the review of another order once it is drawn.
    await page.locator('.verified').waitFor({ state: 'detached' })
    await page.goBack()
    await parts(page).nth(2).waitFor()
    t.same(await chips(page), ['Waiting', 'Waiting', 'Waiting'], 'a review that was left waits')
    t.equal(sent.length, 0)
    await press(page, /^Review [A-Z]+$/)
    let answer = (): void => {}
    const isAnswered = new Promise<void>((resolve) => (answer = resolve))
    await page.route(/\/api\/transaction-status/, async (route) => {
      await isAnswered
      await route.continue()
    })
    await sign(page)
    await page.locator('.steps .sent').first().waitFor()
    t.same(await chips(page), ['Signed', 'Waiting', 'Waiting'])
    await page.getByRole('link', { name: 'Tokens', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Tokens' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Basket' }).waitFor()
    const begin = page.locator('main').getByRole('button', { name: /^(Review|Try again|Skip) / })
    t.equal(await begin.count(), 0, 'no other may begin')
    answer()
    await pass(page.locator('.receipt'))
    t.same(await chips(page), ['Confirmed', 'Waiting', 'Waiting'])
    await page.getByRole('status').getByText('1 of 3 confirmed').waitFor()

    await press(page, /^Next: [A-Z]+$/)
    await sign(page)
    await page.locator('.steps :is(.sent, .done)').first().waitFor()
    await pass(page.locator('.receipt'))
    t.same(await chips(page), ['Confirmed', 'Confirmed', 'Waiting'])
    t.equal(sent.length, 2)

    await press(page, /^Next: [A-Z]+$/)
    await press(page, 'Back')
    await press(page, 'Skip the rest')
    await page.getByRole('heading', { name: 'Summary' }).waitFor()
    t.match(
      await page.locator('.result .facts').textContent(),
      /^You received[\d.]+ \w+, [\d.]+ \w+You paid0\.\d+ SOLNetwork fees<?\$[\d.]+Not bought\w+ \(skipped\)$/,
    )
    await narrow(t, page, 'a summary')
    await press(page, 'New basket')
    await page.getByText('Plan', { exact: true }).waitFor()
    t.equal(sent.length, 2, 'each part was sent once')
  })
}
