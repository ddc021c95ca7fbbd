import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { CODES } from '../../../../src/runtime/errors.ts'
import { METHOD_NAMES } from '../../../../src/runtime/resources/solrpc.ts'
import { listen, SKIPPED, seriousFindings, startBrowser, visit } from '../../../fixtures/browser.ts'
import { type Document, operations, readDocument } from '../../../fixtures/document.ts'

/** The page, its program, its style and the document, over the wire, with headers. */
const MAX_BYTES = 110 * 1_024

t.test('the reference in Chromium', { skip: SKIPPED }, async (t) => {
  const browser = await startBrowser()
  const { url } = await listen(t, { LIMITS: 'swap=off,portfolio=off,rpcRead=off,rpcSend=off,explain=off' })
  const document = await readDocument(url)
  for (const width of [1440, 360]) await opening(t, browser, url, document, width)
  await reading(t, browser, url)
  await finding(t, browser, url)
  await methods(t, browser, url)
  await coding(t, browser, url)
  await trying(t, browser, url, document)
  await streaming(t, browser, url)
  await refusing(t, browser, url)
  await dressing(t, browser, url)
})

/** Operations that this gateway answers. */
const served = (document: Document) =>
  operations(document).filter(
    ([, , operation]) => (operation as unknown as { tags: string[] }).tags[0] !== 'Community',
  )

const idOf = (method: string, path: string): string => `${method}-${path.replace(/[{}]/g, '-')}`

async function isAsWide(t: Test, page: Page): Promise<void> {
  const beyond = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  t.equal(await page.evaluate(beyond), 0, 'it does not scroll sideways')
}

async function opening(t: Test, browser: Browser, url: string, document: Document, width: number) {
  await t.test(
    `it opens on a quickstart and lists every operation, method and code, ${width} px`,
    async (t) => {
      const { page, bytes } = await visit(t, browser, `${url}/reference`, { width, isNew: true })
      await page.getByRole('heading', { name: 'Quickstart' }).waitFor()
      t.ok(bytes() > 20_000 && bytes() <= MAX_BYTES, `${bytes()} bytes`)
      const links = page.locator('.contents section a')
      t.equal(await links.first().isVisible(), width > 900)
      const hrefs = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')!.slice(1)))
      const expected = served(document).map(([method, path]) => idOf(method, path))
      t.ok(expected.length > 30)
      t.same(hrefs.sort(), ['', ...expected, ...METHOD_NAMES.map((name) => `rpc-${name}`)].sort())
      const code = page.getByRole('region', { name: 'the code' })
      t.match(await code.textContent(), `curl -s '${url}/api/quote?`)
      await page.getByRole('radio', { name: 'Python' }).check()
      t.match(await code.textContent(), 'urlopen')
      const first = page.locator('[id^="error-"]').first()
      t.notOk(await first.isVisible())
      await page.getByText(`All ${Object.keys(CODES).length} codes`).click()
      t.ok(await first.isVisible())
      t.equal(await page.locator('[id^="error-"]').count(), Object.keys(CODES).length)
      await page.getByText('Sandbox: simulated market').waitFor()
      t.equal(await page.title(), 'Reference · swapgate')
      t.same(await seriousFindings(page), [])
      await isAsWide(t, page)
      await page.route('**/api/health', (route) => route.fulfill({ json: { mode: 'live' } }))
      await page.reload()
      await page.getByRole('heading', { name: 'Quickstart' }).waitFor()
      t.notOk(
        await page.getByText('Sandbox: simulated market').isVisible(),
        'live swaps are not of play money',
      )
    },
  )
}

async function reading(t: Test, browser: Browser, url: string) {
  for (const width of [1440, 768, 320]) {
    await t.test(`an entry has a URL, and draws what is opened, ${width} px`, async (t) => {
      const { page } = await visit(t, browser, `${url}/reference#get-/api/quote`, { width })
      await page.getByRole('heading', { name: 'Indicative swap quote' }).waitFor()
      t.equal(await page.title(), 'Indicative swap quote · Reference · swapgate')
      await page.getByText('chain-specific token address or identifier').first().waitFor()
      const invalid = page.locator('.replies').getByRole('link', { name: 'invalid_parameter' })
      t.equal(await invalid.count(), 0)
      await page.locator('summary', { hasText: /^400/ }).click()
      await invalid.waitFor()
      await page
        .locator('.replies summary', { hasText: /^Example/ })
        .first()
        .click()
      await page.locator('.replies .source').getByText('"minOut"').first().waitFor()
      await page.locator('.replies .field summary').first().click()
      await isAsWide(t, page)
      t.same(await seriousFindings(page), [])
      if (width < 768) {
        const sizes = await page
          .locator('main :is(input:not([type="radio"]), select)')
          .evaluateAll((all) =>
            all.map((one) => one.ownerDocument.defaultView.getComputedStyle(one).fontSize),
          )
        t.same(new Set(sizes), new Set(['16px']), 'a field does not make a phone zoom in')
      }
      await invalid.click()
      await page.locator('#error-invalid_parameter').waitFor()
      t.ok(await page.evaluate(`document.activeElement.tagName === 'H1'`), 'the keyboard is at its head')
      await page.goto(`${url}/reference#get-/nowhere`)
      await page.getByText('Here is no get-/nowhere').waitFor()
    })
  }
}

async function finding(t: Test, browser: Browser, url: string) {
  await t.test('the search finds operations, parameters, members, methods and codes', async (t) => {
    const { page } = await visit(t, browser, `${url}/reference`)
    const field = page.getByRole('searchbox')
    const found = page.locator('.contents section a')
    for (const [query, first] of [
      ['getSlot', 'RPC getSlot'],
      ['no_route', '400 no_route'],
      ['quote stream', 'GET Swap offers as they arrive'],
      ['amountOut', 'GET Indicative swap quote amountOut'],
      ['/api/token/', 'GET Token profile'],
      ['suggestedSlippage', 'GET Indicative swap quote suggestedSlippageBps'],
    ] as const) {
      await field.fill(query)
      const texts = (await found.allTextContents()).map((text) => text.replace(/\s+/g, ' ').trim())
      t.ok(
        texts.some((text) => text.startsWith(first)),
        `${query}: ${texts.slice(0, 3).join(' | ')}`,
      )
      await page.getByRole('status').getByText(`${texts.length} found`).waitFor()
    }
    await field.fill('xyzzy quote')
    t.equal(await found.count(), 0)
    await page.getByText('0 found').waitFor()
    await field.fill('getSlot')
    await field.press('Enter')
    await page.getByRole('heading', { name: 'getSlot' }).waitFor()
  })
}

async function methods(t: Test, browser: Browser, url: string) {
  await t.test('a method of the relay says what each of its params may be', async (t) => {
    const { page } = await visit(t, browser, `${url}/reference#rpc-getMultipleAccounts`)
    const fields = page.locator('.takes > .field')
    await fields.first().waitFor()
    t.match(
      await fields.first().textContent(),
      /^params\[0\]string\[\]requiredeach a base58 address of 32 bytes; at most 100 items$/,
    )
    t.match(await fields.nth(1).textContent(), /^params\[1\]object \| null(?!required)/)
    const option = fields.nth(1).locator('.field', { hasText: 'minContextSlot' })
    t.match(await option.textContent(), /integer \| nullat least 0; at most \d+/)
    await page.goto(`${url}/reference#rpc-getSlot`)
    await page.getByRole('heading', { name: 'getSlot' }).waitFor()
    t.equal(await fields.count(), 1)
  })
}

async function coding(t: Test, browser: Browser, url: string) {
  await t.test('the code follows the fields and the example, and can be copied', async (t) => {
    const { page, context } = await visit(t, browser, `${url}/reference#get-/api/quote`)
    const code = page.getByRole('region', { name: 'the code' })
    await page.getByLabel('Example').selectOption('solana')
    await page.getByLabel('amount', { exact: true }).fill("1'2")
    for (const [language, part] of [
      ['curl', `amount=1%272`],
      ['TypeScript', `amount: "1'2"`],
      ['Python', `amount=1%272`],
      ['Go', `amount=1%272`],
    ] as const) {
      await page.getByRole('radio', { name: language }).check()
      t.match(await code.textContent(), part, language)
    }
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy the code' }).click()
    await page.getByText('Copied').waitFor()
    t.equal(await page.evaluate('navigator.clipboard.readText()'), await code.textContent())
    await page.goto(`${url}/reference#post-/api/build`)
    await page.getByLabel('Body').waitFor()
    await page.getByRole('radio', { name: 'Python' }).check()
    t.match(await code.textContent(), /quote = json.load\(urlopen\("http/)
  })
}

/** What is not answered by JSON. */
const OTHER_ANSWERS = ['get-/api/logo/-chain-/-address-', 'get-/api/bake-off/export']

async function trying(t: Test, browser: Browser, url: string, document: Document) {
  await t.test('each operation and each method can be tried', async (t) => {
    const { page, expect } = await visit(t, browser, `${url}/reference`)
    // The browser says so of each answer with such a status.
    expect(/Failed to load resource: the server responded with a status of 4/)
    const ids = [
      ...served(document).map(([method, path]) => idOf(method, path)),
      ...METHOD_NAMES.map((name) => `rpc-${name}`),
    ]
    const answered: Record<string, number> = {}
    for (const id of ids) {
      await page.goto(`${url}/reference#${id}`)
      await page.locator(`.contents [href="#${id}"][aria-current]`).waitFor({ state: 'attached' })
      await page.getByRole('button', { name: 'Try' }).click()
      // Races are told as they happen.
      if (id === 'get-/api/bake-off/event') {
        const asked =
          '/api/quote?chain=base&side=buy&amount=1&token=0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
        await page.getByRole('button', { name: 'Stop' }).waitFor()
        await fetch(url + asked)
      }
      const status = page.locator('aside .chip')
      await status.waitFor()
      if (id.includes('stream') || id.endsWith('/event')) {
        await page.getByRole('region', { name: 'the answer' }).getByText('data:').waitFor()
        // One that ends by itself may have ended.
        await page.evaluate(`[...document.querySelectorAll('aside button')]
          .find(({ textContent }) => textContent === 'Stop')?.click()`)
      }
      await page.getByRole('button', { name: 'Try' }).waitFor()
      answered[id] = Number(await status.last().textContent())
      const text = await page.getByRole('region', { name: 'the answer' }).textContent()
      if (!OTHER_ANSWERS.includes(id)) t.match(text, /^\{\n|^retry: /, id)
      t.match(await page.locator('aside .type').textContent(), /X-Request-Id: |Cache-Control: public/, id)
    }
    t.same(
      Object.entries(answered).filter(([, status]) => status >= 500),
      [],
    )
    const refused = Object.entries(answered).filter(([, status]) => status >= 400)
    t.same(refused.map(([id]) => id).sort(), REFUSED)
  })
}

/** Their examples name what this sandbox does not have: a receipt, and signed transactions. */
const REFUSED = ['get-/api/fast-trade-proof', 'rpc-sendTransaction', 'rpc-sendTransactions']

async function streaming(t: Test, browser: Browser, url: string) {
  await t.test('a stream is closed after five events', async (t) => {
    const { page } = await visit(t, browser, `${url}/reference#get-/api/quote/stream`)
    const events = ['one', 'two', 'three', 'four', 'five', 'six'].map((name) => `data: "${name}"\n\n`)
    const answer = (all: readonly string[]) =>
      page.route('**/api/quote/stream?*', (route) =>
        route.fulfill({ body: all.join(''), contentType: 'text/event-stream' }),
      )
    await answer(events)
    await page.getByRole('button', { name: 'Try' }).click()
    await page.locator('aside').getByText('Closed after 5 events.').waitFor()
    await page.unroute('**/api/quote/stream?*')
    await answer(events.slice(0, 4))
    await page.getByRole('button', { name: 'Try' }).click()
    await page.locator('aside').getByText('The gateway closed it.').waitFor()
    await page.getByRole('region', { name: 'the answer' }).getByText('data: "four"').waitFor()
  })
}

async function refusing(t: Test, browser: Browser, url: string) {
  await t.test('what fails is said, and what is answered is text', async (t) => {
    const { page, expect } = await visit(t, browser, `${url}/reference#get-/api/chains`)
    expect(/Failed to load resource|ERR_FAILED/)
    const attempt = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Try' }).click()
      await page.getByRole('button', { name: 'Try' }).waitFor()
    }
    const name = '<img class="made-of-an-answer" src="/x"><a class="made-of-an-answer" href="/y">z</a>'
    await page.route('**/api/chains', (route) => route.fulfill({ json: { name, big: 1 } }))
    await page.getByRole('heading', { name: 'Network metadata' }).waitFor()
    await attempt()
    await page.locator('aside').getByText('made-of-an-answer').first().waitFor()
    t.equal(await page.locator('.made-of-an-answer').count(), 0)
    await page.unroute('**/api/chains')
    const exact = '{"a":[],"b":18446744073709551615,"c":1.0}'
    await page.route('**/api/chains', (route) =>
      route.fulfill({ body: exact, contentType: 'application/json', status: 503 }),
    )
    await attempt()
    t.equal(
      await page.getByRole('region', { name: 'the answer' }).textContent(),
      '{\n  "a": [],\n  "b": 18446744073709551615,\n  "c": 1.0\n}',
    )
    await page.locator('aside .chip.grave').getByText('503').waitFor()
    await page.unroute('**/api/chains')
    await page.route('**/api/chains', (route) => route.abort())
    await attempt()
    await page.getByRole('alert').getByText('No complete answer came: ').waitFor()
    await page.goto(`${url}/reference#rpc-getSlot`)
    await page.getByLabel('Body').fill('{"jsonrpc"')
    await page.getByText('This is no object in JSON').waitFor()
    await attempt()
    await page.locator('aside .chip.grave').getByText('400').waitFor()
    await page.route('**/openapi.json', (route) => route.fulfill({ status: 503 }))
    await page.reload()
    await page.getByRole('alert').getByText('GET /openapi.json was not answered (status 503)').waitFor()
  })
}

async function dressing(t: Test, browser: Browser, url: string) {
  await t.test('it has the colours of the machine, or those chosen in the console', async (t) => {
    const { page } = await visit(t, browser, `${url}/reference#get-/api/quote`, { theme: 'dark' })
    const paper = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor')
    await page.getByRole('heading', { name: 'Indicative swap quote' }).waitFor()
    const dark = await paper()
    t.same(await seriousFindings(page), [])
    await page.emulateMedia({ colorScheme: 'light' })
    t.not(await paper(), dark)
    await page.evaluate(`localStorage.setItem('swapgate.theme', 'dark')`)
    await page.reload()
    await page.getByRole('heading', { name: 'Indicative swap quote' }).waitFor()
    t.equal(await paper(), dark)
  })
}
