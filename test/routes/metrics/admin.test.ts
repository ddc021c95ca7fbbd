/** The admin listener as a browser meets it: the operator's page, and who may not read what it shows. */
import t from 'tap'
import { request } from 'undici'
import { type BudgetInUse, createAdminServer, type Instance } from '../../../src/routes/metrics/admin.ts'
import { movedClock } from '../../fixtures/clock.ts'
import { listen } from '../../fixtures/gateway.ts'

async function ask(url: string, headers: Record<string, string> = {}) {
  const reply = await request(url, { headers })
  return {
    status: reply.statusCode,
    headers: reply.headers as Record<string, string>,
    text: await reply.body.text(),
  }
}

t.test("the operator's page is at the root of the admin listener, and nowhere else", async (t) => {
  const { url, adminUrl } = await listen(t, { ADMIN_PORT: '0' })
  const page = await ask(`${adminUrl}/`)
  t.equal(page.status, 200)
  t.match(page.text, '<title>Operator · swapgate</title>')
  t.match(page.headers, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' })
  const policy = page.headers['content-security-policy']!.split('; ')
  for (const part of ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'"])
    t.ok(policy.includes(part), part)
  const assets = [...page.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)
  t.ok(assets.length >= 1)
  for (const path of assets) t.equal((await ask(adminUrl + path)).status, 200, path)

  const again = await ask(`${adminUrl}/`, { 'if-none-match': page.headers.etag! })
  t.equal(again.status, 304)
  t.equal(again.text, '')
  t.equal(again.headers['content-security-policy'], page.headers['content-security-policy'])

  for (const path of ['/operator', '/assets/none.js', '/api/health', '//instance'])
    t.equal((await ask(adminUrl + path)).status, 404, path)
  for (const path of ['/operator', '/instance', '/metrics'])
    t.equal((await ask(url + path)).status, 404, `${path} of the public listener`)
  t.notMatch((await ask(url)).text, 'Operator')
})

t.test('without the console there is no page, but the submissions are still served', async (t) => {
  const { adminUrl } = await listen(t, { ADMIN_PORT: '0', CONSOLE: 'off' })
  t.equal((await ask(`${adminUrl}/`)).status, 404)
  const { status, text } = await ask(`${adminUrl}/instance`)
  t.equal(status, 200)
  t.match(JSON.parse(text), {
    ...{
      mode: 'sandbox',
      isDraining: false,
      redis: null,
      rebroadcasts: { count: 0 },
      receipts: { length: 0 },
    },
    ...{ lastMinute: { failed: 0 }, errors: { length: 0 }, loopDelay: { p99Ms: Number, maxMs: Number } },
  })
})

t.test('a page of another origin gets nothing, and costs nothing', async (t) => {
  const { adminUrl } = await listen(t, { ADMIN_PORT: '0' })
  const own = new URL(adminUrl!).origin
  const cases: [headers: Record<string, string>, status: number][] = [
    [{ origin: 'https://elsewhere.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'empty' }, 403],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' }, 403],
    [{ 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'image' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    // Who follows a link, types the address, or is the page itself.
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' }, 200],
    [{ 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }, 200],
    [{ 'sec-fetch-site': 'same-origin', origin: own }, 200],
    [{ origin: own }, 200],
  ]
  for (const [sent, status] of cases) {
    for (const path of ['/', '/instance', '/metrics']) {
      const reply = await ask(adminUrl + path, sent)
      t.equal(reply.status, status, `${path} ${JSON.stringify(sent)}`)
      t.equal(reply.headers['access-control-allow-origin'], undefined)
      if (status === 403) t.ok(reply.text.length < 100)
    }
  }
  const submissions = await ask(`${adminUrl}/instance`)
  t.match(submissions.headers, {
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
})

t.test(
  'a name that is made to point at the listener gets neither the page nor the submissions',
  async (t) => {
    const { adminUrl } = await listen(t, { ADMIN_PORT: '0' })
    const statusUnder = async (host: string, path: string) => (await ask(adminUrl + path, { host })).status
    for (const path of ['/', '/instance', '/assets/some.js']) {
      for (const host of [
        'elsewhere.example',
        'elsewhere.example:9090',
        '127.0.0.1.elsewhere.example',
        '127.1',
      ])
        t.equal(await statusUnder(host, path), 421, `${host} ${path}`)
    }
    for (const host of ['localhost:9090', 'LOCALHOST', '127.0.0.1', '10.1.2.3:9090', '[::1]:9090'])
      t.equal(await statusUnder(host, '/instance'), 200, host)
    for (const path of ['/metrics', '/live', '/ready'])
      t.equal(await statusUnder('swapgate.cluster.example:9090', path), 200, path)
  },
)

t.test('metrics are made once a second, however many ask', async (t) => {
  const clock = movedClock()
  const { url, adminUrl } = await listen(t, { ADMIN_PORT: '0' }, { clock, metricsEveryMs: 1_000 })
  const requests = async (): Promise<string> => {
    const { text } = await ask(`${adminUrl}/metrics`)
    return (
      /^swapgate_requests_total\{[^}]*route="\/api\/chains"[^}]*\} \d+$/m.exec(text)?.[0].split(' ')[1] ??
      'none'
    )
  }
  const before = await requests()
  await ask(`${url}/api/chains`)
  t.equal(await requests(), before)
  clock.move(999)
  t.equal(await requests(), before)
  clock.move(1)
  t.not(await requests(), before)
})

const OPERATIONS = [
  '/api/diagnostics',
  '/api/bake-off',
  '/api/bake-off/export',
  '/api/funnel',
  '/api/funnel/summary?days=7',
]

t.test('OPERATIONS=admin answers the statistics on the admin listener alone', async (t) => {
  const { url, adminUrl, log } = await listen(t, { ADMIN_PORT: '0', OPERATIONS: 'admin', CORS_ORIGINS: '*' })
  for (const path of OPERATIONS) {
    t.equal((await ask(url + path)).status, 404, path)
    const { status, headers, text } = await ask(adminUrl + path)
    t.equal(status, 200, path)
    const isLines = path.endsWith('/export')
    t.equal(headers['content-type'], isLines ? 'application/x-ndjson' : 'application/json; charset=utf-8')
    t.equal(headers['access-control-allow-origin'], undefined)
    if (!isLines) t.ok(JSON.parse(text))
    t.equal((await ask(adminUrl + path, { origin: 'https://elsewhere.example' })).status, 403)
  }
  t.match(await ask(`${adminUrl}/api/funnel/summary?days=x`), { status: 400 })
  t.equal((await ask(`${adminUrl}/api/chains`)).status, 404, 'nothing else moves')
  t.equal((await ask(`${adminUrl}/live`)).status, 200)
  const { paths } = JSON.parse((await ask(`${url}/openapi.json`)).text)
  t.ok('/api/chains' in paths && !('/api/diagnostics' in paths))
  t.notMatch((await ask(`${url}/llms.txt`)).text, '/api/diagnostics')
  t.ok(log.some(({ route }) => route === '/api/diagnostics'))

  const events = await request(`${adminUrl}/api/bake-off/event`)
  t.match(events.headers, { 'content-type': /^text\/event-stream/ })
  events.body.destroy()
})

t.test('by default they are public, and not on the admin listener', async (t) => {
  const { url, adminUrl } = await listen(t, { ADMIN_PORT: '0' })
  for (const path of OPERATIONS) {
    t.equal((await ask(url + path)).status, 200, path)
    t.equal((await ask(adminUrl + path)).status, 404, path)
  }
})

t.test('the clients that spent most of each budget are named as in the log', async (t) => {
  for (const [names, named] of [
    ['hashed', /^[0-9a-f]{12}$/],
    ['on', /^192\.0\.2\.\d$/],
    ['off', null],
  ] as const) {
    const environment = { ADMIN_PORT: '0', TRUSTED_PROXIES: 'loopback', LOG_CLIENTS: names }
    const { url, adminUrl } = await listen(t, environment)
    // Seven clients: the nth asks n times.
    for (const client of [3, 1, 7, 2, 5, 4, 6]) {
      for (let nth = 0; nth < client; nth++) {
        const params = nth % 2 === 0 ? [] : [{ commitment: 'confirmed' }]
        await request(`${url}/api/solrpc`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${client}` },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getSlot', params }),
        }).then(({ body }) => body.dump())
      }
    }
    const { budgets } = JSON.parse((await ask(`${adminUrl}/instance`)).text) as Pick<Instance, 'budgets'>
    const used = budgets.filter(({ spent }) => spent > 0)
    t.match(used, [{ name: 'rpcRead', spent: 28, limit: 1_200 }])
    t.equal(used.length, 1)
    const [{ clients }] = used as [BudgetInUse]
    t.same(
      clients.map(({ spent }) => spent),
      [7, 6, 5, 4, 3],
    )
    for (const { client } of clients) t.match(client, named, names)
    t.equal(new Set(clients.map(({ client }) => client)).size, named === null ? 1 : 5)
  }
})

t.test('an idle connection is kept for as long on the admin listener as on the public one', async (t) => {
  const serverLimits = { keepAliveTimeoutMs: 65_000 }
  const { url, adminUrl } = await listen(t, { ADMIN_PORT: '0' }, { serverLimits })
  for (const path of [`${url}/api/health`, `${adminUrl}/live`]) {
    t.equal((await fetch(path)).headers.get('keep-alive'), 'timeout=65', path)
  }
})

t.test('by itself the admin listener keeps one past the scrapes of a minute', (t) => {
  t.equal(createAdminServer(() => false).keepAliveTimeout, 65_000)
  t.end()
})
