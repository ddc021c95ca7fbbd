/**
 * Each view as it is drawn, compared with its pictures in ./screens: two widths, in light and dark. What was meant to
 * change is drawn anew by `SCREENS=write npm test -- test/long/clients/console/screens.test.ts`; to draw only some,
 * `SCREENS=swap,review` beside it.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { ROOT } from '../../../../scripts/docs/pages.ts'
import { listen, listenChecked, SKIPPED, visit } from '../../../fixtures/browser.ts'
import { clockOf, movedClock } from '../../../fixtures/clock.ts'
import { IS_PART } from '../../../fixtures/fast-check.ts'
import type { TestGateway } from '../../../fixtures/gateway.ts'
import {
  type Difference,
  differenceOf,
  kept,
  launchScreens,
  type Picture,
  packed,
  pictured,
  read,
} from '../../../fixtures/screens.ts'

const FOLDER = join(import.meta.dirname, 'screens')
/** All of them together, in bytes. */
const MAX_BYTES = 1_500_000
/** Those that are drawn anew, with `write` for all. */
const WRITTEN = new Set(process.env.SCREENS?.split(','))
/** The part of a picture that may differ: another Chromium's switches, arrows and fields do. */
const MAX_PART = 0.005
/** How often a page that looks else is looked at once more: a chart is drawn in the page's own time. */
const LOOKS = 20
const BETWEEN_MS = 100
/** Not `TEST_INSTANT`: what the sandbox's world is like depends on the time. */
const INSTANT = Date.parse('2026-11-21T12:34:56.789Z')
const WIDTHS = [1440, 390] as const
const THEMES = ['light', 'dark'] as const

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'
const BRETT = '0x532f27101965dd16442E59d40670FaF5eBB142E4'
const HONEY = '0x000000000000000000000000000000686f6E6579'
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

interface Screen {
  readonly name: string
  readonly path: string
  /** Heights of the window at each width, px; 900 unless they say otherwise. */
  readonly heights?: Readonly<Record<(typeof WIDTHS)[number], number>>
  /** Shows what was asked: it has a gateway of its own. */
  readonly isOfItsOwn?: boolean
  readonly isOfAdmin?: boolean
  /** Of wallets as `npm start` has them, whose sandbox is lifelike. */
  readonly isLifelike?: boolean
  /** Until it is drawn. */
  drawn(page: Page): Promise<void>
}

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name }).click()

async function ordered(page: Page): Promise<void> {
  await press(page, 'Sandbox wallet')
  await page.getByText('Play money. The key lives in this tab').waitFor()
  await page.getByLabel('Wallet balances').locator('dd').first().waitFor()
  await page.getByText('Offers for 250 USDC').waitFor()
  await page.locator('.alternatives').getByText('Best', { exact: true }).waitFor()
}

const SWAP = '#/swap?chain=base&side=sell&amount=250'

const SCREENS: readonly Screen[] = [
  {
    name: 'tokens',
    path: '#/tokens',
    drawn: async (page) => await page.getByRole('rowheader').nth(20).waitFor(),
  },
  {
    name: 'token',
    path: `#/token/base/${BRETT}`,
    heights: { 1440: 1300, 390: 1800 },
    async drawn(page) {
      await page.getByRole('img', { name: /candles of .* each/ }).waitFor()
      await page.locator('.chart canvas').first().waitFor()
    },
  },
  {
    name: 'token-danger',
    path: `#/token/base/${HONEY}`,
    drawn: async (page) => await page.locator('.danger').first().waitFor(),
  },
  { name: 'swap', path: SWAP, heights: { 1440: 900, 390: 1400 }, drawn: ordered },
  {
    name: 'review',
    path: SWAP,
    heights: { 1440: 1100, 390: 1400 },
    async drawn(page) {
      await ordered(page)
      await press(page, 'Review swap')
      await page.locator('.verified > summary').waitFor()
    },
  },
  {
    name: 'blocked',
    path: SWAP,
    heights: { 1440: 900, 390: 1400 },
    async drawn(page) {
      await ordered(page)
      await page.route('**/api/build', async (route) => {
        const response = await route.fetch()
        const built = (await response.json()) as { data: string; from: string }
        const data = built.data.replaceAll(built.from.slice(2).toLowerCase(), 'bad0'.repeat(10))
        await route.fulfill({ response, json: { ...built, data } })
      })
      await press(page, 'Review swap')
      await page.locator('.refusal').getByText('Failed check').waitFor()
    },
  },
  {
    name: 'cross-chain',
    path: `#/swap?chain=base&toChain=solana&side=sell&token=${USDC}&amount=50`,
    heights: { 1440: 900, 390: 1400 },
    async drawn(page) {
      await press(page, 'Sandbox wallet')
      await page.getByText('Enter a Solana address to see the route.').waitFor()
      const recipient = page.getByLabel('Recipient on Solana')
      await recipient.fill('GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB')
      await recipient.press('Enter')

      await page.getByText('Route for 50 USDC').waitFor()
      await page.getByText('Fastest').waitFor()
    },
  },
  {
    name: 'activity',
    path: '#/activity',
    async drawn(page) {
      const id = `0x${'5a'.repeat(32)}`
      const done = {
        id,
        chain: 'base',
        at: INSTANT - 90_000,
        paid: '250 USDC',
        got: '0.0835 ETH',
        state: 'done',
        trade: '{}',
      }
      const failed = {
        ...done,
        id: `0x${'6b'.repeat(32)}`,
        at: INSTANT - 86_400_000,
        state: 'reverted',
        trade: null,
      }
      await page.evaluate(`localStorage.setItem('swapgate.activity', '${JSON.stringify([done, failed])}')`)
      await page.reload()
      await page.getByRole('table', { name: 'Swaps of this browser' }).waitFor()
    },
  },
  {
    name: 'basket',
    path: '#/basket?chain=solana&usd=250&n=5',
    heights: { 1440: 900, 390: 1300 },
    async drawn(page) {
      await press(page, 'Sandbox wallet')
      await page.getByText('Play money. The key lives in this tab').waitFor()
      await page.getByText('Balance').waitFor()
      await page.locator('.clips li').nth(4).waitFor()
    },
  },
  {
    name: 'portfolio',
    path: `#/portfolio?of=${WALLET}`,
    isLifelike: true,
    heights: { 1440: 1100, 390: 1400 },
    async drawn(page) {
      for (const name of ['Capped', 'Unpriced']) await page.getByRole('button', { name }).waitFor()
      await page.getByText(/^\d+ chains read$/).waitFor()
      await page.getByText(/in 24 h, based on \d+% of the holdings/).waitFor()
    },
  },
  {
    name: 'explain',
    path: '#/explain',
    heights: { 1440: 1100, 390: 1400 },
    async drawn(page) {
      await page.getByRole('button', { name: 'Broken signature' }).click()
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'relay',
    path: '#/relay',
    heights: { 1440: 1100, 390: 1400 },
    async drawn(page) {
      await page.getByRole('button', { name: 'Broken signature' }).click()
      await page.locator('.explained').waitFor()
    },
  },
  {
    name: 'limits',
    path: '#/limits',
    isOfItsOwn: true,
    heights: { 1440: 1400, 390: 1400 },
    async drawn(page) {
      await page.locator('.budgets .budget-left').first().waitFor()
      await page.getByRole('heading', { name: 'Who keeps their word' }).waitFor()
    },
  },
  {
    name: 'sandbox',
    path: '#/sandbox',
    heights: { 1440: 1400, 390: 1400 },
    drawn: (page) => page.getByRole('switch', { name: 'Jupiter steals' }).waitFor(),
  },
  {
    name: 'operator',
    path: '',
    isOfItsOwn: true,
    isOfAdmin: true,
    heights: { 1440: 1300, 390: 1800 },
    async drawn(page) {
      await page.getByRole('table', { name: 'Upstreams' }).waitFor()
      await page.locator('.tiles').waitFor()
    },
  },
  {
    name: 'reference',
    path: 'reference',
    heights: { 1440: 1300, 390: 1300 },
    drawn: (page) => page.locator('.overview .source').waitFor(),
  },
]

const pathOf = (name: string): string => join(FOLDER, `${name}.png`)

const namesOf = ({ name }: Screen): readonly string[] =>
  WIDTHS.flatMap((width) => THEMES.map((theme) => `${name}-${width}-${theme}`))

t.test('each view looks as in its pictures', { skip: SKIPPED }, async (t) => {
  const browser = await launchScreens(t)
  mkdirSync(FOLDER, { recursive: true })
  const gateway = await listed(t)
  // A view waits for its answers while another is drawn.
  t.jobs = 2
  for (const screen of SCREENS) void looks(t, browser, screen, gateway)
  void notices(t, browser, gateway)
})

t.test('each view has pictures, none is left over, and all of them are small', async (t) => {
  const source = readFileSync(join(ROOT, 'src/clients/console/views/index.ts'), 'utf8')
  const views = [...source.matchAll(/\bview\(\s*'(\w+)'/g)].map(([, name]) => name!)
  t.ok(views.length >= 8)
  for (const view of views)
    t.ok(
      SCREENS.some(({ path }) => path.split(/[/?]/)[1] === view),
      view,
    )
  const files = readdirSync(FOLDER)
  t.same(files.sort(), SCREENS.flatMap((screen) => namesOf(screen).map((name) => `${name}.png`)).sort())
  const bytes = files.reduce((sum, file) => sum + statSync(join(FOLDER, file)).size, 0)
  t.ok(bytes <= MAX_BYTES, `${bytes} bytes`)
})

async function looks(t: Test, browser: Browser, screen: Screen, gateway: TestGateway) {
  await t.test(screen.name, { buffered: true }, async (t) => {
    const page = await shown(t, browser, screen, gateway)
    for (const [i, width] of WIDTHS.entries()) {
      // If a part is enough, each view is looked at in one theme on a wide screen and in the other on a narrow one.
      for (const theme of IS_PART ? [THEMES[(SCREENS.indexOf(screen) + i) % 2]!] : THEMES) {
        const name = `${screen.name}-${width}-${theme}`
        await dress(page, screen, width, theme)
        if (WRITTEN.has('write') || WRITTEN.has(screen.name))
          writeFileSync(pathOf(name), packed(read(await settled(page))))
        const expected = read(readFileSync(pathOf(name)))
        const { part, box, drawn } = await compared(page, expected)
        const where = `${(100 * part).toFixed(2)} % differ, in ${JSON.stringify(box)}`
        if (part <= MAX_PART) t.pass(`${name}: ${where}`)
        else t.fail(`${name}: ${where}: ${pathOf(name)} was expected, ${kept(name, drawn)} was drawn`)
        t.equal(
          await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
          0,
          `${name}: it does not scroll sideways`,
        )
      }
    }
  })
}

/** Looks until the page is as it is expected, or for the last time. */
async function compared(page: Page, expected: Picture): Promise<Difference & { readonly drawn: Buffer }> {
  for (let look = 1; ; look++) {
    const drawn = await pictured(page)
    const difference = differenceOf(expected, read(drawn))
    if (difference.part <= MAX_PART || look === LOOKS) return { ...difference, drawn }
    await page.waitForTimeout(BETWEEN_MS)
  }
}

/** What a page looks like that has come to rest. */
async function settled(page: Page): Promise<Buffer> {
  let last = await pictured(page)
  for (;;) {
    await page.waitForTimeout(5 * BETWEEN_MS)
    const drawn = await pictured(page)
    if (drawn.equals(last)) return drawn
    last = drawn
  }
}

async function dress(
  page: Page,
  { heights }: Screen,
  width: (typeof WIDTHS)[number],
  colorScheme: (typeof THEMES)[number],
): Promise<void> {
  await page.setViewportSize({ width, height: heights?.[width] ?? 900 })
  await page.emulateMedia({ colorScheme })
}

/** Faults that are made on purpose: what is to be changed, and at which widths that shows. */
const FAULTS: readonly (readonly [name: string, widths: readonly number[], script: string])[] = [
  ['a hidden sidebar', [1440], `document.querySelector('header.top').style.visibility = 'hidden'`],
  ['a hidden bar of views', [390], `document.querySelector('header.top').style.visibility = 'hidden'`],
  [
    'a card that is 24 px further down',
    WIDTHS,
    `document.querySelector('.panel').style.translate = '0 24px'`,
  ],
  [
    'a card that is 24 px further right',
    WIDTHS,
    `document.querySelector('.panel').style.translate = '24px 0'`,
  ],
  ['a box that runs over', WIDTHS, `document.querySelector('.amount-box').style.width = '140%'`],
  ['another accent', WIDTHS, `document.documentElement.style.setProperty('--accent', '#8a2be2')`],
  [
    'a surface of another shade',
    WIDTHS,
    `document.documentElement.style.setProperty('--sunken', 'transparent')`,
  ],
  [
    'larger type',
    WIDTHS,
    `document.documentElement.style.setProperty('--type-body', '17px / 24px var(--sans)')`,
  ],
  ['a missing panel', WIDTHS, `[...document.querySelectorAll('.panel')].at(-1).remove()`],
]

async function notices(t: Test, browser: Browser, gateway: TestGateway) {
  const screen = SCREENS.find(({ name }) => name === 'swap')!
  await t.test('a fault is more than what may differ', { buffered: true }, async (t) => {
    const page = await shown(t, browser, screen, gateway)
    for (const width of WIDTHS) {
      await dress(page, screen, width, 'light')
      const right = read(await settled(page))
      const part = async (): Promise<number> => differenceOf(right, read(await pictured(page))).part
      const percent = (part: number): string => `${(100 * part).toFixed(2)} %`
      await page.emulateMedia({ colorScheme: 'dark' })
      t.ok((await part()) > 0.9, 'the wrong theme')
      await page.emulateMedia({ colorScheme: 'light' })
      for (const [name, widths, script] of FAULTS) {
        if (!widths.includes(width)) continue
        await page.evaluate(script)
        const seen = await part()
        t.ok(seen > 2 * MAX_PART, `${name}, ${width} px wide: ${percent(seen)}`)
        if (name === 'a missing panel') continue
        await page.evaluate(
          `for (const one of document.querySelectorAll('[style]')) one.removeAttribute('style')`,
        )
        t.ok((await part()) <= MAX_PART, `${name} is gone`)
      }
    }
  })
}

async function shown(
  t: Test,
  browser: Browser,
  { path, isOfItsOwn = false, isOfAdmin = false, isLifelike = false, drawn }: Screen,
  gateway: TestGateway,
): Promise<Page> {
  const own = isOfItsOwn ? asked(t) : isLifelike ? listed(t, { SANDBOX_PROVIDERS: 'lifelike' }) : gateway
  const { url, adminUrl, sandbox } = await own
  const { page } = await visit(t, browser, `${isOfAdmin ? adminUrl : url}/${path}`, {
    width: WIDTHS[0],
    beside: Object.values(sandbox!),
    before: still,
  })
  await drawn(page)
  return page
}

/** Time stands still in the page, keys are always the same ones, and the process that answers has no size. */
async function still(page: Page): Promise<void> {
  await page.clock.setFixedTime(INSTANT)
  await page.addInitScript(`
    let next = 1
    crypto.getRandomValues = (bytes) => {
      for (let i = 0; i < bytes.length; i++) bytes[i] = next = (next * 48271) % 2147483647
      return bytes
    }
    performance.now = () => 1_000
    // Nothing is asked anew.
    const later = setTimeout
    setTimeout = (run, ms = 0, ...more) => (ms < 2_000 ? later(run, ms, ...more) : later(() => {}, 2 ** 31 - 1))
  `)
  await page.route('**/metrics?*', async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replace(/^((?:process|nodejs)_\S+) .*$/gm, '$1 100000000')
    await route.fulfill({ response, body })
  })
}

const clockAtInstant = () => movedClock(clockOf({ date: () => INSTANT }))
const ENVIRONMENT = { ADMIN_PORT: '0', LIMITS: 'swap=off,portfolio=off,rpcRead=off' }

/** A gateway that knows of its tokens what there is to know. */
const listed = (t: Test, environment: Record<string, string> = {}): Promise<TestGateway> =>
  listenChecked(t, clockAtInstant(), { ...ENVIRONMENT, ...environment })

/** A gateway that had always the same requests. */
async function asked(t: Test): Promise<TestGateway> {
  const gateway = await listen(t, { ADMIN_PORT: '0' }, { clock: clockAtInstant() })
  for (const path of ['chains', 'config', 'tokens?chain=nowhere', 'xstatus'])
    await (await fetch(`${gateway.url}/api/${path}`)).text()
  return gateway
}
