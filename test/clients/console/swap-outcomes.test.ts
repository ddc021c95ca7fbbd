import type { Browser, Locator, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { CLOCK } from '../../../src/runtime/clock.ts'
import {
  acceptMove,
  listenChecked,
  passUntil,
  SKIPPED,
  seriousFindings,
  sign,
  startBrowser,
  visit,
} from '../../fixtures/browser.ts'
import { movedClock } from '../../fixtures/clock.ts'
import { injectEvmWallet } from '../../fixtures/wallets.ts'

/** Of the gateway and its chains; a page whose clock is installed passes it on. */
const clock = movedClock(CLOCK)

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

interface Sandbox {
  readonly solanaRpc: string
  readonly evmRpc: string
  readonly control: string
}

t.test('failures of a swap, in Chromium', { skip: SKIPPED }, async (t) => {
  const browser = await startBrowser()
  const { url } = await listenChecked(t, clock, { LIMITS: 'swap=off,portfolio=off,rpcRead=off,rpcSend=off' })
  const { sandbox } = (await (await fetch(`${url}/api/health`)).json()) as { sandbox: Sandbox }
  await dangerous(t, browser, url, sandbox)
  // From here on time is made to pass, which pages of the one above would not know of.
  await doomed(t, browser, url, sandbox)
  await lost(t, browser, url, sandbox)
})

const opened = (t: Test, browser: Browser, url: string, sandbox: Sandbox, more: object = {}) =>
  visit(t, browser, url, { beside: Object.values(sandbox), ...more })

interface Before {
  readonly before?: (page: Page) => Promise<void>
}

/** Of a visitor whose page has the gateway's time. */
async function openedInTime(t: Test, browser: Browser, url: string, sandbox: Sandbox, more: Before = {}) {
  const before = async (page: Page): Promise<void> => {
    await page.clock.install({ time: clock.date() })
    await more.before?.(page)
  }
  return opened(t, browser, url, sandbox, { ...more, before })
}

const pass = (page: Page, shown: Locator): Promise<void> => passUntil(page, shown, clock)
const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('button', { name }).click()

/** What was sent is followed until it is in a block. */
async function landed(page: Page): Promise<void> {
  await page.locator('.steps :is(.sent, .done)').first().waitFor()
  await pass(page, page.locator('.receipt'))
}

/** What the wallet is said to hold, by symbol. */
const held = (page: Page, symbol: string) =>
  page.getByLabel('Wallet balances').locator('dt', { hasText: symbol }).locator('+ dd')

/** The dialog's tokens. */
const tokensOf = (page: Page): Locator => page.getByRole('listbox', { name: 'Tokens' }).getByRole('option')

/** The life of a blockhash, and the way to a final block. */
const LIFE_MS = 90_000

/** The answer to what is sent gets lost. @param path  of the node, or of the relay */
const losing = (page: Page, path: string, method: string, when: 'before' | 'after') =>
  page.route(path, async (route) => {
    if (!route.request().postData()?.includes(method)) return route.fallback()
    if (when === 'after') await route.fetch()
    await route.abort()
  })

async function lost(t: Test, browser: Browser, url: string, sandbox: Sandbox) {
  for (const when of ['after', 'before'] as const) {
    await t.test(`a lost answer is not a failure: ${when} the node has it`, async (t) => {
      const { page, expect } = await openedInTime(t, browser, `${url}/#/swap?amount=0.25`, sandbox)
      await press(page, 'Sandbox wallet')
      await pass(page, held(page, 'SOL').getByText('2', { exact: true }))
      await press(page, 'Review swap')
      await page.locator('.verified > summary').waitFor()
      expect(/ERR_FAILED/)
      await losing(page, '**/api/solrpc', 'sendTransaction', when)
      // Until it is looked at what the page says, the chain does not answer.
      let answer = (): void => {}
      const looked = new Promise<void>((resolve) => (answer = resolve))
      await page.route('**/api/transaction-status?*', async (route) => {
        await looked
        await route.fallback()
      })
      await sign(page)
      await page.getByRole('status').getByText('Sent, checking', { exact: true }).waitFor()
      t.match(await page.locator('.steps code').textContent(), /^[1-9A-Za-z]{86,88}$/, 'its signature')
      t.ok(await page.getByLabel('Amount of SOL').isDisabled(), 'nothing else is ordered meanwhile')
      t.equal(await page.getByRole('button', { name: 'Get a new offer' }).count(), 0)
      answer()
      if (when === 'after') {
        await landed(page)
        await page
          .getByRole('status')
          .filter({ hasText: /^(confirmed|finalized)$/ })
          .waitFor()
        return
      }
      clock.move(LIFE_MS)
      await pass(page, page.getByRole('status').getByText('Expired', { exact: true }))
      await page.getByRole('alert').getByText('It is in no block, and never will be.').waitFor()
      await press(page, 'Get a new offer')
    })
  }

  for (const [title, address, id] of [
    ['Solana', `${url}/#/swap?amount=0.25`, /^[1-9A-Za-z]{86,88}$/],
    ['an EVM chain', `${url}/#/swap?chain=base&token=${USDC}&amount=0.1`, /^0x[0-9a-f]{64}$/],
  ] as const) {
    await t.test(`a reload does not forget what was sent: ${title}`, async (t) => {
      const { page } = await openedInTime(t, browser, address, sandbox)
      await press(page, 'Sandbox wallet')
      if (title === 'Solana') await pass(page, held(page, 'SOL').getByText('2', { exact: true }))
      await press(page, 'Review swap')
      await page.locator('.verified > summary').waitFor()
      // The chain says nothing until the page was loaded again.
      let answer = (): void => {}
      const looked = new Promise<void>((resolve) => (answer = resolve))
      await page.route('**/api/transaction-status?*', async (route) => {
        await looked
        await route.fallback().catch(() => {})
      })
      await sign(page)
      await page.locator('.steps li.sent').waitFor()
      const sent = await page.locator('.steps code').textContent()
      t.match(sent, id)
      const kept = (): Promise<string> => page.evaluate('JSON.stringify(sessionStorage)')
      t.ok((await kept()).includes(sent!))
      t.notMatch(await kept(), /secret|"(?:transaction|data|raw|seal)":"[^"\\]/)
      await page.reload()
      await page.getByRole('status').getByText('Sent, checking', { exact: true }).waitFor()
      t.equal(await page.locator('.steps code').textContent(), sent)
      t.ok(await page.locator('#pay').isDisabled(), 'nothing else is ordered meanwhile')
      answer()
      await landed(page)
      t.equal(await kept(), '{}', 'what is over is forgotten')
      await page.reload()
      await page.getByRole('button', { name: 'Sandbox wallet' }).waitFor()
      t.equal(await page.locator('.steps').count(), 0)
    })
  }

  await t.test('a lost answer on an EVM chain: its hash is known, and asked for', async (t) => {
    const address = `${url}/#/swap?chain=base&token=${USDC}&amount=0.1`
    const { page, expect } = await openedInTime(t, browser, address, sandbox)
    await press(page, 'Sandbox wallet')
    await press(page, 'Review swap')
    await page.locator('.verified > summary').waitFor()
    expect(/ERR_FAILED/)
    await losing(page, `${sandbox.evmRpc}/base`, 'eth_sendRawTransaction', 'after')
    await sign(page)
    await page
      .locator('.steps code')
      .getByText(/^0x[0-9a-f]{64}$/)
      .waitFor()
    await landed(page)
  })

  await t.test('a wallet that fails and does not say whether it sent: unknown, not failed', async (t) => {
    const before = (page: Page) =>
      injectEvmWallet(page, () => {}, `${sandbox.evmRpc}/base`, { fails: { code: -32603, message: 'Odd.' } })
    const address = `${url}/#/swap?chain=base&token=${USDC}&amount=0.1`
    const { page } = await openedInTime(t, browser, address, sandbox, { before })
    await press(page, 'Test Fox')
    await press(page, 'Review swap')
    await sign(page, 'Sign in Test Fox')
    await page.locator('.steps .unknown').getByText('Unknown', { exact: true }).waitFor()
    await page.getByRole('alert').getByText("look at the wallet's activity before you swap again").waitFor()
  })
}

/** A token that the list hides. */
async function honeypotOf(url: string) {
  const reply = await fetch(`${url}/api/tokens?all=true`)
  const { tokens } = (await reply.json()) as {
    tokens: { chain: string; address: string; symbol: string; gate?: { rule: string }[] }[]
  }
  return tokens.find(
    ({ chain, gate = [] }) => chain === 'base' && gate.some(({ rule }) => rule === 'honeypot'),
  )!
}

async function dangerous(t: Test, browser: Browser, url: string, sandbox: Sandbox) {
  await t.test('a known honeypot says so where it is picked, ordered and reviewed', async (t) => {
    const { address, symbol } = await honeypotOf(url)
    const { page } = await opened(t, browser, `${url}/#/swap?chain=base&amount=0.1`, sandbox)
    await press(page, 'Sandbox wallet')
    await press(page, /choose the token to receive/)
    await page.getByRole('combobox', { name: 'Search tokens' }).fill(address)
    const row = tokensOf(page).filter({
      hasText: 'Danger: It is a honeypot: it can be bought, but not sold.',
    })
    await row.waitFor()
    t.match(await row.textContent(), symbol, 'with its name')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: new RegExp(`${symbol}.*choose the token to receive`) }).waitFor()
    await page.getByText('Offers for 0.1 ETH').waitFor()
    await page
      .locator('.risks')
      .getByText('It is a honeypot: it can be bought, but not sold.')
      .first()
      .waitFor()
    t.match(await page.locator('.risks').textContent(), /GoPlus, \d+ \w+ ago/, 'who says so, and when')
    await page.getByRole('button', { name: 'Accept the risk first', disabled: true }).waitFor()
    await page.getByLabel(/^I swap .* although: It is a honeypot/).check()
    await press(page, 'Review swap')
    await page.locator('.verified > summary').waitFor()
    t.match(await page.locator('.verified > summary').textContent(), /Dangerous token/)
    t.equal(await page.locator('.verified .level-proved').count(), 0, 'no green')
    await page.locator('.review .risks').getByText('It is a honeypot').first().waitFor()
    await acceptMove(page)
    const signing = page.getByRole('button', { name: 'Sign and send' })
    t.notOk(await signing.isDisabled())
    await page
      .locator('.review')
      .getByLabel(/^I swap .* although/)
      .uncheck()
    await page.getByRole('button', { name: 'Accept the risk first', disabled: true }).first().waitFor()
    t.same(await seriousFindings(page), [])
  })
}

async function doomed(t: Test, browser: Browser, url: string, sandbox: Sandbox) {
  await t.test('what is known to fail is not signed, and the button says why', async (t) => {
    const { page, expect } = await openedInTime(t, browser, `${url}/#/swap?amount=0.25`, sandbox)
    await press(page, 'Sandbox wallet')
    await pass(page, held(page, 'SOL').getByText('2', { exact: true }))
    const shown = async (): Promise<bigint> => {
      const quoted = await page.waitForResponse('**/api/build')
      const { quote } = quoted.request().postDataJSON() as { quote: { expectedOut: string } }
      return BigInt(quote.expectedOut)
    }
    const button = (name: string) => page.getByRole('button', { name, disabled: true })

    const err = { InstructionError: [4, { Custom: 1 }] }
    await page.route('**/api/solrpc', async (route) => {
      if (!route.request().postData()?.includes('simulateTransaction')) return route.fallback()
      await route.fulfill({
        json: { jsonrpc: '2.0', id: 1, result: { context: { slot: 1 }, value: { err } } },
      })
    })
    await page.getByText('Offers for 0.25 SOL').waitFor()
    await press(page, 'Review swap')
    await button('This swap would fail').waitFor()
    await page.unroute('**/api/solrpc')
    t.equal(await page.locator('.verified .level-proved').count(), 0)
    await press(page, 'Edit')

    let asked = shown()
    await page.route('**/api/build', async (route) => {
      const { quote } = route.request().postDataJSON() as { quote: { expectedOut: string } }
      const response = await route.fetch()
      const built = (await response.json()) as Built
      const expectedOut = String((BigInt(quote.expectedOut) * 998n) / 1_000n)
      await route.fulfill({ response, json: { ...built, expectedOut } })
    })
    await press(page, 'Review swap')
    await asked
    const moved = /^The price moved: [\d.]+ USDC instead of [\d.]+ USDC, 0\.2% less\.$/
    await page.getByRole('alert').filter({ hasText: moved }).waitFor()
    await button('Accept the new price first').waitFor()
    await page.getByLabel('I accept the new price.').check()
    await page.getByRole('button', { name: 'Sign and send', disabled: false }).waitFor()
    await page.clock.runFor(62_000)
    await button('Expired').waitFor()
    await page.unroute('**/api/build')
    asked = shown()
    await press(page, 'Build it again')
    await asked
    await page.locator('.review').waitFor()
    await acceptMove(page)
    await page.getByRole('button', { name: 'Sign and send', disabled: false }).waitFor()

    expect(/ERR_FAILED|status of 503/)
    await page.route('**/api/health', (route) => route.abort())
    await pass(page, button("The gateway doesn't answer"))
    await page.unroute('**/api/health')
  })
}

interface Built {
  readonly expectedOut: string
}
