import type { Browser } from 'playwright-core'
import t, { type Test } from 'tap'
import type { InstanceReport } from '../../../src/clients/console/operator/report.ts'
import {
  countHealthy,
  listen,
  SKIPPED,
  seriousFindings,
  startBrowser,
  visit,
} from '../../fixtures/browser.ts'
import { call, type TestGateway } from '../../fixtures/gateway.ts'
import { skipWithoutRedis, startRedis } from '../../fixtures/redis.ts'

const BONK = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'
const WIDTHS = [360, 820, 1440]

/** A gateway that had some requests, one of them refused. */
async function busy(t: Test): Promise<TestGateway> {
  const gateway = await listen(t, { ADMIN_PORT: '0', LIMITS: 'rpcRead=3/100' }, { windowMs: 1e10 })
  const { url } = gateway
  for (const path of ['/api/tokens', '/api/tokens?chain=nowhere', '/api/chains', '/secret'])
    await (await fetch(url + path)).text()
  for (let i = 0; i < 5; i++) await call(url, 'getBlockHeight', [])
  return gateway
}

t.test("the operator's page in Chromium", { skip: SKIPPED }, async (t) => {
  const browser = await startBrowser()
  const gateway = await busy(t)
  await figures(t, browser, gateway)
  await accessible(t, browser, gateway)
  await trouble(t, browser)
  await several(t, browser)
})

function several(t: Test, browser: Browser) {
  return t.test('instances that share a Redis are listed', { skip: skipWithoutRedis() }, async (t) => {
    const redis = await startRedis(t)
    const environment = { ADMIN_PORT: '0', REDIS_URL: redis.url, QUOTE_SECRET: 's'.repeat(32) }
    await listen(t, environment)
    const { adminUrl } = await listen(t, environment)
    const { page } = await visit(t, browser, `${adminUrl}/`)
    await page
      .locator('.panel .tiles')
      .getByText(/, this one$/)
      .waitFor()
    t.match(await page.locator('.panel .tiles').first().textContent(), /^RedisokInstances2.*ready.*ready/)
  })
}

function figures(t: Test, browser: Browser, { adminUrl }: TestGateway) {
  return t.test('its state is at the top, and its figures are those of /instance', async (t) => {
    const { page } = await visit(t, browser, `${adminUrl}/`, { width: 1440 })
    const tiles = page.locator('.tiles')
    await tiles.waitFor()
    const box = await tiles.boundingBox()
    t.ok(box!.y + box!.height <= 200, `the tiles end at ${box!.y + box!.height} px`)
    t.match(
      await tiles.textContent(),
      /^Requests[\d.]+\/sErrors0%Duration, p95[\d.]+ m?sEvent loop lag, p99[\d.]+ m?sUpstreams ok\d+ of \d+$/,
    )
    await page.getByText('No problems').waitFor()
    await page.getByText('No errors since the service started.').waitFor()
    const { budgets, upstreams } = (await (await fetch(`${adminUrl}/instance`)).json()) as InstanceReport
    const { spent, limit } = budgets.find(({ name }) => name === 'rpcRead')!
    t.same([spent, limit], [3, 100])
    const called = upstreams.filter(({ state }) => state !== 'untried')
    const named = await page
      .getByRole('table', { name: 'Upstreams' })
      .getByRole('rowheader')
      .allTextContents()
    for (const { name } of called) t.ok(named.includes(name), name)
    t.equal(await page.getByText('Instances').count(), 0, 'there is no Redis')
  })
}

async function accessible(t: Test, browser: Browser, { adminUrl }: TestGateway) {
  for (const [theme, width] of [
    ['light', 360],
    ['dark', 1440],
  ] as const) {
    await t.test(`axe-core finds nothing serious in the ${theme} theme, ${width} px wide`, async (t) => {
      const { page } = await visit(t, browser, `${adminUrl}/`, { theme, width })
      await page.getByRole('table', { name: 'Upstreams' }).waitFor()
      t.same(await seriousFindings(page), [])
      for (const narrow of WIDTHS) {
        await page.setViewportSize({ width: narrow, height: 900 })
        const beyond = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        t.equal(beyond, 0, `no scrolling sideways at ${narrow} px`)
      }
    })
  }
}

function trouble(t: Test, browser: Browser) {
  return t.test('what goes wrong is seen: an upstream, and the service itself', async (t) => {
    const gateway = await listen(t, { ADMIN_PORT: '0', JUPITER_URL: 'http://127.0.0.1:1' })
    const { url, adminUrl } = gateway
    for (let i = 0; i < 7; i++)
      await (
        await fetch(`${url}/api/quote?chain=solana&side=buy&token=${BONK}&amount=${1_000_000 + i}`)
      ).text()

    const { page, expect } = await visit(t, browser, `${adminUrl}/`, { width: 360 })
    const jupiter = page
      .getByRole('table', { name: 'Upstreams' })
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name: 'jupiter' }) })
    await jupiter.getByRole('button', { name: 'cooling' }).waitFor()
    t.match(await jupiter.locator('.col-error').textContent(), /^upstream_unavailable, \d+ s ago$/)
    t.match(await jupiter.locator('.col-success').textContent(), 'never')

    const problems = page.getByRole('table', { name: 'Problems' }).getByRole('rowheader')
    t.equal(await problems.first().textContent(), 'jupiter', 'what is broken is the first row')
    await page.getByText(/^Calls resume by themselves\. If it lasts, check its status page/).waitFor()
    const errors = page.getByRole('table', { name: 'Last errors' })
    t.match(await errors.textContent(), /jupiterupstream_unavailablerefused\d/)

    t.same(await seriousFindings(page), [])

    t.ok((await countHealthy(page)) > 0)
    expect(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/)
    await gateway.stop()
    await page.getByRole('status').filter({ hasText: "Can't reach the gateway." }).waitFor()
    t.equal(await countHealthy(page), 0, 'nothing looks healthy')
    t.match(await jupiter.locator('.col-error').textContent(), /^upstream_unavailable/, 'it stays')
  })
}
