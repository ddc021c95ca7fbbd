import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Validator as OpenApiValidator } from '@seriousme/openapi-schema-validator'
import t, { type Test } from 'tap'
import type { Static } from 'typebox'
import { Client } from 'undici'
import { watchStandingDelay } from '../src/flow/event-loop.ts'
import { CODES } from '../src/runtime/errors.ts'
import { Chains } from '../src/runtime/resources/chain.ts'
import { ErrorBody } from '../src/runtime/resources/error.ts'
import { Health } from '../src/runtime/resources/health.ts'
import { Settings } from '../src/runtime/resources/settings.ts'
import { Check } from './fixtures/check.ts'
import { clockOf, until } from './fixtures/clock.ts'
import { COMMUNITY } from './fixtures/community.ts'
import { call, GRACE, listen, post } from './fixtures/gateway.ts'

const SLOT = '{"jsonrpc":"2.0","method":"getSlot","params":[]}'

/** A live gateway whose node nobody asks. */
const live = (t: Test, environment: Record<string, string> = {}, options = {}) =>
  listen(t, { MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1', ...environment }, options)

const getJson = async (url: string): Promise<Record<string, unknown>> =>
  (await (await fetch(url)).json()) as Record<string, unknown>

t.test('lists the chains', async (t) => {
  const { url } = await live(t)
  const body = (await getJson(`${url}/api/chains`)) as unknown as Static<typeof Chains>
  t.ok(Check(Chains, body))
  t.equal(body.chains.length, 20)
  t.equal(new Set(body.chains.map(({ key }) => key)).size, 20)
  const byKey = new Map(body.chains.map((chain) => [chain.key, chain]))
  t.match(byKey.get('base'), {
    evm: true,
    sui: false,
    ton: false,
    chainId: 8453,
    chainIdHex: '0x2105',
    name: 'Base',
    native: 'ETH',
    decimals: 18,
    explorer: 'https://basescan.org',
    aggregator: 'kyberswap',
    xprovChainId: 8453,
  })
  t.match(byKey.get('solana'), {
    evm: false,
    chainId: null,
    chainIdHex: null,
    decimals: 9,
    xprovChainId: 1151111081099710,
  })
  t.match(byKey.get('sui'), { sui: true, decimals: 9 })
  t.match(byKey.get('ton'), { ton: true, decimals: 9, xprovChainId: null })
  for (const { key, rpc = [], chainId, chainIdHex } of body.chains) {
    t.ok(rpc.length > 0 && rpc.every((candidate) => candidate.startsWith('https://')), key)
    if (chainIdHex) t.equal(Number(chainIdHex), chainId)
  }
  const text = await (await fetch(`${url}/api/chains`)).text()
  t.match(text, '"xprovChainId":9270000000000000}', 'above 2^53 - 1, exact in the text')
})

t.test('reports its mode, version and state', async (t) => {
  const { url } = await live(t)
  const body = await getJson(`${url}/api/health`)
  t.ok(Check(Health, body))
  t.match(body, {
    status: 'degraded',
    mode: 'live',
    version: '0.1.0-beta.1',
    uptime: Number,
    providers: [{ name: 'solana-1' }],
  })
  t.notOk('sandbox' in body)
  t.notMatch(JSON.stringify(body), '127.0.0.1', 'never an upstream URL')

  const settings = await getJson(`${url}/api/config`)
  t.ok(Check(Settings, settings))
  t.match(settings, {
    mode: 'live',
    limits: { rpcSend: { client: 6, global: 120, windowSeconds: 60 } },
    streams: { client: 4, global: Number },
    relay: { maxRetries: 5, maxBatch: 10 },
  })
  const lifted = await live(t, { LIMITS: 'rpcSend=off' })
  t.match(await getJson(`${lifted.url}/api/config`), { limits: { rpcSend: { client: null, global: null } } })
})

t.test('describes itself in valid OpenAPI 3.1', async (t) => {
  const { url } = await live(t)
  const document = await getJson(`${url}/openapi.json`)
  t.match(document, { openapi: '3.1.0', info: { version: '0.1.0-beta' } })
  const validation = await new OpenApiValidator().validate(structuredClone(document))
  t.same(validation.errors ?? [], [])
  t.ok(validation.valid)
  const paths = document.paths as Record<string, Record<string, { responses: object; requestBody?: object }>>
  const kept = [
    '/api/tokens',
    '/api/token/{chain}/{address}',
    '/api/logo/{chain}/{address}',
    '/api/prices/stream',
    '/api/chains',
    '/api/portfolio',
    '/api/balances',
    '/api/quote',
    '/api/quote/stream',
    '/api/v2quote',
    '/api/swap-options',
    '/api/desktop/swap-options',
    '/api/basket/top',
    '/api/basket/plan',
    '/api/build',
    '/api/xquote',
    '/api/xstatus',
    '/api/solrpc',
    '/api/fast-trade-proof',
    '/api/rebroadcast',
    '/api/priority-fees',
    '/api/native-price',
    '/api/native-history',
    '/api/transaction-status',
    '/api/receipt',
    '/api/allowance',
    '/api/explain',
    '/api/discover/feed',
    '/api/discover/lookup',
    '/api/discover/tokens',
    '/api/discover/{operation}',
    '/api/health',
    '/api/config',
    '/api/diagnostics',
    '/api/bake-off',
    '/api/bake-off/event',
    '/api/funnel',
    '/api/funnel/summary',
    ...Object.keys(COMMUNITY),
    '/openapi.json',
  ]
  t.same(
    Object.keys(paths).filter((path) => kept.includes(path)),
    kept,
    'none is lost, and their order is that of the document',
  )
  const solrpc = paths['/api/solrpc']!.post!
  t.same(Object.keys(solrpc.responses), ['200', '400', '413', '415', '429', '502', '503', 'default'])
  t.match(solrpc.requestBody, {
    content: { 'application/json': { schema: { $ref: '#/components/schemas/SolanaRpcRequest' } } },
  })
  const schemas = (
    document.components as { schemas: Record<string, { properties: Record<string, { enum?: string[] }> }> }
  ).schemas
  t.equal(schemas.SolanaRpcRequest!.properties.method!.enum!.length, 14)
  t.match(schemas.Chains, { properties: { chains: { items: { $ref: '#/components/schemas/Chain' } } } })
})

t.test('every error code is a word that a program can match, with a status and a meaning', async (t) => {
  for (const [code, { status, meaning }] of Object.entries(CODES)) {
    t.match(code, /^[a-z][a-z0-9_]+$/)
    t.ok(status >= 400 && status <= 503 && meaning !== '', code)
  }
})

t.test('logs one line for each request, and nothing that a client sent', async (t) => {
  const { url, log } = await live(t)
  t.match(log[0], { level: 30, msg: 'listening', mode: 'live', version: '0.1.0-beta.1', url })
  log.length = 0
  await fetch(`${url}/api/chains?secret=1`, { headers: { 'x-request-id': 'mine' } })
  await fetch(`${url}/secret/path`)
  await call(url, 'getSecret', ['secret'])
  const lines = log.filter(({ msg }) => msg === 'request')
  t.match(lines, [
    {
      level: 30,
      id: 'mine',
      method: 'GET',
      route: '/api/chains',
      status: 200,
      ms: Number,
      bytes: Number,
      msg: 'request',
    },
    { method: 'GET', route: 'none', status: 404 },
    { method: 'POST', route: '/api/solrpc', status: 400 },
  ])
  t.equal(lines.length, 3)
  t.notMatch(JSON.stringify(log), /secret/i)
})

t.test('a request line has the answer, the client, and whose fault it was', async (t) => {
  const node = createServer((_request, response) => response.writeHead(503).end('{}'))
  await new Promise<void>((resolve) => void node.listen(0, '127.0.0.1', resolve))
  t.teardown(() => node.close())
  const SOLANA_RPC_URLS = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
  const { url, log } = await live(t, { SOLANA_RPC_URLS, LIMITS: 'rpcRead=1/2' })
  log.length = 0
  await fetch(`${url}/api/chains`)
  await fetch(`${url}/secret`)
  await call(url, 'getSecret', ['secret'])
  await call(url, 'getSlot', [{ commitment: 'secret' }])
  await call(url, 'getSlot', [])
  await call(url, 'getSlot', [])
  const lines = log.filter(({ msg }) => msg === 'request')
  const client = lines[0]!.client as string
  t.match(client, /^[0-9a-f]{12}$/)
  const names = ['client', 'rpc', 'code', 'budget', 'provider', 'upstreamStatus'] as const
  t.same(
    lines.map((line) =>
      Object.fromEntries(names.flatMap((name) => (name in line ? [[name, line[name]]] : []))),
    ),
    [
      { client },
      { client, code: 'not_found' },
      { client, code: 'method_not_allowed' },
      { client, rpc: 'getSlot', code: 'invalid_parameter' },
      { client, rpc: 'getSlot', code: 'upstream_failed', provider: 'solana-1', upstreamStatus: 503 },
      { client, rpc: 'getSlot', code: 'budget_exhausted', budget: 'rpcRead-client' },
    ],
  )
  t.notMatch(JSON.stringify(log), /secret/i)
})

t.test('a client is named by a hash, by its address, or not at all', async (t) => {
  const namesOf = async (environment: Record<string, string>) => {
    const { url, log } = await live(t, { TRUSTED_PROXIES: 'loopback', ...environment })
    for (const address of ['192.0.2.1', '2001:db8:0:1::5', '192.0.2.1', '2001:db8:0:1::6']) {
      await fetch(`${url}/api/chains`, { headers: { 'x-forwarded-for': address } })
    }
    return log.filter(({ msg }) => msg === 'request').map(({ client }) => client)
  }
  const [four, six, ...again] = await namesOf({})
  t.match([four, six], [/^[0-9a-f]{12}$/, /^[0-9a-f]{12}$/])
  t.not(four, six)
  t.same(again, [four, six], 'the same client has the same name')
  t.not((await namesOf({}))[0], four, 'and another one in another process')
  t.same(await namesOf({ LOG_CLIENTS: 'on' }), [
    '192.0.2.1',
    '2001:db8:0:1::/64',
    '192.0.2.1',
    '2001:db8:0:1::/64',
  ])
  t.same(await namesOf({ LOG_CLIENTS: 'off' }), [undefined, undefined, undefined, undefined])
})

t.test('budgets are spent per client and hinted on every budgeted reply', async (t) => {
  let now = 1_000
  const { url } = await live(
    t,
    { LIMITS: 'rpcRead=2/3', TRUSTED_PROXIES: 'loopback' },
    { clock: clockOf({ now: () => now }) },
  )
  const read = (client: string) =>
    post(url, SLOT, { 'x-forwarded-for': client, origin: 'https://app.example' })
  const expected: [client: string, status: number, rateLimit: string, budget: string | null][] = [
    ['192.0.2.1', 502, '"rpcRead-client";r=1;t=59, "rpcRead-global";r=2;t=59', null],
    ['192.0.2.1', 502, '"rpcRead-client";r=0;t=59, "rpcRead-global";r=1;t=59', null],
    ['192.0.2.1', 429, '"rpcRead-client";r=0;t=59, "rpcRead-global";r=1;t=59', 'rpcRead-client'],
    ['198.51.100.7', 502, '"rpcRead-client";r=1;t=59, "rpcRead-global";r=0;t=59', null],
    ['203.0.113.9', 429, '"rpcRead-client";r=2;t=59, "rpcRead-global";r=0;t=59', 'rpcRead-global'],
  ]
  for (const [client, status, rateLimit, budget] of expected) {
    const response = await read(client)
    t.equal(response.status, status)
    t.equal(response.headers.get('ratelimit'), rateLimit)
    t.equal(response.headers.get('ratelimit-policy'), '"rpcRead-client";q=2;w=60, "rpcRead-global";q=3;w=60')
    t.match(
      response.headers.get('access-control-expose-headers'),
      'RateLimit, RateLimit-Policy',
      'a page may read them',
    )
    const body = await response.json()
    t.ok(Check(ErrorBody, body))
    if (budget === null) continue
    t.equal(response.headers.get('retry-after'), '59')
    t.match(body, { scope: 'limit', code: 'budget_exhausted', budget, retryAfterMs: 59_000 })
  }
  now += 59_000
  t.equal((await read('192.0.2.1')).status, 502, 'the hint named a time at which it is admitted')
  t.notOk((await fetch(`${url}/api/chains`)).headers.has('ratelimit'), 'no budget, no hint')
})

t.test('a request that fails validation spends nothing, and a lifted budget sends no headers', async (t) => {
  const { url } = await live(t, { LIMITS: 'rpcRead=1/1,rpcSend=off' })
  for (let i = 0; i < 5; i++) t.equal((await call(url, 'getBalance', ['nonsense'])).status, 400)
  t.equal((await call(url, 'getSlot', [])).status, 502)
  const refused = await call(url, 'getSlot', [])
  t.equal(refused.status, 429)
  const sent = await call(url, 'sendTransaction', ['nonsense'])
  t.equal(sent.status, 400)
  t.notOk(sent.headers.has('ratelimit'))
})

t.test('a forwarded address from a peer that is not trusted is ignored, and warned of once', async (t) => {
  const { url, log } = await live(t, { LIMITS: 'rpcRead=1/9', TRUSTED_PROXIES: 'none' })
  const statuses: number[] = []
  for (const client of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
    const response = await post(url, SLOT, { 'x-forwarded-for': client })
    statuses.push(response.status)
  }
  t.same(statuses, [502, 429, 429], 'one client, whatever it claims')
  t.equal(log.filter(({ msg }) => String(msg).includes('TRUSTED_PROXIES')).length, 1)
})

t.test('serves metrics on the admin listener only, with labels that no caller chooses', async (t) => {
  const { url, adminUrl } = await live(t, { ADMIN_PORT: '0', LIMITS: 'rpcRead=1/9' })
  await fetch(`${url}/api/chains`)
  await fetch(`${url}/secret`)
  await call(url, 'getSlot', [])
  await call(url, 'getSlot', [])
  const response = await fetch(`${adminUrl}/metrics`)
  t.match(response.headers.get('content-type'), 'text/plain')
  const text = await response.text()
  for (const line of [
    'swapgate_requests_total{method="GET",route="/api/chains",status="200"} 1',
    'swapgate_requests_total{method="GET",route="none",status="404"} 1',
    'swapgate_requests_total{method="POST",route="/api/solrpc",status="429"} 1',
    'swapgate_budget_refusals_total{budget="rpcRead",window="client"} 1',
    'swapgate_request_duration_seconds_count{route="/api/chains"} 1',
    'swapgate_upstream_cooling{upstream="solana-1"}',
    'process_resident_memory_bytes',
  ]) {
    t.ok(text.includes(line), line)
  }
  t.notMatch(text, 'secret')
  t.notMatch(text, '127.0.0.1')
  t.equal((await fetch(`${adminUrl}/api/chains`)).status, 404)
  t.equal((await fetch(`${url}/metrics`)).status, 404)
  t.equal((await live(t)).adminUrl, null)
})

t.test('turns unready when it stops, and finishes what it has begun', async (t) => {
  let answer: (() => void) | null = null
  const node = createServer((request, response) => {
    request.on('data', (body: Buffer) => {
      const isWarmUp = body.includes('"id":1,')
      if (isWarmUp) response.end('{"jsonrpc":"2.0","id":1,"result":7}')
      else answer = () => response.end('{"jsonrpc":"2.0","id":2,"result":7}')
    })
  })
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  t.teardown(() => node.close())
  const { port } = node.address() as AddressInfo
  const { url, stop } = await live(t, {
    SOLANA_RPC_URLS: `http://127.0.0.1:${port}`,
    SHUTDOWN_GRACE_MS: '5000',
  })
  await (await fetch(`${url}/api/chains`)).text()

  const pending = call(url, 'getSlot', [])
  while (answer === null) await new Promise((resolve) => setImmediate(resolve))
  const stopped = stop()
  const health = await fetch(`${url}/api/health`)
  t.equal(health.status, 503)
  t.match(await health.json(), { status: 'draining' })
  ;(answer as () => void)()
  const response = await pending
  t.equal(response.status, 200)
  t.match(await response.json(), { result: 7 })
  t.equal(await stopped, true)
  await t.rejects(fetch(`${url}/api/health`), 'nobody listens any more')
})

t.test('serves new connections for as long as a load balancer needs to look elsewhere', async (t) => {
  const { url, stop } = await live(t, { ...GRACE, DRAIN_DELAY_MS: '700' })
  const stopped = stop()
  const [response, health] = await Promise.all([
    fetch(`${url}/api/chains`, { headers: { connection: 'close' } }),
    fetch(`${url}/api/health`, { headers: { connection: 'close' } }),
  ])
  t.equal(response.status, 200)
  t.equal(response.headers.get('connection'), 'close')
  t.equal(health.status, 503)
  t.equal(await stopped, true)
  await t.rejects(fetch(`${url}/api/health`))
})

t.test('caps connections by address, unless they come from a trusted proxy', async (t) => {
  for (const [trusted, kept] of [
    ['none', 2],
    ['loopback', 4],
  ] as const) {
    const variables = { TRUSTED_PROXIES: trusted, MAX_CONNECTIONS_PER_CLIENT: '2' }
    const gateway = await live(t, variables, { serverLimits: { checkIntervalMs: 10 } })
    const agents = Array.from({ length: 4 }, () => new Client(gateway.url))
    t.teardown(() => Promise.all(agents.map((agent) => agent.destroy())))
    let lost = 0
    for (const agent of agents) {
      agent.on('disconnect', () => lost++)
      const { statusCode, body } = await agent.request({ method: 'GET', path: '/api/chains' })
      await body.dump()
      t.equal(statusCode, 200, 'the longest idle one makes room')
    }
    while (lost < 4 - kept) await new Promise((resolve) => setImmediate(resolve))
    t.equal(lost, 4 - kept, trusted)
    const isLogged = (): boolean => gateway.log.some(({ msg }) => msg === 'connections were closed')
    while (kept < 4 && !isLogged()) await new Promise((resolve) => setImmediate(resolve))
    t.equal(isLogged(), kept < 4)
  }
})

t.test('names more trusted hops than are walked', async (t) => {
  const { url } = await live(t)
  const ask = (hops: number): Promise<Response> =>
    fetch(`${url}/api/chains`, { headers: { 'x-forwarded-for': `203.0.113.7${', 127.0.0.1'.repeat(hops)}` } })
  t.equal((await ask(63)).status, 200)
  const refused = await ask(64)
  t.equal(refused.status, 400)
  t.match(await refused.json(), { code: 'malformed_request', error: /at most 64 trusted hops/ })
})

t.test(
  'a parameter that was meant for another is a 400 that names it, where it would go unheard',
  async (t) => {
    const { url } = await live(t)
    const quote = '/api/quote?chain=base&side=buy&token=0x&amount=1'
    const crossChain = '/api/xquote?fromChain=base&toChain=1&amount=1&from=0x'
    for (const [target, field] of [
      [`${quote}&slippage=0.5`, 'slippageBps'],
      [`${quote}&slippagebps=50`, 'slippageBps'],
      [`${crossChain}&slippageBps=50`, 'slippage'],
      ['/api/tokens?Scope=base', 'scope'],
    ] as const) {
      const response = await fetch(url + target)
      t.equal(response.status, 400, target)
      t.match(await response.json(), { code: 'invalid_parameter', field }, target)
    }
    t.equal((await fetch(`${url}/api/chains?_=1&t=2&chian=base&cb=3`)).status, 200)
  },
)

t.test('a port that is taken is said so', async (t) => {
  const { url } = await live(t)
  await t.rejects(live(t, { PORT: new URL(url).port }), { code: 'EADDRINUSE' })
})

t.test('an idle gateway has no timer of less than a second', async (t) => {
  const open = new Map<unknown, number>()
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const original = globalThis[name]
    t.capture(globalThis, name, (run: () => void, ms = 0) => {
      const timer = original(run, ms)
      open.set(timer, ms)
      return timer
    })
  }
  for (const name of ['clearTimeout', 'clearInterval'] as const) {
    const original = globalThis[name]
    t.capture(globalThis, name, (timer: NodeJS.Timeout) => {
      open.delete(timer)
      original(timer)
    })
  }
  const short = () =>
    [...open].filter(([timer, ms]) => ms < 1_000 && (timer as { _destroyed?: boolean })._destroyed !== true)
  const { url, adminUrl } = await live(t, { ADMIN_PORT: '0' }, { watchDelay: watchStandingDelay })
  t.not(short().length, 0, 'the start is watched')
  await until(() => short().length === 0)
  for (const path of [`${url}/api/chains`, `${adminUrl}/metrics`, `${url}/api/diagnostics`]) {
    await (await fetch(path)).text()
  }
  t.not(short().length, 0, 'who asks wakes it')
  await until(() => short().length === 0)
})
