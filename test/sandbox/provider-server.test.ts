import { createConnection } from 'node:net'
import t, { type Test } from 'tap'
import { startControl } from '../../src/sandbox/control.ts'
import { Dials, FAULTS } from '../../src/sandbox/dials.ts'
import { startSandbox } from '../../src/sandbox/index.ts'
import type { Listening } from '../../src/sandbox/listen.ts'
import {
  type ProviderReply,
  type ProviderRequest,
  startProviderServer,
} from '../../src/sandbox/provider-server.ts'

interface Shop extends Listening {
  readonly dials: Dials
  /** What the provider was asked, in order. */
  readonly seen: ProviderRequest[]
  readonly clock: { now: number }
  /** How long each slow answer would have waited, ms; none really does. */
  readonly pauses: number[]
  ask(path?: string, init?: RequestInit): Promise<{ status: number; headers: Headers; text: string }>
}

/** A provider that answers what `reply` says, the time by default. */
async function open(
  t: Test,
  reply: (request: ProviderRequest) => ProviderReply | Promise<ProviderReply> = ({ now }) => ({
    status: 200,
    body: { now },
  }),
): Promise<Shop> {
  const dials = new Dials()
  const seen: ProviderRequest[] = []
  const clock = { now: 1_000 }
  const pauses: number[] = []
  const provider = {
    name: 'shop',
    rateLimited: () => ({ status: 429, body: { slow: 'down' }, headers: { 'retry-after': '7' } }),
    handle(request: ProviderRequest) {
      seen.push(request)
      return reply(request)
    },
  }
  const server = await startProviderServer(provider, dials, () => clock.now, {
    pause: async (ms) => void pauses.push(ms),
  })
  t.teardown(() => server.close())
  const ask = async (path = '/', init: RequestInit = {}) => {
    const response = await fetch(server.url + path, init)
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return { ...server, dials, seen, clock, pauses, ask }
}

t.test('a provider sees the request, and its answer is written as JSON', async (t) => {
  const shop = await open(t)
  const init = { method: 'POST', body: '{"a": [1]}', headers: { 'X-Key': 'k' } }
  const answer = await shop.ask('/v1/quote?from=a%20b&from=c', init)
  t.match(answer, { status: 200, text: '{"now":1000}' })
  t.equal(answer.headers.get('content-type'), 'application/json')
  t.equal(answer.headers.get('content-length'), '12')
  const [request] = shop.seen
  t.match(request, { method: 'POST', path: '/v1/quote', text: '{"a": [1]}', body: { a: [1] }, now: 1_000 })
  t.same(request!.query.getAll('from'), ['a b', 'c'])
  t.equal(request!.headers['x-key'], 'k')

  await shop.ask('/', { method: 'POST', body: 'not JSON' })
  await shop.ask('/')
  t.match(shop.seen[1], { text: 'not JSON', body: undefined })
  t.match(shop.seen[2], { method: 'GET', text: '', body: undefined })
  t.equal(shop.seen[2]!.body, undefined)
})

t.test('JSON text goes out as it stands, and a bigint is refused loudly', async (t) => {
  let body: unknown = '{"amount": 9007199254740993, "ä": 1.10}'
  const shop = await open(t, async () => ({ status: 418, body, headers: { 'x-ratelimit-remaining': '3' } }))
  const answer = await shop.ask()
  t.match(answer, { status: 418, text: body })
  t.equal(answer.headers.get('x-ratelimit-remaining'), '3')
  for (const bad of [{ amount: 1n }, undefined]) {
    body = bad
    t.match(await shop.ask(), { status: 500, text: /The sandbox failed: / })
  }
  body = null
  t.match(await shop.ask(), { status: 418, text: 'null' })
})

t.test('HEAD is GET without the body, and a connection serves many requests', async (t) => {
  const shop = await open(t)
  t.match(await shop.ask('/x', { method: 'HEAD' }), { status: 200, text: '' })
  t.match(shop.seen[0], { method: 'GET', path: '/x' })

  const socket = createConnection(Number(new URL(shop.url).port), '127.0.0.1')
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
  socket.write(request.repeat(2) + request.replace('Host', 'Connection: close\r\nHost'))
  await new Promise((resolve) => socket.on('close', resolve))
  t.equal(received.match(/HTTP\/1\.1 200 OK/g)?.length, 3)
})

t.test('a body that is too long and a URL that is none are refused', async (t) => {
  const shop = await open(t)
  const body = 'x'.repeat(262_144)
  t.match(await shop.ask('/', { method: 'POST', body }), { status: 200 })
  t.match(await shop.ask('/', { method: 'POST', body: `${body}x` }), { status: 413 })
  const socket = createConnection(Number(new URL(shop.url).port), '127.0.0.1')
  socket.write('GET http://[ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  const [chunk] = await new Promise<[Buffer]>((resolve) => socket.once('data', (data) => resolve([data])))
  t.match(String(chunk), /^HTTP\/1\.1 400 /)
  t.equal(shop.seen.length, 1)
})

t.test('every fault shows itself, and ends when the dial is turned back', async (t) => {
  const shop = await open(t)
  const works = async () => t.match(await shop.ask(), { status: 200, text: `{"now":${shop.clock.now}}` })
  await works()

  shop.dials.set('shop', '429')
  const limited = await shop.ask()
  t.match(limited, { status: 429, text: '{"slow":"down"}' })
  t.equal(limited.headers.get('retry-after'), '7')
  shop.dials.set('shop', '500')
  t.match(await shop.ask(), { status: 500 })
  shop.dials.set('shop', 'garbage')
  const garbage = await shop.ask()
  t.equal(garbage.status, 200)
  t.throws(() => JSON.parse(garbage.text))
  t.equal(shop.seen.length, 1, 'none of these reaches the provider')
  shop.dials.set('shop', null)
  await works()

  shop.clock.now = 2_000
  shop.dials.set('shop', 'stale')
  for (const now of [2_000, 90_000]) {
    shop.clock.now = now
    t.equal((await shop.ask()).text, '{"now":1000}', 'the time of the last answer before')
  }
  shop.dials.set('shop', null)
  await works()

  shop.dials.set('shop', 'latency', { ms: 60 })
  await works()
  t.same(shop.pauses, [60])
  shop.dials.set('shop', 'latency')
  t.same(shop.dials.get('shop'), { fault: 'latency', ms: 1_000 })

  shop.dials.set('shop', 'hang')
  const before = shop.seen.length
  await t.rejects(shop.ask('/', { signal: AbortSignal.timeout(60) }), { name: 'TimeoutError' })
  t.equal(shop.seen.length, before)
  shop.dials.clear()
  await works()
})

t.test(
  'a server refuses unknown clients, resets connections, and is slow as often as configured',
  async (t) => {
    const shop = await open(t)
    for (const fault of ['401', '403', '404']) {
      shop.dials.set('shop', fault)
      t.match(await shop.ask(), { status: Number(fault), text: /^\{"error":"[A-Z]/ })
    }
    shop.dials.set('shop', 'reset')
    await t.rejects(shop.ask(), { cause: { code: 'ECONNRESET' } })
    t.equal(shop.seen.length, 0, 'none of these reaches the provider')

    shop.dials.set('shop', 'latency', { ms: 40, percent: 25 })
    t.same(shop.dials.get('shop'), { fault: 'latency', ms: 40, percent: 25 })
    const waited: number[] = []
    for (let i = 0; i < 8; i++) {
      await shop.ask()
      waited.push(shop.pauses.length)
    }
    t.same(waited, [0, 0, 0, 1, 1, 1, 1, 2])
    t.same(shop.pauses, [40, 40])
  },
)

t.test('closing cuts what hangs', async (t) => {
  const shop = await open(t)
  shop.dials.set('shop', 'hang')
  const hanging = t.rejects(shop.ask())
  await new Promise((resolve) => setTimeout(resolve, 20))
  await shop.close()
  await hanging
})

t.test('the control endpoint shows and turns the dials, and says what it accepts', async (t) => {
  const dials = new Dials()
  for (const name of ['shop', 'other']) dials.add(name, FAULTS)
  const control = await startControl(dials)
  t.teardown(() => control.close())
  const ask = async (method: string, path: string, body?: unknown) => {
    const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await fetch(control.url + path, init)
    return { status: response.status, body: await response.json(), allow: response.headers.get('allow') }
  }
  const none = { fault: null }
  t.match(await ask('GET', '/faults'), { status: 200, body: { shop: none, other: none } })
  for (const { fault } of FAULTS) {
    const dial = fault === 'latency' ? { fault, ms: 1_000 } : { fault }
    t.same(await ask('PUT', '/faults/shop', { fault }), { status: 200, body: dial, allow: null })
    t.match(dials.get('shop'), { fault })
  }
  t.match(await ask('PUT', '/faults/shop', { fault: 'latency', ms: 800 }), {
    body: { fault: 'latency', ms: 800 },
  })
  t.match(await ask('GET', '/faults'), { body: { shop: { fault: 'latency', ms: 800 }, other: none } })
  t.match(await ask('PUT', '/faults/shop', none), { status: 200, body: none })
  t.equal(dials.get('shop'), null)
  dials.set('other', 'hang')
  t.match(await ask('DELETE', '/faults'), { status: 200, body: { shop: none, other: none } })
  t.equal(dials.get('other'), null)

  const refusals: [method: string, path: string, body: unknown, status: number, error: RegExp][] = [
    ['PUT', '/faults/nobody', none, 400, /one of shop, other/],
    ['PUT', '/faults/shop', {}, 400, /null or one of latency, 429, 500, hang, garbage, stale/],
    ['PUT', '/faults/shop', { fault: 'fire' }, 400, /null or one of/],
    ['PUT', '/faults/shop', { fault: 429 }, 400, /null or one of/],
    ['PUT', '/faults/shop', null, 400, /null or one of/],
    ['PUT', '/faults/shop', [], 400, /null or one of/],
    ['PUT', '/faults/shop', undefined, 400, /null or one of/],
    ['PUT', '/faults/shop', { fault: 'latency', ms: -1 }, 400, /integer from 0 to 600000/],
    ['PUT', '/faults/shop', { fault: 'latency', ms: 1.5 }, 400, /integer from 0 to 600000/],
    ['PUT', '/faults/shop', { fault: 'latency', ms: 600_001 }, 400, /integer from 0 to 600000/],
    ['PUT', '/faults/shop', { fault: 'latency', ms: '1' }, 400, /integer from 0 to 600000/],
    ['PUT', '/faults/shop', { fault: 'hang', ms: 1 }, 400, /goes with a latency/],
    ['PUT', '/faults/shop', { fault: 'latency', percent: 0 }, 400, /integer from 1 to 100/],
    ['GET', '/', undefined, 404, /\/faults\/\{provider\}/],
    ['PUT', '/faults/shop/x', none, 404, /\/faults\/\{provider\}/],
    ['PUT', '/faults', none, 405, /GET, HEAD, DELETE/],
    ['GET', '/faults/shop', undefined, 405, /PUT/],
  ]
  for (const [method, path, body, status, error] of refusals) {
    const answer = await ask(method, path, body)
    t.match(answer, { status, body: { error } }, `${method} ${path} ${JSON.stringify(body)}`)
    t.equal(answer.allow !== null, status === 405)
  }
  t.equal(dials.get('shop'), null, 'none of these turned a dial')
})

t.test(
  'the sandbox serves all of its providers, fails as its control endpoint says, and closes',
  async (t) => {
    const sandbox = await startSandbox({ seed: 7, now: () => Date.UTC(2026, 10, 20, 12) })
    t.teardown(() => sandbox.close())
    const swaps = ['jupiter', 'dflow', 'kyberswap', 'velora', 'router', 'xprov', 'swapcoffee', 'stonfi']
    const markets = ['dexscreener', 'geckoterminal', 'goplus', 'rugcheck', 'defillama']
    const names = ['solana', ...swaps, ...markets, 'logos', 'evm', 'ton', 'sui']
    t.same(Object.keys(sandbox.urls), names)
    t.equal(sandbox.tonUrls.length, 2)
    t.equal(sandbox.suiUrl, `${sandbox.urls.sui}/graphql`)
    t.equal(sandbox.evmUrl('base'), `${sandbox.urls.evm}/base`)
    const dials = await (await fetch(`${sandbox.controlUrl}/faults`)).json()
    const world = ['solana-pace', 'solana-consensus', 'solana-demand', 'solana-prices', 'lifi-registry']
    t.same(Object.keys(dials as object).sort(), [...world, ...names].sort())
    for (const name of names) {
      const url = sandbox.urls[name]!
      t.not((await fetch(url)).status, 500, `${name} does not break on a path that it has not`)
      await fetch(`${sandbox.controlUrl}/faults/${name}`, { method: 'PUT', body: '{"fault":"429"}' })
      const { status } = await fetch(url)
      // GoPlus says it in the body of a 200.
      t.equal(status, name === 'goplus' ? 200 : 429, `${name} is limited`)
    }
    await sandbox.close()
    for (const url of [sandbox.solanaUrl, sandbox.controlUrl, ...Object.values(sandbox.urls)]) {
      await t.rejects(fetch(url))
    }
  },
)

t.test("a page of this machine may ask the sandbox's servers, and no other page", async (t) => {
  const sandbox = await startSandbox()
  t.teardown(() => sandbox.close())
  const asking = (origin: string): Record<string, string> => ({
    origin,
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'content-type',
  })
  sandbox.dials.set('evm', 'hang')
  for (const url of [`${sandbox.controlUrl}/faults/evm`, sandbox.evmUrl('base'), sandbox.solanaUrl]) {
    for (const origin of ['http://localhost:8080', 'http://127.0.0.1:1', 'http://[::1]:8080']) {
      const { status, headers } = await fetch(url, { method: 'OPTIONS', headers: asking(origin) })
      t.equal(status, 204, `${origin} to ${url}, whatever its dial says`)
      t.equal(headers.get('access-control-allow-origin'), origin)
      t.match(headers.get('access-control-allow-methods'), 'PUT')
    }
  }
  sandbox.dials.clear()
  for (const origin of [
    'https://evil.example',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'null',
  ]) {
    for (const method of ['OPTIONS', 'GET']) {
      const { headers } = await fetch(`${sandbox.controlUrl}/faults`, { method, headers: asking(origin) })
      t.equal(headers.get('access-control-allow-origin'), null, `${method} from ${origin}`)
    }
  }
})

t.test("the control endpoint lists each server's faults", async (t) => {
  const sandbox = await startSandbox()
  t.teardown(() => sandbox.close())
  const kinds = (await (await fetch(`${sandbox.controlUrl}/kinds`)).json()) as Record<
    string,
    { fault: string }[]
  >
  const names = (server: string): string[] => kinds[server]!.map(({ fault }) => fault)
  t.same(Object.keys(kinds), sandbox.dials.names())
  t.ok(names('kyberswap').includes('steal'))
  t.notOk(names('goplus').includes('steal'))
  for (const [fault, servers] of [
    ['cheap', ['jupiter', 'dflow', 'kyberswap', 'velora', 'router', 'xprov', 'swapcoffee']],
    ['shave', ['kyberswap', 'velora', 'router']],
    ['lies', ['dexscreener', 'geckoterminal', 'defillama']],
  ] as const) {
    t.same(
      Object.keys(kinds).filter((name) => names(name).includes(fault)),
      servers,
    )
  }
  t.ok(names('solana').includes('forget'))
  t.match(kinds.kyberswap![0], { fault: 'latency', amounts: { ms: { min: 0, max: 600_000, usual: 1_000 } } })
  const refused = await fetch(`${sandbox.controlUrl}/kinds`, { method: 'DELETE' })
  t.same([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD'])
})

t.test('a thief robs a repeated build in the same way', async (t) => {
  const dials = new Dials()
  const rob = (what: string) => ({ what, rob: () => ({ what }) })
  const provider = {
    name: 'shop',
    rateLimited: () => ({ status: 429, body: {} }),
    handle: () => ({ status: 200, body: { to: 'wallet' } }),
    thief: async () => () => [rob('first'), rob('second'), rob('third')],
  }
  const server = await startProviderServer(provider, dials, () => 1_000)
  t.teardown(() => server.close())
  dials.set('shop', 'steal')
  const robbed = async (path: string, body?: string) => {
    const response = await fetch(server.url + path, body === undefined ? {} : { method: 'POST', body })
    return ((await response.json()) as { what: string }).what
  }
  t.equal(await robbed('/build?amount=5&slippageBps=50'), 'first')
  t.equal(await robbed('/build?amount=5&slippageBps=41'), 'first', 'the same build')
  t.equal(await robbed('/build?amount=5&slippageBps=41'), 'second', 'the next build')
  t.equal(await robbed('/build?amount=6&slippageBps=40'), 'third', 'another amount')
  t.equal(await robbed('/build', '{"amount":"6","slippageTolerance":41}'), 'first')
  t.equal(await robbed('/build', '{"amount":"6","slippageTolerance":38}'), 'first')
  t.match(dials.get('shop'), { fault: 'steal', theft: 'first' })
})

t.test('a provider can offer a part of what the market gives, and a source of prices can lie', async (t) => {
  const sandbox = await startSandbox({ now: () => Date.UTC(2026, 10, 21, 12) })
  t.teardown(() => sandbox.close())
  const { dials, urls } = sandbox
  type Answer = ReturnType<typeof JSON.parse>
  const get = async (name: string, path: string): Promise<Answer> =>
    (await fetch(`${urls[name]}${path}`)).json()
  const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
  const weth = '0x4200000000000000000000000000000000000006'
  const native = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
  const order = `tokenIn=${native}&tokenOut=${usdc}&amountIn=1000000000000000000`
  const offer = async () =>
    BigInt((await get('kyberswap', `/base/api/v1/routes?${order}`)).data.routeSummary.amountOut)
  const honest = await offer()
  dials.set('kyberswap', 'cheap', { parts: 7 })
  t.equal(await offer(), honest / 7n)
  dials.set('kyberswap', 'cheap')
  t.equal(await offer(), honest / 100n, 'a hundredth, unless told otherwise')
  dials.clear()
  t.equal(await offer(), honest)

  const shaved = (bps: bigint): bigint => (honest * 10_000n) / (10_000n - bps)
  dials.set('kyberswap', 'shave')
  t.equal(await offer(), shaved(20n), 'it states what does not arrive')
  dials.set('kyberswap', 'shave', { bps: 5, weekday: 6, fromUsd: 2_900 })
  t.equal(await offer(), shaved(5n), 'on a Saturday, for 2,900 dollars and more')
  dials.set('kyberswap', 'shave', { bps: 5, weekday: 0 })
  t.equal(await offer(), honest)
  dials.set('kyberswap', 'shave', { bps: 5, fromUsd: 10_000 })
  t.equal(await offer(), honest)
  dials.clear()

  const asked: readonly (readonly [name: string, path: string, price: (answer: Answer) => unknown])[] = [
    ['dexscreener', `/tokens/v1/base/${weth}`, ([pair]) => pair.priceUsd],
    ['defillama', `/prices/current/base:${weth}`, ({ coins }) => coins[`base:${weth}`].price],
    [
      'geckoterminal',
      `/networks/base/tokens/${weth}/pools`,
      ({ data }) => data[0].attributes.base_token_price_usd,
    ],
  ]
  for (const [name, path, price] of asked) {
    const before = price(await get(name, path))
    dials.set(name, 'lies', { power: -3 })
    const after = price(await get(name, path))
    t.equal(typeof after, typeof before, name)
    t.equal(Number(after).toFixed(9), (Number(before) / 1_000).toFixed(9), name)
  }
})
