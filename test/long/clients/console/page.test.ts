import { brotliCompressSync } from 'node:zlib'
import type { Browser, Locator, Page, Route } from 'playwright-core'
import t, { type Test } from 'tap'
import { listen, SKIPPED, seriousFindings, startBrowser, visit } from '../../../fixtures/browser.ts'

/** The bound of a first view, over the wire, with headers. */
const MAX_BYTES = 150 * 1_024
/** The bound of the style of all views, as it is sent. */
const MAX_STYLE_BYTES = 16 * 1_024
/** The bound of the HTML, which draws the frame: 0.4 s of a line of 40 KB/s. */
const MAX_HTML_BYTES = 16 * 1_024
const BRETT = '0x532f27101965dd16442E59d40670FaF5eBB142E4'
const VIEWS = [
  ['tokens', '#/tokens?chain=base', 'Tokens'],
  ['tokens that are held back', '#/tokens?all=true&sort=-risk&q=sandbox', 'Tokens'],
  ['an empty portfolio', '#/portfolio', 'Portfolio'],
  ['a portfolio', '#/portfolio?of=0x52908400098527886E0F7030069857D2E4169EE7', 'Portfolio'],
  ['a token', '#/token/base/0x000000000000000000000000000000686f6E6579', 'HONEY'],
  ['no token', '#/token', 'Token'],
  ['a swap', '#/swap?amount=0.25', 'Swap'],
  ['a swap on a chain that is not there', '#/swap?chain=nowhere', 'Swap'],
  ['a basket', '#/basket?usd=100', 'Basket'],
  ['the sandbox', '#/sandbox', 'Sandbox'],
  ['the relay', '#/relay', 'Relay'],
  ['explain', '#/explain', 'Explain'],
  ['limits', '#/limits', 'Limits & health'],
  ['no view', '#/nothing', 'Page not found'],
] as const

/** Views that are opened first: what is drawn by their data, their files, and the answer that they begin with. */
const OPENED = [
  ['#/tokens', 'tbody th', 2, '/api/tokens?hourly=true'],
  ['#/swap', '.amount-box', 5, '/api/swap-options'],
  [`#/token/base/${BRETT}`, '.chart', 3, `/api/token/base/${BRETT}`],
] as const

/** One page waits for its answers while another is drawn. */
const BESIDE = { buffered: true }

t.test('the console in Chromium', { skip: SKIPPED }, async (t) => {
  const browser = await startBrowser()
  const { url } = await listen(t)
  await firstView(t, browser, url)
  await firstPaint(t, browser, url)
  await accessible(t, browser, url)
  await still(t, browser, url)
  await moving(t, browser, url)
  await linked(t, browser, url)
})

function firstView(t: Test, browser: Browser, url: string) {
  return t.test('the first view is at most 150 KiB over the wire, from its own origin', async (t) => {
    const { page, bytes } = await visit(t, browser, url, { isNew: true })
    await page
      .getByRole('rowheader', { name: /^E? ?ETH/ })
      .first()
      .waitFor()
    await page.waitForLoadState('networkidle')
    t.ok(bytes() > 5_000, 'the bytes were counted')
    t.ok(bytes() <= MAX_BYTES, `${bytes()} bytes`)
    t.comment(`first view: ${bytes()} bytes`)
    const style = await page.locator('head > style').textContent()
    const { length } = brotliCompressSync(style!)
    t.ok(length > 1_000 && length <= MAX_STYLE_BYTES, `${length} bytes of style`)
    t.equal(await page.title(), 'Tokens · swapgate')
    t.equal(await page.getByRole('status').filter({ hasText: 'Online' }).count(), 1)
  })
}

/** What the navigation shows. */
const linksOf = (page: Page): Promise<readonly string[]> =>
  page
    .locator('nav > *')
    .evaluateAll((parts) => parts.map((part) => part.outerHTML.replace(/ class=""| aria-\w+="[^"]*"/g, '')))

async function firstPaint(t: Test, browser: Browser, url: string) {
  for (const width of [1440, 390]) {
    await t.test(`the HTML alone draws the frame, in the chosen theme, ${width} px wide`, async (t) => {
      const held: Route[] = []
      let isHeld = true
      const { page } = await visit(t, browser, `${url}/reference`, { width, isNew: true })
      await page.evaluate("localStorage.setItem('swapgate.theme', 'dark')")
      await page.route(/\/(assets|api)\//, (route) => (isHeld ? void held.push(route) : route.continue()))
      await page.goto(`${url}/#/limits`, { waitUntil: 'commit' })
      const paper = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor')
      await page.locator('.skeleton > div').first().waitFor()
      await page.evaluate(
        "new Promise((seen) => new PerformanceObserver(() => seen()).observe({ type: 'paint', buffered: true }))",
      )
      t.equal(await paper(), 'rgb(16, 20, 20)')
      t.same(await seriousFindings(page), [])
      const beyond = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      t.equal(await page.evaluate(beyond), 0)
      const banner = page.getByText('Sandbox: simulated market, play money.')
      t.ok(await banner.isVisible())
      const nav = await page.getByRole('navigation', { name: 'Views' }).boundingBox()
      const links = (await linksOf(page)).map((part) => part.replace(' class="sandbox"', ''))
      const { length } = Buffer.from(await (await fetch(url)).arrayBuffer())
      t.ok(length > 10_000, 'the HTML has the style')
      const sent = Number(
        (await fetch(url, { method: 'HEAD', headers: BROTLI })).headers.get('content-length'),
      )
      t.ok(sent > 3_000 && sent <= MAX_HTML_BYTES, `${sent} bytes of HTML`)
      t.equal(await page.locator('h1').textContent(), 'Limits & health')
      t.equal(await page.locator('nav [aria-current]').textContent(), 'Limits & health')
      // The page's program is not there yet, and what it will ask for is.
      const program = await page.locator('script[type="module"]').getAttribute('src')
      const asked = held.map((route) => new URL(route.request().url()).pathname)
      t.same(asked.filter((path) => path.startsWith('/api/')).sort(), ['/api/chains', '/api/health'])
      t.ok(asked.includes(program!))
      t.ok(
        asked.some((path) => path.startsWith('/assets/limits-')),
        'the view in the URL is asked for',
      )
      t.equal(asked.length, 4, 'and no more')

      isHeld = false
      for (const route of held) await route.continue()
      await page.getByRole('heading', { level: 1, name: 'Limits & health' }).waitFor()
      await page.locator('.service [role="status"]', { hasText: 'Online' }).waitFor({ state: 'attached' })
      t.same(await linksOf(page), links, 'it is the navigation of the page')
      t.equal(await paper(), 'rgb(16, 20, 20)')
      t.equal((await page.getByRole('navigation', { name: 'Views' }).boundingBox())!.y, nav!.y)
    })
  }

  for (const [hash, drawn, files, answer] of OPENED) {
    await t.test(`${hash} is ${files} files, and asks for its first answers once, before them`, async (t) => {
      const asked: string[] = []
      const held: Route[] = []
      const { page } = await visit(t, browser, `${url}/reference`, { isNew: true })
      page.on('request', (request) => asked.push(request.url().replace(url, '')))
      let isHeld = true
      await page.route('**/assets/*', (route) => (isHeld ? void held.push(route) : route.continue()))
      await page.goto(`${url}/${hash}`, { waitUntil: 'commit' })
      await page.locator('.skeleton').first().waitFor()
      const answers = ['/api/health', '/api/chains', answer]
      t.same(
        asked.filter((path) => path.startsWith('/api/')),
        answers,
      )
      t.equal(held.length, files)
      isHeld = false
      for (const route of held) await route.continue()
      await page.locator(drawn).first().waitFor()
      // The health is asked for again after 5 s.
      for (const path of answers.slice(1)) t.equal(asked.filter((other) => other === path).length, 1, path)
    })
  }

  await t.test('a live gateway draws no banner of the sandbox', async (t) => {
    const live = await listen(t, { MODE: 'live', PROVIDERS: 'none' })
    const { page } = await visit(t, browser, `${live.url}/reference`, { isNew: true })
    await page.route('**/assets/*', () => {})
    await page.goto(live.url, { waitUntil: 'commit' })
    await page.locator('.skeleton > div').first().waitFor()
    t.equal(await page.locator('.sandbox:visible').count(), 0)
  })
}

const BROTLI = { 'accept-encoding': 'br' }

function accessible(t: Test, browser: Browser, url: string) {
  return t.test('each view in each theme', async (t) => {
    t.jobs = 2
    for (const [theme, width, widths] of [
      // 720 is a window of 1440 px at 200 %.
      ['light', 360, [320, 360, 720, 820, 1440]],
      ['dark', 1280, []],
    ] as const) {
      void t.test(
        `axe-core finds nothing serious in the ${theme} theme, ${width} px wide`,
        BESIDE,
        async (t) => {
          const { sandbox } = (await (await fetch(`${url}/api/health`)).json()) as { sandbox: object }
          const { page } = await visit(t, browser, url, { theme, width, beside: Object.values(sandbox) })
          for (const [name, hash, title] of VIEWS) {
            await page.goto(`${url}/${hash}`)
            await page.getByRole('heading', { level: 1, name: title }).waitFor()
            await page.getByText('Loading…').first().waitFor({ state: 'detached' })
            t.same(await seriousFindings(page), [], name)
            t.equal(await page.locator('.api:visible').count(), 0, `${name}: no request is shown`)
            const isWithout = ['no view', 'no token', 'a swap on a chain that is not there'].includes(name)
            t.equal(
              (await page.locator('.curl > summary').count()) > 0,
              !isWithout,
              `${name}: until asked for`,
            )
            for (const narrow of widths) {
              await page.setViewportSize({ width: narrow, height: 900 })
              const beyond = await page.evaluate(
                'document.documentElement.scrollWidth - document.documentElement.clientWidth',
              )
              t.equal(beyond, 0, `${name} does not scroll sideways at ${narrow} px`)
            }
            await page.setViewportSize({ width, height: 900 })
          }
        },
      )
    }
  })
}

/** How far what is shown may move by itself, as Chromium counts it: 0.1 is its bound of what is good. */
const MAX_SHIFT = 0.05

async function still(t: Test, browser: Browser, url: string) {
  const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'
  const views: readonly (readonly [hash: string, drawn: string])[] = [
    ['#/tokens', 'tbody th'],
    [`#/token/base/${BRETT}`, '.chart canvas'],
    [`#/portfolio?of=${WALLET}`, '.sum-day .figure:not(.unknown)'],
    ['#/limits', '.budgets .budget-left'],
    ['#/swap?amount=0.25', '.rate-line'],
    ['#/explain', '.samples button'],
    ['#/sandbox', '.servers li'],
    ['#/basket?usd=100', '.clips .bar'],
  ]
  const { sandbox } = (await (await fetch(`${url}/api/health`)).json()) as { sandbox: object }
  const beside: readonly string[] = Object.values(sandbox)
  for (const width of [1440, 390]) {
    await t.test(`what comes takes the place that is kept for it, ${width} px wide`, async (t) => {
      // Answers are held back: others are opened meanwhile.
      t.jobs = 4
      for (const [hash, drawn] of views)
        void t.test(hash, BESIDE, async (t) => {
          const before = async (page: Page): Promise<void> => {
            await page.addInitScript(`
            window.shifts = []
            new PerformanceObserver((list) => {
              for (const { value, sources } of list.getEntries())
                shifts.push([value, sources.map(({ node }) => node?.className ?? node?.textContent)])
            }).observe({ type: 'layout-shift', buffered: true })
          `)
            // Long enough for the page to show that it has nothing yet. The health is asked for before a view's code is.
            await page.route(/\/api\/(?!health)/, async (route) => {
              await new Promise((resolve) => setTimeout(resolve, 200))
              await route.continue()
            })
          }
          const { page } = await visit(t, browser, `${url}/${hash}`, { width, before, beside })
          await page.locator(drawn).first().waitFor()
          await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))')
          const shifts: [number, unknown][] = await page.evaluate('shifts')
          const sum = shifts.reduce((sum, [value]) => sum + value, 0)
          t.ok(sum <= MAX_SHIFT, `${hash}: ${sum.toFixed(3)} ${JSON.stringify(shifts)}`)
        })
    })
  }
}

async function linked(t: Test, browser: Browser, url: string) {
  await t.test('addresses and transactions of a token lead to the explorer', async (t) => {
    const { page } = await visit(t, browser, `${url}/#/token/base/${BRETT}`)
    const hrefOf = (of: Locator): Promise<string | null> => of.first().getAttribute('href')
    t.equal(await hrefOf(page.locator('.identity a')), `https://basescan.org/token/${BRETT}`)
    const table = (caption: string | RegExp) => page.getByRole('table', { name: caption })
    const address = /^https:\/\/basescan\.org\/address\/0x\w{40}$/
    t.match(await hrefOf(table(/^Pools checked by/).locator('tbody th a')), address)
    t.match(await hrefOf(table('The largest holders').locator('tbody th a')), address)
    const trade = table('Trades, the newest first').locator('tbody a')
    t.match(await hrefOf(trade), /^https:\/\/basescan\.org\/tx\/0x\w{64}$/)
  })
}

async function moving(t: Test, browser: Browser, url: string) {
  await t.test(
    'a view that is opened has the focus at its head, its own title and its own URL',
    async (t) => {
      const { page } = await visit(t, browser, url)
      await page.getByRole('rowheader').first().waitFor()
      t.equal(await page.evaluate('document.activeElement.tagName'), 'BODY')
      const limits = page.getByRole('link', { name: 'Limits & health' })
      await limits.press('Enter')
      const head = page.getByRole('heading', { level: 1, name: 'Limits & health' })
      await head.waitFor()
      await page.waitForFunction('document.activeElement.tagName === "H1"')
      const outline = 'getComputedStyle(document.activeElement).outlineStyle'
      t.equal(await page.evaluate(outline), 'solid', 'where it is seen')
      t.equal(await page.title(), 'Limits & health · swapgate')
      t.equal(new URL(page.url()).hash, '#/limits')
      t.equal(await limits.getAttribute('aria-current'), 'page')
      await page.goBack()
      await page.getByRole('heading', { level: 1, name: 'Tokens' }).waitFor()
    },
  )

  await t.test('the first stop of the Tab key leads past the navigation', async (t) => {
    const { page } = await visit(t, browser, url)
    await page.getByRole('rowheader').first().waitFor()
    await page.keyboard.press('Tab')
    t.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content')
    await page.keyboard.press('Enter')
    t.equal(await page.evaluate('document.activeElement.tagName'), 'MAIN')
  })

  await t.test('the theme is that of the machine until one is chosen, which is kept', async (t) => {
    const { page } = await visit(t, browser, url, { theme: 'dark' })
    const paper = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor')
    await page.getByRole('radio', { name: 'Auto' }).waitFor({ state: 'attached' })
    const dark = await paper()
    await page.getByRole('radio', { name: 'Light' }).check({ force: true })
    const light = await paper()
    t.not(light, dark)
    await page.reload()
    await page.getByRole('radio', { name: 'Light' }).waitFor({ state: 'attached' })
    t.equal(await paper(), light)
  })

  await t.test('the request that made a view is a line for a shell, to copy', async (t) => {
    const { page, context } = await visit(t, browser, `${url}/#/tokens?all=true`)
    const line = page.getByRole('region', {
      name: 'The request of this view',
      exact: true,
      includeHidden: true,
    })
    t.equal(await line.textContent(), `curl -s --compressed '${url}/api/tokens?all=true&hourly=true'`)
    t.equal(await line.isVisible(), false, 'it is folded')
    await page.locator('.curl > summary').click()
    await line.waitFor()
    const script = page.getByRole('region', { name: 'The request of this view in JavaScript' })
    t.equal(
      await script.textContent(),
      `await (await fetch("${url}/api/tokens?all=true&hourly=true")).json()`,
    )
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy the request of this view' }).click()
    await page.getByText('Copied').waitFor()
    t.equal(await page.evaluate('navigator.clipboard.readText()'), await line.textContent())
    await page.keyboard.press('Escape')
    await line.waitFor({ state: 'hidden' })
  })

  await t.test('a phone has a bar of five at its foot, whose last opens the others', async (t) => {
    const { page } = await visit(t, browser, url, { width: 390 })
    await page.getByText('Sandbox: simulated market, play money.').waitFor()
    const bar = page.getByRole('navigation', { name: 'Views' })
    t.same(await bar.getByRole('link').allTextContents(), ['Swap', 'Tokens', 'Portfolio', 'Explain'])
    const limits = page.getByRole('link', { name: 'Limits & health' })
    t.equal(await limits.isVisible(), false)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('status').getByText('Online').waitFor()
    await limits.click()
    await page.getByRole('heading', { level: 1, name: 'Limits & health' }).waitFor()
    await limits.waitFor({ state: 'hidden' })
    const foot = await bar.boundingBox()
    t.equal(foot!.y + foot!.height, 900)
  })
}
