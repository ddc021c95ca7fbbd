import { readFileSync } from 'node:fs'
import type { Browser, Locator, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { judgeTrade } from '../../../../src/clients/verify/index.ts'
import { CLOCK } from '../../../../src/runtime/clock.ts'
import {
  acceptMove,
  listenChecked,
  passUntil,
  SKIPPED,
  seriousFindings,
  sign,
  startBrowser,
  visit,
} from '../../../fixtures/browser.ts'
import { movedClock } from '../../../fixtures/clock.ts'
import { payment, SOLANA_FORMS, type SolanaForm } from '../../../fixtures/solana-forms.ts'
import { SOLANA_RECEIVER } from '../../../fixtures/swaps.ts'
import { injectEvmWallet, injectSolanaWallet } from '../../../fixtures/wallets.ts'

/** Of the gateway and its chains; a page whose clock is installed passes it on. */
const clock = movedClock(CLOCK)

const STRANGER = '6Ckm2BrnXxsSjyG5b17kQQRjoECVrts92RKXVGT8XeqS'
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

interface Sandbox {
  readonly solanaRpc: string
  readonly evmRpc: string
  readonly control: string
}

t.test('a swap in Chromium', { skip: SKIPPED }, async (t) => {
  const browser = await startBrowser()
  // Its visitors come from one address, whose budgets are not what is looked at.
  const { url } = await listenChecked(t, clock, { LIMITS: 'swap=off,portfolio=off,rpcRead=off,rpcSend=off' })
  const { sandbox } = (await (await fetch(`${url}/api/health`)).json()) as { sandbox: Sandbox }
  await refused(t, browser, url, sandbox)
  await otherRefusals(t, browser, url, sandbox)
  await takenOver(t, browser, url, sandbox)
  await toldOtherwise(t, browser, url, sandbox)
  await unknownDecimals(t, browser, url, sandbox)
  await ordering(t, browser, url, sandbox)
  // From here on time is made to pass, which pages of these above would not know of.
  await throwAway(t, browser, url, sandbox)
  await lasting(t, browser, url, sandbox)
  await connected(t, browser, url, sandbox)
  await rewrites(t, browser, url, sandbox)
  await crossing(t, browser, url, sandbox)
  await accessible(t, browser, url, sandbox)
})

const opened = (t: Test, browser: Browser, url: string, sandbox: Sandbox, more: object = {}) =>
  visit(t, browser, url, { beside: Object.values(sandbox), ...more })

/** Of a visitor whose page has the gateway's time. */
async function openedInTime(t: Test, browser: Browser, url: string, sandbox: Sandbox, more: Before = {}) {
  const before = async (page: Page): Promise<void> => {
    await page.clock.install({ time: clock.date() })
    await more.before?.(page)
  }
  return opened(t, browser, url, sandbox, { ...more, before })
}

interface Before {
  readonly before?: (page: Page) => Promise<void>
  readonly theme?: 'dark' | 'light'
  readonly width?: number
}

/** Time passes for the page and for the chains alike. */
const pass = (page: Page, shown: Locator): Promise<void> => passUntil(page, shown, clock)

/** What was sent is followed until it is in a block. */
async function landed(page: Page): Promise<void> {
  await page.locator('.steps :is(.sent, .done)').first().waitFor()
  await pass(page, page.locator('.receipt'))
}

const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('button', { name }).click()

/** What the wallet is said to hold, by symbol. */
const held = (page: Page, symbol: string) =>
  page.getByLabel('Wallet balances').locator('dt', { hasText: symbol }).locator('+ dd')

/** A false gateway changes what was built, and still says that it was verified. */
async function takenOver(t: Test, browser: Browser, url: string, sandbox: Sandbox) {
  await t.test(
    "of a gateway that was taken over: the page's own check refuses, and there is nothing to sign",
    async (t) => {
      const { page } = await opened(t, browser, `${url}/#/swap?chain=base&side=sell&amount=250`, sandbox)
      await press(page, 'Sandbox wallet')
      await page.getByText('Offers for 250 USDC').waitFor()
      await page.route('**/api/build', async (route) => {
        const response = await route.fetch()
        const built = (await response.json()) as { data: string; from: string }
        const data = built.data.replaceAll(built.from.slice(2).toLowerCase(), 'bad0'.repeat(10))
        await route.fulfill({ response, json: { ...built, data } })
      })
      await press(page, 'Review swap')
      await page.getByText("Blocked: the transaction doesn't match your order").waitFor()
      t.match(
        await page.locator('.refusal').textContent(),
        /You signed nothing\. Nothing was sent\..*Failed checkwho receivesExpected.*Found/,
      )
      t.equal(await page.getByRole('button', { name: 'Sign' }).count(), 0)
      await press(page, 'Get a new offer')
      await page.getByText('Offers for 250 USDC').waitFor()
    },
  )
}

/** What is shown is the transaction's, and a gateway that tells it otherwise is not signed for. */
async function toldOtherwise(t: Test, browser: Browser, url: string, sandbox: Sandbox) {
  await t.test('figures of the gateway that are not those of the transaction block', async (t) => {
    const { page } = await opened(t, browser, `${url}/#/swap?chain=base&side=sell&amount=250`, sandbox)
    await press(page, 'Sandbox wallet')
    await page.getByText('Offers for 250 USDC').waitFor()
    await page.route('**/api/build', async (route) => {
      const response = await route.fetch()
      const built = (await response.json()) as { verification: object }
      const costs = [
        { kind: 'network_fee', amount: '1', currency: 'ETH', refundable: false, source: 'material' },
      ]
      const verification = { ...built.verification, checks: ['all'], recipient: `0x${'bad0'.repeat(10)}` }
      await route.fulfill({ response, json: { ...built, costs, verification } })
    })
    await press(page, 'Review swap')
    await page.getByText('Blocked: the gateway says another recipient').waitFor()
    t.ok(await page.getByRole('button', { name: "The gateway's figures differ" }).isDisabled())
    const facts = await page.locator('.review > .facts').textContent()
    t.notMatch(facts, /bad0|Network fee/)
    t.match(facts, /\(your wallet\)/)
    t.notMatch(await page.locator('.verified > summary').textContent(), /· 1 of 1/)
  })
}

/** The list and the nodes of Solana that this page can ask are the gateway's. */
async function unknownDecimals(t: Test, browser: Browser, url: string, sandbox: Sandbox) {
  await t.test('decimals that only the gateway says have to be accepted', async (t) => {
    const order = 'chain=solana&token=DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263&amount=0.25'
    const { page } = await opened(t, browser, `${url}/#/swap?${order}`, sandbox)
    await press(page, 'Sandbox wallet')
    await page.getByText('Offers for 0.25 SOL').waitFor()
    await press(page, 'Review swap')
    const changes = page.getByLabel('Balance changes')
    t.match(await changes.textContent(), /[\d,.]+ BONK expected, as [\w. ]+ states/)
    await acceptMove(page)
    t.match(await page.locator('.verified > summary').textContent(), /^Provider's claim/)
    await page.getByRole('button', { name: 'Accept the claims first', disabled: true }).waitFor()
    await page.getByLabel(/^I take the gateway's word for its decimals\./).check()
    await page.getByRole('button', { name: 'Sign and send', disabled: false }).waitFor()
  })
}

async function throwAway(t: Test, browser: Browser, url: string, sandbox: Sandbox) {
  await t.test('of SOL for USDC, with a wallet that the page makes', async (t) => {
    const { page } = await openedInTime(t, browser, `${url}/#/tokens?chain=solana`, sandbox)
    await page.getByRole('link', { name: 'Swap USDC' }).click()
    await press(page, 'Sandbox wallet')
    await pass(page, held(page, 'SOL').getByText('2', { exact: true }))
    await page.getByText('Play money. The key lives in this tab').waitFor()
    await page.getByLabel('Amount of SOL').fill('0.25')
    await page.getByText('Offers for 0.25 SOL').waitFor()
    t.match(new URL(page.url()).hash, /^#\/swap\?chain=solana&token=EPj\w+&amount=0\.25$/)
    await press(page, 'Review swap')
    await page.locator('.verified > summary').waitFor()
    const line = page.locator('.verified > summary')
    t.match(await line.textContent(), /^Proved · (\d\d) of \1 checks passed$/)
    t.equal(await page.locator('.verified').getAttribute('open'), null, 'all hold, and are folded')
    const changes = (await page.getByLabel('Balance changes').textContent())!
    const [, expected, least] =
      /^− 0\.25 SOL\+ ([\d.]+) USDC expected, as [\w. ]+ states([\d.]+) USDC at least/.exec(changes)!
    const reviewed = `Expected${expected} USDCMinimum${least} USDC`
    t.match(
      await page.locator('.review > .facts').textContent(),
      /Account deposit0\.00\d+ SOL \(refundable\)/,
    )
    await line.click()
    t.match(
      await page.locator('.own-verdict').textContent(),
      /^Checked again in your browser: \d\d checks passed\. Proved from the transaction itself\./,
    )
    t.same(await page.locator('.verified h3').allTextContents(), [
      'Who receives',
      'How much',
      'Who can take more',
      'Form',
    ])
    const checks = await page.locator('.rules.checks li').allTextContents()
    t.ok(checks.length > 20)
    for (const check of checks) t.match(check, /^[A-Z].*\.[a-z_]+$/, 'what a rule means, and its name')
    await sign(page)
    await landed(page)
    await page
      .getByRole('status')
      .filter({ hasText: /^(confirmed|finalized)$/ })
      .waitFor()
    t.match(
      await page.locator('.receipt').textContent(),
      /^Expected[\d.]+ USDCMinimum[\d.]+ USDCYou received[\d.]+ USDC \(.*expected\)You paid0\.25\d* SOLAccount deposit in it0\.00\d+ SOL \(refundable\)Network fee<?\$[\d.]+$/,
    )
    t.match(await page.locator('.receipt').textContent(), reviewed, 'what the review showed')
    await pass(page, held(page, 'USDC').getByText(/^[1-9][\d.]*$/))
    const saving = page.waitForEvent('download')
    await press(page, 'Save this trade')
    const file = readFileSync(await (await saving).path(), 'utf8')
    t.match(await judgeTrade(file), {
      isIntact: true,
      isRepeated: true,
      verdict: { level: 'proved' },
      broken: { length: 0 },
      notBound: [{ part: 'quote' }, { part: 'receipt' }],
    })
    await press(page, 'New swap')
    await page.getByText('Offers for 0.25 SOL').waitFor()
    t.match(await held(page, 'SOL').textContent(), /^1\.7\d+$/)
  })

  await t.test('for another wallet, which the review names first', async (t) => {
    const { page } = await openedInTime(t, browser, `${url}/#/swap?chain=base&side=sell&amount=25`, sandbox)
    await press(page, 'Sandbox wallet')
    await pass(page, held(page, 'USDC').getByText('1,000', { exact: true }))
    await page.getByText('Send to another wallet').click()
    const recipient = page.getByLabel('Recipient on Base')
    await recipient.fill('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913')
    await recipient.press('Enter')
    await page.getByText(/This is the token USDC on Base, not a wallet/).waitFor()
    await page.getByRole('button', { name: 'Check the recipient', disabled: true }).waitFor()
    const other = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
    await recipient.fill(other)
    await recipient.press('Enter')
    await press(page, 'Review swap')
    await page.locator('.review > .receiver').waitFor()
    t.equal(
      await page.locator('.review > :first-child').textContent(),
      `All that is bought goes to another wallet: ${other}`,
    )
    t.match(await page.locator('.review > .facts').textContent(), `${other} (not the signing wallet)`)
    await sign(page)
    await landed(page)
    t.match(await page.locator('.receipt').textContent(), `You received— it went to ${other}`)
  })

  await t.test('for another wallet on Solana, which gets tokens and no SOL', async (t) => {
    const { page } = await openedInTime(t, browser, `${url}/#/swap?chain=solana&amount=0.25`, sandbox)
    await press(page, 'Sandbox wallet')
    await page.getByText('Send to another wallet').click()
    const recipient = page.getByLabel('Recipient on Solana')
    await recipient.fill(SOLANA_RECEIVER)
    await recipient.press('Enter')
    await press(page, 'Review swap')
    t.equal(
      await page.locator('.review > :first-child').textContent(),
      `All that is bought goes to another wallet: ${SOLANA_RECEIVER}`,
    )
    await sign(page)
    await landed(page)
    t.match(await page.locator('.receipt').textContent(), `You received— it went to ${SOLANA_RECEIVER}`)
    await page.goto(`${url}/#/swap?chain=solana&side=sell&amount=5`)
    await page.getByText('Offers for 5 USDC').waitFor()
    t.equal(await page.getByText('Send to another wallet').count(), 0)
  })

  await t.test('of USDC for ETH on Base: an approval of exactly the amount, then the swap', async (t) => {
    const { page } = await openedInTime(t, browser, `${url}/#/swap?chain=base&side=sell&amount=250`, sandbox)
    await press(page, 'Sandbox wallet')
    await pass(page, held(page, 'USDC').getByText('1,000', { exact: true }))
    await page.getByText('Offers for 250 USDC').waitFor()
    const named = await page.locator('.alternatives label > span').allTextContents()
    t.same(named.sort(), ['KyberSwap', 'Uniswap v2', 'Uniswap v3', 'Velora'])
    await page.locator('.alternatives').getByText('Best', { exact: true }).waitFor()
    await press(page, 'Review swap')
    await page.getByText('Step 1: approve').waitFor()
    const deed = await page.locator('.review > .facts').textContent()
    t.match(deed, /Step 1: approveexactly 250 USDC for \w/)
    t.match(deed, /\(your wallet\)/)
    await sign(page)
    await landed(page)
    await page
      .getByRole('status')
      .filter({ hasText: /^(confirmed|finalized)$/ })
      .waitFor()
    t.same(await page.locator('.steps strong').allTextContents(), ['Approval', 'Swap'])
    t.match(await page.locator('.receipt').textContent(), /You received0\.\d+ ETH .*You paid250 USDC/)
    await pass(page, held(page, 'USDC').getByText('750', { exact: true }))
  })
}

async function lasting(t: Test, browser: Browser, url: string, sandbox: Sandbox) {
  await t.test(
    'the offer and the review say how long they hold, who built, and what fees are in dollars',
    async (t) => {
      const { page } = await openedInTime(
        t,
        browser,
        `${url}/#/swap?chain=base&side=sell&amount=2.5`,
        sandbox,
      )
      await press(page, 'Sandbox wallet')
      await pass(page, held(page, 'USDC').getByText('1,000', { exact: true }))
      const reply = await fetch(
        `${url}/api/quote?chain=base&side=sell&token=${USDC}&amount=25&slippageBps=50`,
      )
      const quote = (await reply.json()) as { route: { asOf: number } }
      const holds = { untilMs: quote.route.asOf + 40_000, probability: 0.94 }
      const best = JSON.stringify({ quote: { ...quote, holds }, end: null })
      await page.route('**/api/quote/stream?*', (route) =>
        route.fulfill({ contentType: 'text/event-stream', body: `event: best\nid: 1\ndata: ${best}\n\n` }),
      )
      await page.route('**/api/build', async (route) => {
        const response = await route.fetch()
        const insteadOf = { provider: 'velora', code: 'quote_moved' }
        await route.fulfill({ response, json: { ...((await response.json()) as object), insteadOf } })
      })
      await page.getByLabel('Amount of USDC').fill('25')
      const holding = page.getByRole('button', { name: 'Holds about 40 s (94%)' })
      await holding.hover()
      t.match(
        await page.getByRole('tooltip').textContent(),
        /This gateway.*94% of such offers still gave their minimum after that time\./,
      )
      await page.clock.runFor(10_000)
      await page.getByRole('button', { name: 'Holds about 30 s (94%)' }).waitFor()

      await press(page, 'Review swap')
      await page.locator('.review').waitFor()
      const expiry = page.locator('.review .expiry')
      t.match(
        await expiry.textContent(),
        /^Good for 1\d\d s\. After that, build it again at the current price\.Holds about [23]\d s \(94%\)$/,
      )
      t.equal(await expiry.getAttribute('role'), null, 'it is not read aloud each second')
      const facts = page.locator('.review > .facts')
      const deed = (await facts.textContent())!
      t.match(deed, /Built by\w+, instead of Velora: the price had moved/)
      t.match(deed, /Network fee(?:about )?<?\$[\d.]+/)
      t.match(deed, /L1 data fee<?\$[\d.]+/)
      await facts.getByRole('button', { name: /^\$/ }).first().hover()
      t.match(
        await page.getByRole('tooltip').textContent(),
        /Exactly 0\.\d+ ETH, at \$[\d,.]+ by the token list\./,
      )
      t.match(await facts.locator('dt', { hasText: 'Recipient' }).locator('+ dd').innerHTML(), LINKED)
      t.match(await facts.locator('dt', { hasText: 'Step 1: approve' }).locator('+ dd').innerHTML(), LINKED)
      await page.locator('.review .details > summary').click()
      t.match(await page.locator('.details dt', { hasText: 'Contract' }).locator('+ dd').innerHTML(), LINKED)

      await page.clock.runFor(30_000)
      t.match(
        await expiry.textContent(),
        /^Good for \d\d s\. After that, build it again at the current price\.$/,
      )
      await page.clock.runFor(90_000)
      t.equal(await expiry.textContent(), 'Expired: build it again at the current price.')
      t.equal(await page.getByRole('button', { name: 'Expired' }).isDisabled(), true)
      await press(page, 'Build it again')
      await expiry.getByText('Good for').waitFor()
      t.same(await seriousFindings(page), [])
    },
  )
}

/** Shortened, with the whole in its title, and a link to the explorer of the chain. */
const LINKED =
  /<a [^>]*href="https:\/\/basescan\.org\/address\/(0x\w{40})" title="\1"[^>]*>0x\w{4}…\w{4}<\/a>/

/** The steps of a wallet that is asked for each transaction. */
const EACH = ['Approval', 'Swap']

async function connected(t: Test, browser: Browser, url: string, sandbox: Sandbox) {
  await t.test('with a wallet that is found by EIP-6963, which signs and sends', async (t) => {
    const asked: string[] = []
    const before = (page: Page) =>
      injectEvmWallet(page, (method) => asked.push(method), `${sandbox.evmRpc}/base`)
    const { page } = await openedInTime(
      t,
      browser,
      `${url}/#/swap?chain=base&token=${USDC}&amount=0.1`,
      sandbox,
      {
        before,
      },
    )
    await press(page, 'Test Fox')
    await page.getByText('It never sees its key.').waitFor()
    await press(page, 'Review swap')
    await sign(page, 'Sign in Test Fox')
    await landed(page)
    t.match(
      await page.locator('.receipt').textContent(),
      /You received\d+(\.\d+)? USDC .*You paid0\.1\d* ETH/,
    )
    t.equal(asked[0], 'eth_requestAccounts')
    t.equal(asked.filter((method) => method === 'eth_sendTransaction').length, 1)
  })

  await t.test('what the user declines in the wallet is not sent, and the order stands', async (t) => {
    const before = (page: Page) =>
      injectEvmWallet(page, () => {}, `${sandbox.evmRpc}/base`, {
        fails: { code: 4001, message: 'User rejected' },
      })
    const { page } = await openedInTime(
      t,
      browser,
      `${url}/#/swap?chain=base&token=${USDC}&amount=0.1`,
      sandbox,
      {
        before,
      },
    )
    await press(page, 'Test Fox')
    await press(page, 'Review swap')
    await sign(page, 'Sign in Test Fox')
    await page
      .getByRole('alert')
      .filter({ hasText: 'declined it in the wallet. Nothing was signed.' })
      .waitFor()
    t.equal(await page.locator('.steps .failed').count(), 1)
    await press(page, 'Get a new offer')
    await page.getByText('Offers for 0.1 ETH').waitFor()
  })

  await t.test('a wallet of the real chain is not asked to send what the sandbox built', async (t) => {
    const asked: string[] = []
    // Another chain's node in the sandbox has other blocks, as the real one has.
    const before = (page: Page) =>
      injectEvmWallet(page, (method) => asked.push(method), `${sandbox.evmRpc}/bsc`)
    const { page } = await openedInTime(
      t,
      browser,
      `${url}/#/swap?chain=base&token=${USDC}&amount=0.1`,
      sandbox,
      {
        before,
      },
    )
    await press(page, 'Test Fox')
    await press(page, 'Review swap')
    await sign(page, 'Sign in Test Fox')
    await page.getByRole('alert').filter({ hasText: 'on the real Base' }).waitFor()
    t.notOk(asked.includes('eth_sendTransaction'))
  })

  await t.test(
    "a wallet is switched to the chain that was verified, whatever the gateway's number",
    async (t) => {
      for (const switches of [true, false]) {
        const asked: string[] = []
        const wallet = { startsOn: '0x1', switches }
        const before = (page: Page) =>
          injectEvmWallet(page, (method) => asked.push(method), `${sandbox.evmRpc}/base`, wallet)
        const link = `${url}/#/swap?chain=base&token=${USDC}&amount=0.1`
        const { page } = await openedInTime(t, browser, link, sandbox, { before })
        await page.route('**/api/chains', async (route) => {
          const response = await route.fetch()
          const { chains } = (await response.json()) as { chains: object[] }
          await route.fulfill({
            response,
            json: { chains: chains.map((chain) => ({ ...chain, chainId: 1 })) },
          })
        })
        await press(page, 'Test Fox')
        await press(page, 'Review swap')
        await sign(page, 'Sign in Test Fox')
        if (switches) await landed(page)
        else await page.getByRole('alert').filter({ hasText: 'on another chain' }).waitFor()
        t.ok(asked.includes('wallet_switchEthereumChain'))
        t.equal(asked.includes('eth_sendTransaction'), switches)
      }
    },
  )

  await t.test("what the wallet's own node says fails is not signed", async (t) => {
    for (const estimate of [
      { code: 3, message: 'execution reverted: Return amount is not enough' },
      { code: -32_000, message: 'insufficient funds for gas * price + value' },
      { code: -32_603, message: 'Internal JSON-RPC error: header not found' },
    ]) {
      const fails = estimate.code !== -32_603
      const asked: string[] = []
      const before = (page: Page) =>
        injectEvmWallet(page, (method) => asked.push(method), `${sandbox.evmRpc}/base`, { estimate })
      const link = `${url}/#/swap?chain=base&token=${USDC}`
      const { page } = await openedInTime(t, browser, `${link}&amount=0.1`, sandbox, { before })
      await press(page, 'Test Fox')
      await press(page, 'Review swap')
      if (fails) {
        await page.getByRole('alert').filter({ hasText: estimate.message }).waitFor()
        await page.getByRole('button', { name: 'This swap would fail', disabled: true }).waitFor()
      } else {
        await sign(page, 'Sign in Test Fox')
        await landed(page)
      }
      t.equal(asked.includes('eth_sendTransaction'), !fails, estimate.message)
    }
  })

  await t.test('an approval that would fail is not signed either', async (t) => {
    const asked: string[] = []
    const estimate = { code: 3, message: 'execution reverted' }
    const before = (page: Page) =>
      injectEvmWallet(page, (method) => asked.push(method), `${sandbox.evmRpc}/base`, { estimate })
    const link = `${url}/#/swap?chain=base&token=${USDC}&side=sell&amount=5`
    const { page } = await openedInTime(t, browser, link, sandbox, { before })
    await press(page, 'Test Fox')
    await press(page, 'Review swap')
    await sign(page, 'Sign in Test Fox')
    await page.getByRole('alert').filter({ hasText: 'It would fail now: execution reverted.' }).waitFor()
    t.notOk(asked.includes('eth_sendTransaction'))
  })

  await t.test('a wallet that takes calls as one asks once, and otherwise for each', async (t) => {
    const link = `${url}/#/swap?chain=base&token=${USDC}&side=sell&amount=5`
    const declined = { code: 4001, message: 'User rejected.' }
    for (const [wallet, steps, calls, sends] of [
      [{ atomic: 'supported' }, ['Swap'], 1, 0],
      [{ atomic: 'ready', batchFails: { code: 5750, message: 'Rejected the upgrade.' } }, EACH, 1, 2],
      [{ atomic: 'ready', batchFails: { code: 5760, message: 'Not atomically.' } }, EACH, 1, 2],
      [{ atomic: 'unsupported' }, EACH, 0, 2],
      [{ atomic: 'supported', batchFails: declined }, ['Swap'], 1, 0],
      [{ atomic: 'supported', batchStatus: 500 }, ['Swap'], 1, 0],
    ] as const) {
      const asked: string[] = []
      const before = (page: Page) =>
        injectEvmWallet(page, (method) => asked.push(method), `${sandbox.evmRpc}/base`, wallet)
      const { page } = await openedInTime(t, browser, link, sandbox, { before })
      await press(page, 'Test Fox')
      await press(page, 'Review swap')
      await sign(page, 'Sign in Test Fox')
      const ended =
        wallet.atomic !== 'supported'
          ? null
          : 'batchFails' in wallet
            ? 'You declined it in the wallet.'
            : 'batchStatus' in wallet
              ? 'It is in a block and failed there.'
              : null
      if (ended === null) await landed(page)
      else await page.getByRole('alert').getByText(ended).waitFor()
      t.same(await page.locator('.steps strong').allTextContents(), steps)
      if (ended === null) t.match(await page.locator('.receipt').textContent(), /You paid5 USDC/)
      const count = (method: string): number => asked.filter((one) => one === method).length
      t.same([count('wallet_sendCalls'), count('eth_sendTransaction')], [calls, sends])
    }
  })

  await t.test('what an EVM wallet changed is shown once it has sent', async (t) => {
    const shown = (transaction: object) => ({ ...transaction, value: '0x1' })
    const before = (page: Page) => injectEvmWallet(page, () => {}, `${sandbox.evmRpc}/base`, { shown })
    const link = `${url}/#/swap?chain=base&token=${USDC}&amount=0.1`
    const { page } = await openedInTime(t, browser, link, sandbox, { before })
    await press(page, 'Test Fox')
    await press(page, 'Review swap')
    await sign(page, 'Sign in Test Fox')
    await page
      .getByRole('alert')
      .getByText('What your wallet signed sends 1 wei in place of 100000000000000000.')
      .waitFor()
    await landed(page)
    t.pass()
  })

  await t.test('a wallet that signs legacy transactions alone is told, and not asked', async (t) => {
    const before = (page: Page) =>
      injectSolanaWallet(page, sandbox.solanaRpc, () => t.fail('it is asked') as never, ['legacy'])
    const { page } = await openedInTime(t, browser, `${url}/#/swap?amount=0.5`, sandbox, { before })
    await press(page, 'Test Ghost')
    await press(page, 'Review swap')
    await sign(page, 'Sign in Test Ghost')
    await page.getByRole('alert').getByText('does not sign Solana transactions of version 0').waitFor()
  })

  await t.test('with a wallet of the Wallet Standard, through the relay', async (t) => {
    const before = (page: Page) => injectSolanaWallet(page, sandbox.solanaRpc)
    const { page } = await openedInTime(t, browser, `${url}/#/swap?amount=0.5`, sandbox, { before })
    await press(page, 'Test Ghost')
    await held(page, 'SOL').getByText('3', { exact: true }).waitFor()
    await press(page, 'Review swap')
    await sign(page, 'Sign in Test Ghost')
    await landed(page)
    t.match(
      await page.locator('.receipt').textContent(),
      /You received\d+(\.\d+)? USDC .*You paid0\.5\d* SOL/,
    )
  })
}

/** A wallet that rewrites what it is handed. */
async function rewrites(t: Test, browser: Browser, url: string, sandbox: Sandbox) {
  const opens = (form: SolanaForm) =>
    openedInTime(t, browser, `${url}/#/swap?amount=0.5`, sandbox, {
      before: (page: Page) => injectSolanaWallet(page, sandbox.solanaRpc, form),
    })
  const signs = async (page: Page): Promise<void> => {
    await press(page, 'Test Ghost')
    await press(page, 'Review swap')
    await sign(page, 'Sign in Test Ghost')
  }
  await t.test('another price of its own is shown, and sent', async (t) => {
    const { page } = await opens(SOLANA_FORMS['Backpack, with a price of its own']!)
    await signs(page)
    await page
      .getByText(/^What your wallet signed pays \d+ lamports for priority in place of \d+\.$/)
      .waitFor()
    await landed(page)
    t.pass()
  })
  await t.test('a payment to a stranger is named, and not sent', async (t) => {
    const { page } = await opens((_, owner) => ({ after: [payment(owner, STRANGER, 1_000_000n)] }))
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.postData() ?? ''))
    await signs(page)
    const alert = page
      .getByRole('alert')
      .filter({ hasText: 'It was not sent, because your wallet changed it.' })
    await alert.waitFor()
    t.match(await alert.textContent(), new RegExp(`also .*0\\.001 SOL.*${STRANGER}`))
    t.notOk(sent.some((body) => body.includes('sendTransaction')))
  })
}

/** Whether all of it is in the window, and nothing lies over its middle. */
const isSeen = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate(`(() => {
    const element = document.querySelector('${selector}')
    const { left, top, width, height } = element.getBoundingClientRect()
    const seen = document.elementFromPoint(left + width / 2, top + height / 2)
    return top >= 0 && top + height <= innerHeight && element.contains(seen)
  })()`)

/** What has the focus, and the style of the line around it. */
const focused = (page: Page): Promise<readonly [text: string, outline: string]> =>
  page.evaluate('[document.activeElement.textContent, getComputedStyle(document.activeElement).outlineStyle]')

/** The provider's status of a transfer depends on when its quote was given. */
async function crossing(t: Test, browser: Browser, url: string, sandbox: Sandbox) {
  await t.test('to another chain: the recipient, what is proved, and a track of three steps', async (t) => {
    const { page, expect } = await openedInTime(
      t,
      browser,
      `${url}/#/swap?chain=base&toChain=solana&side=sell&token=${USDC}&amount=50`,
      sandbox,
    )
    await page.getByText('Connect a Base wallet to see the route.').waitFor()
    await press(page, 'Sandbox wallet')
    await page.getByText('Enter a Solana address to see the route.').waitFor()
    t.equal(await page.locator('.freshness').count(), 0, 'nothing is asked yet')
    const recipient = page.getByLabel('Recipient on Solana')
    expect(/status of 400/)
    await recipient.fill('nobody')
    // The list of tokens and the balances come anew.
    const listed = page.waitForResponse('**/api/tokens')
    await page.clock.runFor(60_000)
    await listed
    t.equal(await recipient.inputValue(), 'nobody', 'what is typed stays')
    await recipient.press('Enter')
    await page.locator('.recipient [role="alert"]').waitFor()
    await recipient.fill('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
    await page
      .locator('.recipient [role="alert"]')
      .getByText('the token USDC on Solana, not a wallet')
      .waitFor()
    await recipient.fill('GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB')
    await page.getByText('Route for 50 USDC').waitFor()
    const routes = page.getByRole('group', { name: 'Routes' })
    await routes.getByText('Fastest').waitFor()
    const rows = await routes.getByRole('listitem').allTextContents()
    t.match(rows[0], /^Sandbox bridge0\.\d+ SOLBase → Solana, about 15 sCheapest$/)
    t.match(rows[1], /^Sandbox bridge0\.\d+ SOLBase → Solana, about 8 sFastest$/)
    const amounts = rows.map((row) => Number(/([\d.]+) SOL/.exec(row)![1]))
    t.ok(amounts[0]! > amounts[1]!, 'the faster one costs more')
    t.equal(await routes.getByRole('radio', { checked: true }).count(), 1)
    await routes.getByRole('radio').nth(1).check()
    await page.locator('.rate').waitFor()
    t.notMatch(page.url(), 'GmaDrpp', 'who receives is not in the URL')
    await press(page, 'Review swap')
    await page.locator('.verified > summary').waitFor()
    await page.getByText('Delivery depends on the bridge: Sandbox bridge.').waitFor()
    const expected = await page.getByLabel('Balance changes').locator('.up').textContent()
    const far = amounts.map((amount) => Math.abs(Number(/[\d.]+/.exec(expected!)![0]) - amount))
    t.ok(far[1]! < far[0]! / 10, 'the picked route is reviewed')
    t.match(
      await page.locator('.review .expiry').textContent(),
      /^Good for \d+ s\. After that, get a new route\.$/,
    )
    const facts = await page.locator('.review > .facts').textContent()
    t.match(facts, /GmaDrpp\w+ \(not the signing wallet\)/)
    t.match(facts, /If nobody fills itit is refunded/)
    await sign(page)
    await pass(page, page.locator('.track .done').nth(2))
    t.same(await page.locator('.track strong').allTextContents(), [
      'Sent from Base',
      'Bridge: Sandbox bridge',
      'Arrived on Solana',
    ])
    t.match(await page.locator('.receipt').textContent(), /You received0\.\d+ SOL \(as expected\)/)
    t.same(await seriousFindings(page), [])
    await press(page, 'New swap')
  })
}

async function refused(t: Test, browser: Browser, url: string, sandbox: Sandbox) {
  await t.test('a theft that a click switched on is refused, with its rule in words', async (t) => {
    const { page, expect } = await opened(t, browser, `${url}/#/swap?amount=0.25`, sandbox)
    await press(page, 'Sandbox wallet')
    await held(page, 'SOL').getByText('2', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Sandbox', exact: true }).click()
    const thief = page.getByRole('switch', { name: 'Jupiter steals' })
    t.equal(await thief.getAttribute('aria-checked'), 'false')
    await thief.click()
    await page.getByText('Faults set: Jupiter.').waitFor()
    t.equal(await thief.getAttribute('aria-checked'), 'true')
    const line = page.getByRole('region', {
      name: 'The request of this view',
      exact: true,
      includeHidden: true,
    })
    t.match(await line.textContent(), `-X PUT '${sandbox.control}/faults/jupiter'`)
    await page.goBack()
    await page.getByText('Offers for 0.25 SOL').waitFor()
    expect(/status of 502/)
    await press(page, 'Review swap')
    const alert = page.locator('.refusal')
    await alert.getByText('Found').waitFor()
    t.match(
      await alert.textContent(),
      /Failed checkwho receivesExpected.*The received tokens go to the wallet's own account\./,
    )
    t.match(await alert.textContent(), /It lets a stranger receive/)
    t.equal(await page.getByRole('button', { name: 'Sign and send' }).count(), 0)
    t.same(await seriousFindings(page), [])
    await page.getByRole('link', { name: 'Sandbox', exact: true }).click()
    await page.getByText('The last time it lets a stranger receive').waitFor()
    await press(page, 'Clear all faults')
    await page.getByText('No faults are set.').waitFor()
    t.equal(await thief.getAttribute('aria-checked'), 'false')
    await page.goBack()
    await press(page, 'Get a new offer')
    await press(page, 'Review swap')
    await page.locator('.verified > summary').waitFor()
  })
}

/** What the service may say of a build beside a refusal by rule, and what the page makes of it. */
const OTHER_REFUSALS: readonly (readonly [reply: object, status: number, told: readonly RegExp[]])[] = [
  [
    { error: 'The price has moved.', scope: 'route', code: 'quote_moved', expectedOut: '1000000' },
    400,
    [
      /^The market has movedThe price moved by more than your slippage\./,
      /You'd now get 1 USDC\. Your minimum was \d/,
    ],
  ],
  [
    { error: 'Too little is proved.', scope: 'provider', code: 'material_unproved', rule: 'simulation' },
    502,
    [
      /^Blocked: the outcome can't be verifiedYou signed nothing/,
      /rests on the provider's word alone/,
      /simulation/,
    ],
  ],
  [
    { error: 'The quote was sealed elsewhere.', scope: 'route', code: 'quote_mismatch' },
    400,
    [/^The build failedThe quote was sealed elsewhere\./, /quote_mismatch/],
  ],
]

async function otherRefusals(t: Test, browser: Browser, url: string, sandbox: Sandbox) {
  await t.test('a quote that moved, or what is only said, is told in its own words', async (t) => {
    const { page, expect } = await opened(t, browser, `${url}/#/swap?amount=0.25`, sandbox)
    await press(page, 'Sandbox wallet')
    await held(page, 'SOL').getByText('2', { exact: true }).waitFor()
    expect(/status of (400|502)/)
    for (const [reply, status, told] of OTHER_REFUSALS) {
      await page.route('**/api/build', (route) => route.fulfill({ status, json: reply }))
      await page.getByText('Offers for 0.25 SOL').waitFor()
      await press(page, 'Review swap')
      const alert = page.locator('.refusal')
      await alert.waitFor()
      for (const words of told) t.match(await alert.textContent(), words)
      t.equal(await page.getByRole('button', { name: 'Sign and send' }).count(), 0)
      await page.unroute('**/api/build')
      await press(page, 'Get a new offer')
    }
  })
}

/** Opens the dialog of a box. @returns its search field */
async function picking(page: Page, box: 'pay' | 'receive'): Promise<Locator> {
  await press(page, new RegExp(`choose the token to ${box}`))
  const search = page.getByRole('combobox', { name: 'Search tokens' })
  await search.waitFor()
  return search
}

/** The dialog's tokens. */
const tokensOf = (page: Page): Locator => page.getByRole('listbox', { name: 'Tokens' }).getByRole('option')

/** Picks the first token of a chain. */
async function onChain(page: Page, chain: string): Promise<void> {
  await picking(page, 'pay')
  await page.getByLabel('Chain', { exact: true }).selectOption(chain)
  await tokensOf(page).first().click()
}

async function ordering(t: Test, browser: Browser, url: string, sandbox: Sandbox) {
  await t.test('a token is found by keyboard, or pasted, and what is unlisted says so', async (t) => {
    const { page, expect } = await opened(t, browser, `${url}/#/swap?chain=base&amount=0.1`, sandbox)
    const search = await picking(page, 'receive')
    t.equal(await page.evaluate('document.activeElement.getAttribute("role")'), 'combobox')
    await search.fill('brett')
    const option = tokensOf(page).filter({ hasText: 'BRETT' })
    await option.waitFor()
    t.equal(await search.getAttribute('aria-activedescendant'), await option.getAttribute('id'))
    await search.press('Enter')
    await page.getByText('Offers for 0.1 ETH').waitFor()
    t.match(new URL(page.url()).hash, /^#\/swap\?chain=base&amount=0\.1&token=0x[0-9A-Fa-f]{40}$/)
    t.match(await page.evaluate('document.activeElement.textContent'), /BRETT.*choose the token to receive/)
    expect(/status of (400|404|502)/)
    const unlisted = '0x52908400098527886E0F7030069857D2E4169EE7'
    await (await picking(page, 'receive')).fill(unlisted)
    // No source knows it: nobody has checked it.
    await page.getByText('Not on any list, not checked').waitFor()
    await page.keyboard.press('Enter')
    t.match(page.url(), unlisted)
    await page.getByRole('alert').first().waitFor()
  })

  await t.test('any token is swapped for any other, and the boxes are flipped', async (t) => {
    const { page } = await opened(t, browser, `${url}/#/swap?chain=base&side=sell&amount=250`, sandbox)
    await press(page, 'Sandbox wallet')
    const search = await picking(page, 'receive')
    await tokensOf(page).filter({ hasText: /AERO/ }).locator('small', { hasText: '·' }).waitFor()
    await search.fill('aero')
    await tokensOf(page).filter({ hasText: /AERO/ }).waitFor()
    await search.press('Enter')
    await page.getByText('Offers for 250 USDC').waitFor()
    await page.getByRole('button', { name: /AERO.*choose/ }).waitFor()
    // Of which the wallet may hold some.
    await held(page, 'AERO').first().waitFor()
    await press(page, 'Review swap')
    await page.locator('.verified').waitFor()
    t.match(await page.getByLabel('Balance changes').textContent(), /[\d.]+ AERO at least/)
    await press(page, /^Flip/)
    await page.getByText(/^Offers for [\d.]+ AERO$/).waitFor()
    t.match(await page.locator('.box-foot').last().textContent(), /^\$2\d\d\.\d\d \(−[\d.]+%\)$/)
    await (await picking(page, 'receive')).fill('eth')
    await tokensOf(page).filter({ hasText: 'ETH' }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByText(/^1 ETH = [\d,.]+ AERO/).waitFor()
    t.notMatch(page.url(), 'against')
  })

  await t.test(
    'half and all of a balance; of the native coin its fee stays, and costs are said',
    async (t) => {
      const { page } = await opened(t, browser, `${url}/#/swap`, sandbox, { width: 1440 })
      await page.getByRole('button', { name: 'Sandbox wallet' }).waitFor()
      await press(page, 'Connect wallet')
      t.equal(await page.getByRole('button', { name: 'Enter an amount' }).isDisabled(), true)
      await press(page, '50%')
      await page.getByText('Offers for 1 SOL').waitFor()
      await press(page, 'Max')
      await page.getByText(/^0\.00\d+ SOL stays for the network fee\.$/).waitFor()
      await page.getByText(/^Offers for 1\.99\d* SOL$/).waitFor()
      const [rate, cost] = await Promise.all(
        ['.rate', '.costs > summary'].map((part) => page.locator(part).boundingBox()),
      )
      t.ok(
        rate!.y + rate!.height > cost!.y && cost!.y + cost!.height > rate!.y,
        'rate and cost are in one line',
      )
      await page.locator('.costs > summary').click()
      t.same(await page.locator('.costs dt').allTextContents(), [
        'Price impact',
        'Network fee',
        'Gateway fee',
        'Minimum received',
        'Offer from',
      ])
      await page.getByRole('button', { name: /^1 SOL = / }).click()
      await page.getByRole('button', { name: /^1 USDC = 0\.\d+ SOL/ }).waitFor()
      await page.getByLabel('Amount of SOL').fill('3')
      await page.getByText('Not enough SOL. You have 2 SOL.').waitFor()
      t.ok(await page.getByRole('button', { name: 'Not enough SOL' }).isDisabled())

      const order = 'chain=solana&side=buy&token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v&amount=1'
      const reply = await fetch(`${url}/api/quote?${order}&slippageBps=50`)
      const quote = { ...((await reply.json()) as object), priceImpactPct: 4.2 }
      const best = JSON.stringify({ quote, end: null })
      const end = JSON.stringify({ quote: null, end: { reason: 'time', code: null, error: null } })
      const body = `event: best\nid: 1\ndata: ${best}\n\nevent: end\nid: end\ndata: ${end}\n\n`
      await page.route('**/api/quote/stream?*', (route) =>
        route.fulfill({ contentType: 'text/event-stream', body }),
      )
      await page.getByLabel('Amount of SOL').fill('1')
      await page.locator('.costs .grave', { hasText: 'Price impact 4.2%' }).waitFor()
      await page.getByRole('button', { name: 'Accept the price impact first', disabled: true }).waitFor()
      await page.getByLabel("I understand I'll get up to 5% less than the market price.").check()
      await page.getByRole('button', { name: 'Review swap', disabled: false }).waitFor()
    },
  )

  await t.test('a figure of the quote tells its source, its age and its last digit', async (t) => {
    const { page } = await opened(t, browser, `${url}/#/swap?amount=0.25`, sandbox)
    await page.locator('.box-line output button').hover()
    const tip = page.getByRole('tooltip')
    t.match(await tip.textContent(), /Jupiter's offer\d+ s old, from [\d:]+Exactly \d+\.\d{4,6} USDC\./)
    await page.getByText(/^Good for \d+ s$/).waitFor()
    const line = page.getByRole('region', {
      name: 'The request of this view',
      exact: true,
      includeHidden: true,
    })
    t.match(await line.textContent(), `'${url}/api/quote/stream?chain=solana&side=buy&token=`)
    const suggested = page.getByRole('button', { name: '% suggested' })
    const percent = /^[\d.]+/.exec((await suggested.textContent())!)![0]
    await suggested.click()
    await page.waitForURL(`**slippage=${percent}`)
  })

  await t.test(
    'on Solana the priority is chosen, built and paid; another one needs another build',
    async (t) => {
      const { page } = await opened(t, browser, `${url}/#/swap?amount=0.25`, sandbox)
      const priority = page.getByLabel('Priority fee')
      t.equal(await priority.inputValue(), 'none')
      await press(page, 'Sandbox wallet')
      await held(page, 'SOL').getByText('2', { exact: true }).waitFor()
      for (const [level, fee] of [
        ['high', /Priority fee<?\$[\d.]+/],
        ['none', /^(?!.*Priority fee<?\$)/],
      ] as const) {
        await priority.selectOption(level)
        const asked = page.waitForRequest('**/api/build')
        await press(page, 'Review swap')
        t.match((await asked).postDataJSON(), { priority: level })
        await page.locator('.verified').waitFor()
        t.match(await page.locator('.review > .facts').textContent(), fee)
      }
      await onChain(page, 'Base')
      await priority.waitFor({ state: 'detached' })
    },
  )

  await t.test('what cannot be meant so is told, and nothing is asked', async (t) => {
    const { page } = await opened(t, browser, `${url}/#/swap?amount=abc`, sandbox)
    await page.getByRole('alert').filter({ hasText: 'Enter an amount above zero.' }).waitFor()
    await page.getByLabel('Amount of SOL').fill('0.5')
    await page.getByText('Offers for 0.5 SOL').waitFor()
    await onChain(page, 'TON')
    await page.getByText('can be quoted here').waitFor()
    await page.getByText('Offers for 0.5 GRAM').waitFor()
    t.equal(await page.getByRole('button', { name: 'Review swap' }).isDisabled(), true)
  })
}

async function accessible(t: Test, browser: Browser, url: string, sandbox: Sandbox) {
  for (const [theme, width] of [
    ['dark', 360],
    ['light', 1280],
  ] as const) {
    await t.test(
      `axe-core finds nothing serious from order to receipt, ${theme}, ${width} px wide`,
      async (t) => {
        const { page } = await openedInTime(t, browser, `${url}/#/swap?amount=0.25`, sandbox, {
          theme,
          width,
        })
        await (await picking(page, 'receive')).fill('us')
        await tokensOf(page).first().waitFor()
        t.same(await seriousFindings(page), [], 'a list of tokens')
        await page.keyboard.press('Escape')
        await press(page, 'Sandbox wallet')
        await page.getByText('Offers for 0.25 SOL').waitFor()
        // A key goes to a button that is disabled too: first there has to be a wallet, and its quote.
        const review = page.getByRole('button', { name: 'Review swap', disabled: false })
        await pass(page, review)
        await review.press('Enter')
        await page.locator('.verified > summary').waitFor()
        t.same(await focused(page), ['Review', 'solid'], 'the focus is at the heading of what came, and seen')
        await page.setViewportSize({ width, height: width === 360 ? 844 : 900 })
        t.ok(await isSeen(page, '.review > .actions .primary'), 'it is signed without scrolling')
        t.ok(await isSeen(page, '.balance-changes'), 'what leaves and arrives is in view')
        t.same(await seriousFindings(page), [], 'a review')
        t.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth <= 0'), true)
        await acceptMove(page)
        for (let stops = 1; (await focused(page))[0] !== 'Sign and send'; stops++) {
          if (stops > 20) return t.fail('the Tab key does not come to the button that signs')
          await page.keyboard.press('Tab')
          t.equal((await focused(page))[1], 'solid', `stop ${stops} of the Tab key is seen`)
        }
        await page.keyboard.press('Enter')
        await landed(page)
        t.same(await focused(page), ['Swap complete', 'solid'])
        t.notOk(await page.locator('.reviewed').getAttribute('open'), 'what was reviewed is folded')
        t.same(await seriousFindings(page), [], 'a receipt')
        t.ok(await isSeen(page, '.steps li'), 'the result is at the top')
        t.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth <= 0'), true)
      },
    )
  }
}
