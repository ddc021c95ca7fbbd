/**
 * The journeys of docs/console.md, each from its first press to its last, in a Chromium that has nothing cached: what it
 * brings over the wire, in how many requests, and how long it takes where nobody stops to read.
 *
 * `JOURNEYS=write npm test -- test/long/clients/console/journeys.test.ts` writes scripts/docs/journeys.json, of which
 * `npm run docs` makes the table of the page.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection, Keypair, SystemProgram, Transaction } from '@solana/web3.js'
import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { Journey, Recorded } from '../../../../scripts/docs/journeys.ts'
import { CLOCK } from '../../../../src/runtime/clock.ts'
import { listen, listenChecked, SKIPPED, sign, startBrowser, visit } from '../../../fixtures/browser.ts'
import { movedClock } from '../../../fixtures/clock.ts'
import type { TestGateway } from '../../../fixtures/gateway.ts'

const FILE = new URL('../../../../scripts/docs/journeys.json', import.meta.url)
/** Times what is recorded: a change that costs more is meant, and is recorded. */
const SLACK = 1.25
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const HOLDER = '0x52908400098527886E0F7030069857D2E4169EE7'
/** What the browser says of a service that is gone, of logos before the first list, and of what was refused. */
const EXPECTED = /ERR_CONNECTION|ERR_EMPTY_RESPONSE|status of (400|404|502|503)/

interface World {
  readonly page: Page
  readonly gateway: TestGateway
  /** What was made ready. */
  readonly ready: string
  readonly t: Test
}

interface Steps {
  /** Where it begins, behind the gateway's or the admin listener's address. */
  readonly path: string
  /** A gateway of its own, that may be stopped or has had trouble. */
  readonly start?: (t: Test) => Promise<TestGateway>
  readonly isOfAdmin?: true
  /** Before the time counts. */
  readonly prepare?: (gateway: TestGateway) => Promise<string>
  readonly run: (world: World) => Promise<void>
}

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()
const open = (page: Page, name: string): Promise<void> =>
  page.getByRole('link', { name, exact: true }).click()
const held = (page: Page, symbol: string, amount: string) =>
  page
    .getByLabel('Wallet balances')
    .locator('dt', { hasText: symbol })
    .locator('+ dd')
    .getByText(amount, { exact: true })

async function reviewed(page: Page): Promise<void> {
  await press(page, 'Review swap')
  await page.locator('.verified > summary').waitFor()
}

const JOURNEYS: Readonly<Record<string, Steps>> = {
  'Find a token': {
    path: '#/tokens',
    async run({ page }) {
      await page.getByRole('rowheader').first().waitFor()
      await page.getByRole('searchbox').fill('usd')
      await page.getByText(/^\d+ of \d+ tokens$/).waitFor()
      await press(page, 'Base')
      await press(page, 'Liquidity')
      await page.locator('th[aria-sort="descending"]', { hasText: 'Liquidity' }).waitFor()
    },
  },
  'Swap a token of the list': {
    path: '#/tokens?chain=solana',
    async run({ page }) {
      await open(page, 'Swap USDC')
      await press(page, 'Sandbox wallet')
      await held(page, 'SOL', '2').waitFor()
      await page.getByLabel('Amount of SOL').fill('0.25')
      await page.getByText('Offers for 0.25 SOL').waitFor()
      await reviewed(page)
      await sign(page)
      await page.locator('.receipt').waitFor()
    },
  },
  'Swap on an EVM chain': {
    path: '#/swap?chain=base&side=sell&amount=250',
    async run({ page }) {
      await press(page, 'Sandbox wallet')
      await held(page, 'USDC', '1,000').waitFor()
      await page.getByText('Offers for 250 USDC').waitFor()
      await reviewed(page)
      await sign(page)
      await page.locator('.receipt').waitFor()
      await held(page, 'USDC', '750').waitFor()
    },
  },
  'Swap to another chain': {
    path: `#/swap?chain=base&toChain=solana&side=sell&token=${USDC}&amount=50`,
    async run({ page }) {
      await press(page, 'Sandbox wallet')
      await page.getByLabel('Recipient on Solana').fill('GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB')
      await page.getByLabel('Recipient on Solana').press('Enter')
      await page.getByText('Route for 50 USDC').waitFor()
      await reviewed(page)
      await sign(page)
      await page.locator('.track .done').nth(2).waitFor()
    },
  },
  'Buy several tokens at once': {
    path: '#/swap?chain=solana',
    async run({ page }) {
      await open(page, 'Buy several tokens at once')
      await page.getByLabel('Amount of dollars').fill('60')
      await page.getByLabel('Tokens, the deepest first').selectOption('2')
      await press(page, 'Sandbox wallet')
      await held(page, 'SOL', '2').waitFor()
      await page.getByLabel('JUP').uncheck()
      await page.getByText('you took it out').waitFor()
      await press(page, 'Review 2 swaps')
      await sign(page)
      await page.getByRole('button', { name: /^Next: / }).click()
      await sign(page)
      await press(page, 'See the summary')
      await page.getByRole('heading', { name: 'Summary' }).waitFor()
    },
  },
  'See a theft refused': {
    path: '#/swap?amount=0.25',
    // Of those that nobody else swaps at.
    start: listed,
    async run({ page }) {
      await press(page, 'Sandbox wallet')
      await held(page, 'SOL', '2').waitFor()
      await open(page, 'Sandbox')
      await page.getByRole('switch', { name: 'Jupiter steals' }).click()
      await page.getByText('Faults set: Jupiter.').waitFor()
      await page.goBack()
      await page.getByText('Offers for 0.25 SOL').waitFor()
      await press(page, 'Review swap')
      await page.locator('.refusal').getByText('Found').waitFor()
      await open(page, 'Sandbox')
      await press(page, 'Clear all faults')
      await page.getByText('No faults are set.').waitFor()
    },
  },
  'Sell what an address holds': {
    path: '#/portfolio',
    async run({ page }) {
      await page.getByLabel('Addresses').fill(HOLDER)
      await press(page, 'View')
      await page.getByText(/^\d+ chains read$/).waitFor()
      const row = page
        .getByRole('row')
        .filter({ has: page.getByText('USDC', { exact: true }) })
        .first()
      await row.getByRole('link').click()
      await page.getByRole('heading', { level: 1, name: 'Swap' }).waitFor()
    },
  },
  'Explain a request, and send a transaction': {
    path: '#/explain',
    prepare: transferOf,
    async run({ page, ready: signed }) {
      await page.getByLabel('Transaction, call, message or typed data').fill(signed)
      await page.locator('.judged').waitFor()
      await press(page, 'Simulate')
      await page.locator('.changes').waitFor()
      await open(page, 'Relay')
      await page.getByLabel('Signed transaction').fill(signed)
      await page.getByText('all signatures correct').waitFor()
      await press(page, 'Send')
      await page.getByText(/^finalized in slot \d+$/).waitFor()
    },
  },
  'Watch your limits': {
    path: '#/limits',
    // A window of a minute is a minute to wait.
    start: (t) => listen(t, {}, { windowMs: 3_000 }),
    async run({ page }) {
      const budget = page.getByRole('listitem').filter({ hasText: 'Solana reads' })
      await press(page, 'Send a test read')
      await budget.getByText('59 left of 60').waitFor()
      await budget.getByText('Unused').waitFor()
    },
  },
  'Outlast an outage': {
    path: '#/tokens?q=weth',
    start: (t) => listen(t),
    async run({ t, page, gateway }) {
      await page.getByRole('rowheader').first().waitFor()
      await gateway.stop()
      await press(page, 'Refresh')
      await page.getByRole('status').getByText('Gateway unreachable').waitFor()
      await page.getByRole('rowheader').first().waitFor()
      await listen(t, { PORT: new URL(gateway.url).port })
      await page.getByRole('status').getByText('Online').waitFor()
      await page.locator('.freshness.fresh').waitFor()
    },
  },
  'Find a broken provider': {
    path: '',
    isOfAdmin: true,
    async start(t) {
      const gateway = await listen(t, { ADMIN_PORT: '0', JUPITER_URL: 'http://127.0.0.1:1' })
      const quote = `${gateway.url}/api/quote?chain=solana&side=buy&token=DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263`
      for (let i = 0; i < 7; i++) await (await fetch(`${quote}&amount=${1_000 + i}`)).text()
      return gateway
    },
    async run({ page }) {
      const problems = page.getByRole('table', { name: 'Problems' }).getByRole('rowheader')
      await problems.first().getByText('jupiter', { exact: true }).waitFor()
      const row = page
        .getByRole('table', { name: 'Upstreams' })
        .getByRole('row')
        .filter({ has: page.getByRole('rowheader', { name: 'jupiter' }) })
      await row.locator('.col-error').getByText('upstream_unavailable').waitFor()
    },
  },
}

function listed(t: Test): Promise<TestGateway> {
  return listenChecked(t, movedClock(CLOCK), { LIMITS: 'swap=off,portfolio=off,rpcRead=off,rpcSend=off' })
}

/** Signed by a funded wallet, in base64. */
async function transferOf({ sandbox }: TestGateway): Promise<string> {
  const connection = new Connection(sandbox!.solanaRpc, 'confirmed')
  const wallet = Keypair.generate()
  const funding = await connection.requestAirdrop(wallet.publicKey, 1_000_000_000)
  while ((await connection.getSignatureStatus(funding)).value?.confirmationStatus === undefined)
    await sleep(50)
  const { blockhash } = await connection.getLatestBlockhash()
  const transaction = new Transaction({ feePayer: wallet.publicKey, recentBlockhash: blockhash })
  const toPubkey = Keypair.generate().publicKey
  transaction.add(SystemProgram.transfer({ fromPubkey: wallet.publicKey, toPubkey, lamports: 1_000_000 }))
  transaction.sign(wallet)
  return transaction.serialize().toString('base64')
}

t.test('the journeys in Chromium', { skip: SKIPPED, timeout: 600_000 }, async (t) => {
  const recorded: Recorded = JSON.parse(readFileSync(FILE, 'utf8'))
  const browser = await startBrowser()
  const shared = await listed(t)
  // They wait for blocks more than they work. Times are taken one after the other.
  if (process.env.JOURNEYS !== 'write') t.jobs = 3
  const measured: Record<string, Journey> = {}
  const journeys = Object.entries(JOURNEYS).map(([name, steps]) =>
    t.test(name, { buffered: true }, async (t) => {
      const { bytes, requests } = (measured[name] = await measure(t, browser, steps, shared))
      t.comment(`${name}: ${JSON.stringify(measured[name])}`)
      const most = recorded.journeys[name]
      if (process.env.JOURNEYS === 'write') return
      if (most === undefined) return t.fail('it is not recorded')
      t.ok(bytes <= SLACK * most.bytes, `${bytes} bytes, ${most.bytes} are recorded`)
      t.ok(requests <= SLACK * most.requests, `${requests} requests, ${most.requests} are recorded`)
    }),
  )
  await Promise.all(journeys)
  if (process.env.JOURNEYS !== 'write') return
  const machine = `${availableParallelism()} cores, Chromium ${browser.version().split('.')[0]}`
  const today: Recorded = { measured: new Date().toISOString().slice(0, 10), machine, journeys: measured }
  writeFileSync(FILE, `${JSON.stringify(today, null, 2)}\n`)
})

async function measure(t: Test, browser: Browser, steps: Steps, shared: TestGateway): Promise<Journey> {
  const gateway = (await steps.start?.(t)) ?? shared
  const ready = (await steps.prepare?.(gateway)) ?? ''
  /** By what was asked: what the page asks again by itself counts once, so that a slow machine has no more. */
  const bytesOf = new Map<string, number>()
  const before = async (page: Page): Promise<void> => {
    const session = await page.context().newCDPSession(page)
    const keys = new Map<string, string>()
    session.on('Network.requestWillBeSent', ({ requestId, request: { method, url, postData = '' } }) => {
      if (url.startsWith('data:')) return
      const key = `${method} ${url} ${postData.replace(/"id":"?\d+"?/g, '')}`
      keys.set(requestId, key)
      if (!bytesOf.has(key)) bytesOf.set(key, 0)
    })
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      const key = keys.get(requestId)
      if (key !== undefined) bytesOf.set(key, bytesOf.get(key) || encodedDataLength)
    })
    await session.send('Network.enable')
  }
  const url = `${steps.isOfAdmin ? gateway.adminUrl : gateway.url}/${steps.path}`
  const { page, expect } = await visit(t, browser, 'about:blank', {
    isNew: true,
    before,
    beside: [url, ...Object.values(gateway.sandbox!)],
  })
  expect(EXPECTED)
  const startedMs = performance.now()
  await page.goto(url)
  await steps.run({ t, page, gateway, ready })
  const seconds = Math.round((performance.now() - startedMs) / 100) / 10
  // What comes last is still under way.
  await sleep(300)
  const bytes = [...bytesOf.values()].reduce((sum, count) => sum + count, 0)
  return { seconds, bytes, requests: bytesOf.size }
}
