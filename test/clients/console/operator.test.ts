import { Connection, Keypair, SystemProgram, Transaction } from '@solana/web3.js'
import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { SubmissionReceipt } from '../../../src/runtime/resources.ts'
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

/** A gateway that had some requests, one of them refused, and a transaction. */
async function busy(t: Test): Promise<TestGateway & { readonly signature: string }> {
  const gateway = await listen(t, { ADMIN_PORT: '0', LIMITS: 'rpcRead=3/100' }, { windowMs: 1e10 })
  const { url } = gateway
  for (const path of ['/api/tokens', '/api/tokens?chain=nowhere', '/api/chains', '/secret'])
    await (await fetch(url + path)).text()
  for (let i = 0; i < 5; i++) await call(url, 'getBlockHeight', [])
  return Object.assign(gateway, { signature: await submitTo(gateway) })
}

/** @returns the signature of a transfer that a node took */
async function submitTo({ url, sandbox }: TestGateway): Promise<string> {
  const wallet = Keypair.generate()
  const node = new Connection(sandbox!.solanaRpc, 'confirmed')
  await node.requestAirdrop(wallet.publicKey, 1_000_000_000)
  const { blockhash } = await node.getLatestBlockhash()
  const transfer = {
    fromPubkey: wallet.publicKey,
    toPubkey: Keypair.generate().publicKey,
    lamports: 1_000_000,
  }
  const transaction = new Transaction({ feePayer: wallet.publicKey, recentBlockhash: blockhash })
  transaction.add(SystemProgram.transfer(transfer)).sign(wallet)
  const base64 = transaction.serialize().toString('base64')
  const reply = await call(url, 'sendTransaction', [base64, { encoding: 'base64' }])
  return ((await reply.json()) as { result: string }).result
}

t.test("the operator's page in Chromium", { skip: SKIPPED }, async (t) => {
  const browser = await startBrowser()
  const gateway = await busy(t)
  await figures(t, browser, gateway)
  await waterfall(t, browser, gateway)
  await accessible(t, browser, gateway)
  await spans(t, browser, gateway)
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
      .locator('.gauges')
      .getByText(/, this one$/)
      .waitFor()
    t.match(await page.locator('.gauges').first().textContent(), /^RedisupInstances2.*ready.*ready/)
  })
}

function figures(t: Test, browser: Browser, { adminUrl }: TestGateway) {
  return t.test('its figures are those of /metrics', async (t) => {
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
    const told = (series: string): string => {
      const line = metrics.split('\n').find((one) => one.startsWith(`${series} `))
      t.ok(line, series)
      return line!.slice(series.length + 1)
    }
    const { page } = await visit(t, browser, `${adminUrl}/`, { width: 1440 })
    const row = (table: string, name: string) =>
      page
        .getByRole('table', { name: table })
        .getByRole('row')
        .filter({ has: page.getByRole('rowheader', { name, exact: true }) })
    const relay = row('Traffic by route', '/api/solrpc')
    await relay.waitFor()
    const [answered, refused] = ['200', '429'].map((status) =>
      told(`swapgate_requests_total{method="POST",route="/api/solrpc",status="${status}"}`),
    )
    const of = (column: string) => `.col-${column}`
    t.equal(await relay.locator(of('replies')).textContent(), String(Number(answered) + Number(refused)))
    t.match(await relay.locator(of('status')).textContent(), `200 × ${answered}`)
    t.match(await relay.locator(of('status')).textContent(), `429 × ${refused}`)
    t.equal(
      await relay.locator(of('errors')).textContent(),
      `budget_exhausted × ${told('swapgate_errors_total{route="/api/solrpc",code="budget_exhausted"}')}`,
    )
    for (const part of ['p50', 'p95', 'p99'])
      t.match(await relay.locator(of(part)).textContent(), /^[\d.]+ m?s$/)
    t.equal(await row('Traffic by route', 'none').locator(of('status')).textContent(), '404 × 1')

    // The list is built meanwhile: what is shown is between what was before and what is after.
    const callsIn = (text: string): number =>
      text
        .split('\n')
        .filter((line) => line.startsWith('swapgate_upstream_calls_total{upstream="dexscreener"'))
        .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
    const shown = Number(await row('Upstreams', 'dexscreener').locator(of('calls')).textContent())
    const later = callsIn(await (await fetch(`${adminUrl}/metrics`)).text())
    t.ok(callsIn(metrics) <= shown && shown <= later && shown > 0, `${callsIn(metrics)} ${shown} ${later}`)

    const budget = page.getByRole('listitem').filter({ hasText: /^rpcRead/ })
    t.match(await budget.textContent(), `${told('swapgate_budget_spent{budget="rpcRead"}')} of 100`)
    t.match(await budget.textContent(), `${refused} requests were refused`)
    t.match(await budget.textContent(), /Most by [0-9a-f]{12} \(\d+\)/)
    t.equal(
      await row('Answers', 'rpc').locator(of('asked')).textContent(),
      told('swapgate_answers_total{of="rpc",source="asked"}'),
    )
    t.match(
      await page.locator('.gauges').textContent(),
      /p99[\d.]+ m?sEvent loop, longest[\d.]+ m?sResident memory[\d,]+ MiB/,
    )
    await overview(t, page)
  })
}

/** Its state is at the top, and the last half hour is drawn, in words and a table. */
async function overview(t: Test, page: Page) {
  const tiles = page.locator('.tiles')
  await tiles.waitFor()
  const box = await tiles.boundingBox()
  t.ok(box!.y + box!.height <= 200, `the tiles end at ${box!.y + box!.height} px`)
  t.match(
    await tiles.textContent(),
    /^Requests[\d.]+\/sErrors([\d.]+%|—)p95([\d.]+ m?s|—)Upstreams ok\d+ of \d+/,
  )
  await page.getByText('No problems').waitFor()
  const chart = page.getByRole('img', {
    name: /^Requests by status since \d\d:\d\d: 2xx up to [\d.]+\/s/,
  })
  await chart.waitFor()
  const told = page.locator('.timeline').first().locator('.legend')
  const atNow = await told.textContent()
  await chart.hover({ position: { x: 1, y: 40 } })
  await page.locator('.pointed').waitFor({ state: 'attached' })
  t.match(atNow, /^2xx [\d.]+\/s3xx/)
  await page.locator('.timeline summary').first().click()
  const table = page.getByRole('table', { name: 'Requests by status' })
  await table.getByRole('row').last().waitFor()
  t.equal(await table.getByRole('row').count(), 31)
  t.equal(await page.getByRole('img', { name: /^Latency since .*: p50 up to .*, p99 up to / }).count(), 1)
  const away = page.getByRole('table', { name: 'Refused and shed' })
  t.match(await away.textContent(), /Over a budgetrpcRead\d+/)
  await page.getByText('Redis is not configured').waitFor()
}

function waterfall(t: Test, browser: Browser, { adminUrl, signature }: TestGateway & { signature: string }) {
  return t.test('a submission is a waterfall, from the arrival to the block', async (t) => {
    const { page } = await visit(t, browser, `${adminUrl}/`)
    const short = `${signature.slice(0, 6)}…${signature.slice(-4)}`
    const receipt = page.locator('.receipts > li').filter({ hasText: short })
    await receipt.getByText(/^first acceptance after [\d.]+ m?s, seen in slot \d+ after/).waitFor()
    const told = await fetch(`${adminUrl}/instance`)
    const { receipts } = (await told.json()) as { receipts: SubmissionReceipt[] }
    t.equal(receipts[0]!.digest, signature)
    t.same(await receipt.locator('.stage-name').allTextContents(), [
      'read',
      'verified',
      ...receipts[0]!.upstreams.map(({ name }) => name),
      'landed',
    ])
    const bars = await receipt.locator('.stage-bar').all()
    const lefts = await Promise.all(bars.map(async (bar) => (await bar.boundingBox())!.x))
    t.same(
      lefts,
      [...lefts].sort((a, b) => a - b),
      'each begins after the one above it',
    )
    t.ok(lefts.at(-1)! > lefts[2]!, 'it landed after it was sent')
    await page.getByText('No transaction is being rebroadcast.').waitFor()
  })
}

async function accessible(t: Test, browser: Browser, { adminUrl }: TestGateway) {
  for (const [theme, width] of [
    ['light', 360],
    ['dark', 1440],
  ] as const) {
    await t.test(`axe-core finds nothing serious in the ${theme} theme, ${width} px wide`, async (t) => {
      const { page } = await visit(t, browser, `${adminUrl}/`, { theme, width })
      await page.locator('.receipts > li').first().waitFor()
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

function spans(t: Test, browser: Browser, { url, adminUrl }: TestGateway) {
  return t.test('counts of the last minute begin when the page was opened', async (t) => {
    const { page } = await visit(t, browser, `${adminUrl}/#/?span=1m`)
    await page.getByText('No requests in this span.').waitFor()
    for (let i = 0; i < 3; i++) await (await fetch(`${url}/api/chains`)).text()
    await page.getByRole('button', { name: 'Refresh' }).click()
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: '/api/chains' }) })
    await row.locator('.col-replies').getByText('3', { exact: true }).waitFor()
    t.match(await row.locator('.col-rate').textContent(), /^\d+\.\d\d$/)
    t.not(await row.locator('.col-rate').textContent(), '0.00')
    await page.getByRole('combobox').selectOption('since the service started')
    await row.locator('.col-replies').getByText('4', { exact: true }).waitFor()
    t.equal(new URL(page.url()).hash, '#/')
  })
}

function trouble(t: Test, browser: Browser) {
  return t.test('what goes wrong is seen: an upstream, a transaction, and the service itself', async (t) => {
    const gateway = await listen(t, { ADMIN_PORT: '0', JUPITER_URL: 'http://127.0.0.1:1' })
    const { url, adminUrl, sandbox } = gateway
    const dial = { method: 'PUT', body: '{"fault":"forget"}' }
    t.equal((await fetch(`${sandbox!.control}/faults/solana`, dial)).status, 200)
    const signature = await submitTo(gateway)
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
    t.match(await jupiter.locator('.col-state').textContent(), /breaker of calls: open/)
    t.match(await jupiter.locator('.col-errors').textContent(), /upstream_unavailable × \d/)
    t.match(await jupiter.locator('.col-held').textContent(), /breaker × \d/)

    const problems = page.getByRole('table', { name: 'Problems' }).getByRole('rowheader')
    t.equal(await problems.first().textContent(), 'jupiter', 'what is broken is the first row')
    const errors = page.getByRole('table', { name: 'Last errors' })
    t.match(await errors.textContent(), /jupiterupstream_unavailablerefused\d/)

    await page.getByText(/^1 pending, rebroadcast every [\d.]+ s$/).waitFor()
    t.equal(await page.getByRole('table', { name: 'Pending submissions' }).getByRole('rowheader').count(), 1)
    const receipt = page.locator('.receipts > li').filter({ hasText: signature.slice(0, 6) })
    t.equal(await receipt.locator('.chip').textContent(), 'accepted')
    t.notOk((await receipt.locator('.stage-name').allTextContents()).includes('landed'))
    t.same(await seriousFindings(page), [])

    t.ok((await countHealthy(page)) > 0)
    expect(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/)
    await gateway.stop()
    await page.getByRole('status').filter({ hasText: "Can't reach the gateway." }).waitFor()
    t.equal(await countHealthy(page), 0, 'nothing looks healthy')
    t.match(await jupiter.locator('.col-errors').textContent(), /upstream_unavailable × \d/, 'it stays')
  })
}
