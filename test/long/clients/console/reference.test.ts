import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { CODES } from '../../../../src/runtime/errors.ts'
import {
  listen,
  SKIPPED,
  seriousFindings,
  startBrowser,
  type Visit,
  visit,
} from '../../../fixtures/browser.ts'

/** Its renderer, and all that it draws. */
const RENDERED = 'rapi-doc'
/** The bound of a view, over the wire, with headers. */
const MAX_BYTES = 300 * 1_024

t.test('the reference in Chromium', { skip: SKIPPED }, async (t) => {
  const browser = await startBrowser()
  const { url } = await listen(t)
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { summary: string; tags: string[] }>>
  }
  const operations = Object.values(paths).flatMap((item) =>
    Object.values(item)
      .filter(({ tags }) => tags[0] !== 'Community')
      .map(({ summary }) => summary),
  )
  t.ok(operations.length > 30)
  await listing(t, browser, url, operations)
  await linking(t, browser, url)
  await dressing(t, browser, url)
})

async function listing(t: Test, browser: Browser, url: string, operations: readonly string[]) {
  for (const [width, selector, how] of [
    [1440, '.nav-bar-path', 'beside the one that is read'],
    [360, '#jump optgroup option', 'in a list to choose from'],
  ] as const) {
    await t.test(
      `it opens on a quickstart and lists what the gateway answers, ${how}, ${width} px wide`,
      async (t) => {
        const { page, bytes } = await visit(t, browser, `${url}/reference`, { width, isNew: true })
        const lines = page.locator(selector)
        await lines.first().waitFor({ state: 'attached' })
        const listed = (await lines.allTextContents()).map((text) =>
          text.trim().replace(/^(GET|POST)\s+/, ''),
        )
        t.same(listed.sort(), [...operations].sort())
        await landing(t, page, operations.length)
        const sample = page.locator('#quickstart pre:visible')
        t.match(await sample.textContent(), `curl -s '${url}/api/quote?`)
        await page.getByText('Python').click()
        t.match(await sample.textContent(), 'urlopen')
        t.equal(await page.title(), 'Reference · swapgate')
        await page.getByText('Sandbox: play money').waitFor()
        t.ok(bytes() > 100_000 && bytes() <= MAX_BYTES, `${bytes()} bytes`)
        t.same(await seriousFindings(page, RENDERED), [])
        const beyond = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
        t.equal(await page.evaluate(beyond), 0, 'it does not scroll sideways')
        await page.route('**/api/health', (route) => route.fulfill({ json: { mode: 'live' } }))
        await page.reload()
        await lines.first().waitFor({ state: 'attached' })
        t.notOk(await page.getByText('Sandbox: play money').isVisible(), 'live swaps are not of play money')
        await page.unroute('**/api/health')
        await page.getByRole('link', { name: 'Console' }).click()
        if (width === 360) await page.getByRole('button', { name: 'More' }).click()
        await page.getByRole('link', { name: 'Reference' }).click()
        // That it is drawn then, too, is waited for where its colours are looked at.
        await page.waitForURL(`${url}/reference`, { waitUntil: 'commit' })
      },
    )
  }
}

/** Below the quickstart: the groups, conventions, and the errors that one meets; the others are folded. */
async function landing(t: Test, page: Page, operations: number): Promise<void> {
  const counts = await page.locator('#groups span').allTextContents()
  t.equal(
    counts.reduce((sum, count) => sum + Number(count), 0),
    operations,
  )
  for (const link of await page.locator('#groups a').all())
    t.match(await link.getAttribute('href'), /^#(get|post)-\/api\//)
  const usual = await page.locator('#usual-errors tr').allTextContents()
  t.equal(usual.length, 8)
  t.match(usual[0], /^invalid_parameter400an input is missing .*; field names it$/)
  const first = page.locator('#all-errors tr').first()
  t.notOk(await first.isVisible())
  await page.getByText(`All ${Object.keys(CODES).length} codes`).click()
  t.ok(await first.isVisible())
  t.equal(await page.locator('#all-errors tr').count(), Object.keys(CODES).length)
  t.equal(await page.getByText('| code |').count(), 0, 'the table of the document is in no other place')
}

async function linking(t: Test, browser: Browser, url: string) {
  for (const width of [1440, 360]) {
    await t.test(`an operation has a URL that opens it, ${width} px wide`, async (t) => {
      const visitor = await visit(t, browser, `${url}/reference#get-/api/quote`, { width })
      const { page } = visitor
      await page.getByText('chain-specific token address or identifier').first().waitFor()
      t.equal(new URL(page.url()).hash, '#get-/api/quote')
      await naming(t, visitor)
      if (width > 360) await folding(t, visitor)
      await legible(t, visitor, width)
      if (width === 360) await onPhones(t, visitor)
      await trying(t, visitor)
    })
  }
}

function legible(t: Test, { page }: Visit, width: number) {
  return t.test('what the renderer draws has contrast, and its buttons have room', async (t) => {
    const findings = await seriousFindings(page)
    t.same(
      findings.filter((line) => line.startsWith('color-contrast')),
      [],
    )
    const boxes = await Promise.all(
      ['FILL EXAMPLE', 'CLEAR', 'TRY'].map(async (name) => {
        const button = page.locator('api-request').getByRole('button', { name, exact: true })
        return { name, ...(await button.boundingBox())! }
      }),
    )
    for (const [i, { name, x, y, width: wide, height }] of boxes.entries()) {
      t.ok(x >= 0 && x + wide <= width, `${name} is on the page`)
      if (width < 768) t.ok(height >= 40, `${name} can be pressed by a finger`)
      const next = boxes[i + 1]
      if (next !== undefined) t.ok(x + wide <= next.x || y + height <= next.y, `${name} is beside the next`)
    }
    const server = (await page.locator('api-request').getByText('API Server').boundingBox())!
    t.ok(width > 768 || server.y + server.height <= boxes[0]!.y, 'and below what they ask')
  })
}

function onPhones(t: Test, { page }: Visit) {
  return t.test(
    'a field does not make a phone zoom in, and at 320 px nothing is beyond the edge',
    async (t) => {
      const fields = page.locator('#jump, api-request input.request-param')
      const sizes = await fields.evaluateAll((all) =>
        all.map((one) => one.ownerDocument.defaultView.getComputedStyle(one).fontSize),
      )
      t.ok(sizes.length > 5)
      t.same(new Set(sizes), new Set(['16px']))
      await page.setViewportSize({ width: 320, height: 900 })
      const end = 'document.querySelector("rapi-doc").getBoundingClientRect().right'
      t.ok(((await page.evaluate(end)) as number) <= 320)
      await page.setViewportSize({ width: 360, height: 900 })
    },
  )
}

function trying(t: Test, { page }: Visit) {
  return t.test('a request can be sent from it, and its answer is shown', async (t) => {
    await page.goto(`${new URL(page.url()).origin}/reference#get-/api/chains`)
    await page.getByRole('heading', { name: 'Network metadata' }).waitFor()
    const [reply] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/api/chains')),
      page.getByRole('button', { name: /^try$/i }).click(),
    ])
    t.equal(reply.status(), 200)
    await page
      .locator('api-request .response-panel, api-request code')
      .getByText('"unichain"')
      .first()
      .waitFor()

    // Tokens' names, for one, are chosen by their makers.
    const name = '<img class="made-of-an-answer" src="/x"><a class="made-of-an-answer" href="/y">z</a>'
    await page.route('**/api/chains', (route) => route.fulfill({ json: { name } }))
    await page.getByRole('button', { name: /^try$/i }).click()
    await page.locator('api-request').getByText('made-of-an-answer').first().waitFor()
    t.equal(await page.locator('.made-of-an-answer').count(), 0, 'what it says is text')
    await page.unroute('**/api/chains')
  })
}

function naming(t: Test, { page }: Visit) {
  return t.test('a value of examples is there once, with the names of those that have it', async (t) => {
    const links = page.locator('api-request [part~="anchor-param-example"]')
    await links.first().waitFor()
    const values = await links.evaluateAll((all) => all.map((one) => one.getAttribute('data-example')))
    t.ok(values.length > 5)
    t.same(values, [...new Set(values)])
    await page.locator('api-request').getByText('(solana', { exact: false }).first().waitFor()
  })
}

function folding(t: Test, { page, expect }: Visit) {
  return t.test('an example and a schema can be folded, under Trusted Types', async (t) => {
    const braces = page.locator('json-tree .open-bracket', { hasText: '{' })
    await braces.nth(1).click()
    t.equal(await braces.nth(1).textContent(), '{...}')
    await braces.nth(1).click()
    await page.locator('api-response .tab-btn[data-tab="schema"]').first().click()
    const object = page.locator('schema-table .obj-toggle').nth(1)
    await object.click()
    await object.click()
    expect(/TrustedHTML|require-trusted-types-for/)
    const refused = await page.evaluate(`(() => {
      try {
        document.createElement('p').innerHTML = '<img src=x onerror=alert(1)>'
        return false
      } catch (error) { return error instanceof TypeError }
    })()`)
    t.ok(refused, 'of other text no HTML is made')
  })
}

async function dressing(t: Test, browser: Browser, url: string) {
  await t.test('it has the colours of the console, of the machine or as chosen there', async (t) => {
    const { page } = await visit(t, browser, url, { theme: 'dark' })
    const paper = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const background = (): Promise<unknown> =>
      page.evaluate(`getComputedStyle(document.querySelector('rapi-doc')).backgroundColor`)
    await page.getByRole('radio', { name: 'Auto' }).waitFor({ state: 'attached' })
    const dark = await paper()
    await page.getByRole('link', { name: 'Reference' }).click()
    await page.locator('.nav-bar-path').first().waitFor()
    t.same([await paper(), await background()], [dark, dark])
    const ink = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).color')
    await page.evaluate(`location.hash = 'get-/api/quote'`)
    await page.locator('rapi-doc .m-markdown code').first().waitFor()
    const code = `document.querySelector('rapi-doc').shadowRoot.querySelector('.m-markdown code')`
    const colour = (): Promise<unknown> => page.evaluate(`getComputedStyle(${code}).color`)
    t.equal(await colour(), await ink(), 'code among words has their colour')
    await page.emulateMedia({ colorScheme: 'light' })
    const light = await paper()
    t.not(light, dark)
    await page.locator('.nav-bar-path').first().waitFor()
    // The page's program follows in its own time: where it never does, the test does not end.
    while ((await background()) !== light) await page.waitForTimeout(10)
    t.equal(await colour(), await ink(), 'in light, too')
    await page.evaluate(`localStorage.setItem('swapgate.theme', 'dark')`)
    await page.reload()
    await page.locator('.nav-bar-path').first().waitFor()
    t.same([await paper(), await background()], [dark, dark])
  })
}
