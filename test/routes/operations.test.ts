/** What the instance tells of itself, over the whole gateway. */
import { Keypair } from '@solana/web3.js'
import t, { type Test } from 'tap'
import type { TSchema } from 'typebox'
import { CHAINS } from '../../src/chains/chains.ts'
import { variableNames } from '../../src/config/config.ts'
import { PROVIDER_NAMES } from '../../src/config/providers.ts'
import {
  BakeOffReport,
  type RaceEvent,
  RaceEvent as RaceEventSchema,
} from '../../src/http/counts/bake-off.ts'
import { FunnelDays, FunnelSummary } from '../../src/http/counts/funnel.ts'
import { Diagnostics } from '../../src/routes/metrics/diagnostics.ts'
import { Settings } from '../../src/runtime/resources/settings.ts'
import { Check } from '../fixtures/check.ts'
import { handClock, until } from '../fixtures/clock.ts'
import { call, listen } from '../fixtures/gateway.ts'
import { type Behaviour, hostileUpstream, http, status } from '../fixtures/hostile-upstream.ts'
import { type Node, startNodes } from '../fixtures/sandbox.ts'
import { EVM_WALLET, getQuote, postBuild, turn, USDC } from '../fixtures/swaps.ts'

type Parsed = ReturnType<typeof JSON.parse>

async function read(url: string, path: string): Promise<{ status: number; body: Parsed }> {
  const response = await fetch(url + path)
  return { status: response.status, body: await response.json() }
}

async function readAs(t: Test, url: string, path: string, schema: TSchema): Promise<Parsed> {
  const { status, body } = await read(url, path)
  t.equal(status, 200, path)
  t.ok(Check(schema, body), path)
  return body
}

const ORDER = {
  chain: 'base',
  side: 'buy',
  token: USDC.base,
  amount: '1.5',
  slippageBps: 100,
  from: EVM_WALLET,
}

t.test('a race is counted once, however many share its answer, and each answer in the funnel', async (t) => {
  const clock = handClock()
  const { url } = await listen(t, { LIMITS: 'swap=off' }, { clock })
  await Promise.all([getQuote(url, ORDER), getQuote(url, ORDER), getQuote(url, ORDER)])
  const report = await readAs(t, url, '/api/bake-off', BakeOffReport)
  t.match(report, { range: '24h', since: Date.UTC(2026, 10, 20, 12, 0, 1) })
  t.equal(report.chains.length, 1)
  const [{ providers, pairs, sizes, ...chain }] = report.chains
  t.same(chain, { chain: 'base', races: 1, answered: 1 })
  t.match(pairs, [{ pair: 'native-stable', races: 1, answered: 1, providers: { length: providers.length } }])
  t.match(sizes, [{ size: 'medium', races: 1, answered: 1, providers: { length: providers.length } }])
  t.ok(providers.length > 1)
  t.ok(providers.every(({ asked }: Parsed) => asked === 1))
  t.equal(providers.filter(({ won }: Parsed) => won === 1).length, 1)
  t.match(providers[0], { won: 1, answered: 1, medianMs: 0, medianDistanceBps: 0 })
  const funnel = await readAs(t, url, '/api/funnel', FunnelDays)
  t.match(funnel.today, {
    day: '2026-11-20',
    totals: { quote: 3, build: 0 },
    families: { evm: { quote: 3 } },
  })

  await getQuote(url, { ...ORDER, amount: '2' })
  t.same(
    await readAs(t, url, '/api/bake-off', BakeOffReport),
    report,
    'within a second it is the same answer',
  )
  clock.advance(1_000)
  for (const range of ['1h', '24h', '7d']) {
    const { chains } = await readAs(t, url, `/api/bake-off?range=${range}`, BakeOffReport)
    t.equal(chains[0].races, 2, range)
  }
})

t.test('failures are counted by their code', async (t) => {
  const gateway = await listen(t, { LIMITS: 'swap=off' })
  for (const name of ['kyberswap', 'velora']) await turn(gateway, name, '500')
  await getQuote(gateway.url, ORDER)
  const { chains } = await readAs(t, gateway.url, '/api/bake-off?range=1h', BakeOffReport)
  const kyberswap = chains[0].providers.find(({ provider }: Parsed) => provider === 'kyberswap')
  t.match(kyberswap, { asked: 1, answered: 0, failed: 1, failures: { upstream_failed: 1 }, medianMs: null })
})

t.test('each race is an event, which reveals nothing of the order', async (t) => {
  const { url } = await listen(t, { LIMITS: 'swap=off' })
  const leaving = new AbortController()
  const response = await fetch(`${url}/api/bake-off/event`, { signal: leaving.signal })
  t.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  let text = ''
  const reading = (async () => {
    for await (const bytes of response.body!) text += Buffer.from(bytes).toString()
  })().catch(() => {})
  await getQuote(url, ORDER)
  await until(() => text.includes('event: race'))
  leaving.abort()
  await reading
  const data = /^event: race\ndata: (.*)\n\n/m.exec(text)![1]!
  const event = JSON.parse(data) as RaceEvent
  t.ok(Check(RaceEventSchema, event))
  t.match(event, { chain: 'base', side: 'buy' })
  t.same(Object.keys(event).sort(), ['at', 'chain', 'providers', 'side'])
  const members = new Set(event.providers.flatMap((provider) => Object.keys(provider)))
  t.same([...members].sort(), ['code', 'distanceBps', 'ms', 'outcome', 'provider'])
  t.equal(event.providers.filter(({ outcome }) => outcome === 'won').length, 1)
  for (const secret of [USDC.base, EVM_WALLET, '1.5', '1500000']) {
    t.notOk(data.toLowerCase().includes(secret.toLowerCase()), secret)
  }
})

t.test('the funnel follows a swap from its quote to its block', async (t) => {
  const [node] = (await startNodes(t, 1)) as [Node]
  const clock = handClock()
  const live = { MODE: 'live', SOLANA_RPC_URLS: node.url, LIMITS: 'rpcSend=off' }
  const { url } = await listen(t, live, { clock })
  const wallet = await node.funded()
  node.advance(40)
  const bytes = await node.transfer(wallet, Keypair.generate().publicKey, 1_000_000)
  const send = () => call(url, 'sendTransaction', [bytes.toString('base64'), { encoding: 'base64' }])
  const today = async () => {
    clock.advance(1_000)
    return (await read(url, '/api/funnel')).body.today.families.solana
  }
  t.same(await today(), { quote: 0, build: 0, submit: 0, confirmed: 0 })
  await send()
  await send()
  t.same(await today(), { quote: 0, build: 0, submit: 1, confirmed: 0 }, 'the same bytes count once')
  node.advance(2)
  while ((await today()).confirmed === 0) await new Promise(setImmediate)
  await send()
  t.same(await today(), { quote: 0, build: 0, submit: 1, confirmed: 1 })
  const { body } = await read(url, '/api/funnel/summary?days=1')
  t.same(body.conversion, { quoteToBuildBps: null, buildToSubmitBps: null, submitToConfirmedBps: 10_000 })
})

t.test('a build that is handed out counts, and one that is refused does not', async (t) => {
  const { url } = await listen(t, { LIMITS: 'swap=off' })
  const quote = (await (await getQuote(url, ORDER)).json()) as Parsed
  t.equal((await postBuild(url, { ...ORDER, quote })).status, 200)
  t.equal((await postBuild(url, { ...ORDER, amount: '3', quote })).status, 400)
  const { totals, conversion } = await readAs(t, url, '/api/funnel/summary', FunnelSummary)
  t.same(totals, { quote: 1, build: 1, submit: 0, confirmed: 0 })
  t.equal(conversion.quoteToBuildBps, 10_000)
})

t.test('each parameter that is given wrongly is named', async (t) => {
  const { url } = await listen(t)
  const wrong: [path: string, field: string][] = [
    ['/api/bake-off?range=', 'range'],
    ['/api/bake-off?range=2h', 'range'],
    ['/api/bake-off?range=1H', 'range'],
    ['/api/bake-off?range=1h&range=24h', 'range'],
    ['/api/bake-off?Range=1h', 'range'],
    ['/api/funnel/summary?days=', 'days'],
    ['/api/funnel/summary?days=0', 'days'],
    ['/api/funnel/summary?days=91', 'days'],
    ['/api/funnel/summary?days=-1', 'days'],
    ['/api/funnel/summary?days=1.5', 'days'],
    ['/api/funnel/summary?days=week', 'days'],
    ['/api/funnel/summary?days=1&days=2', 'days'],
    ['/api/fast-trade-proof', 'digest'],
    ['/api/fast-trade-proof?digest=', 'digest'],
    ['/api/fast-trade-proof?digest=a&digest=b', 'digest'],
    [`/api/fast-trade-proof?digest=${'1'.repeat(129)}`, 'digest'],
  ]
  for (const [path, field] of wrong) {
    t.match(await read(url, path), { status: 400, body: { code: String, field } }, path)
  }
  for (const path of ['/api/bake-off', '/api/funnel', '/api/bake-off/event', '/api/rebroadcast']) {
    t.match(await (await fetch(url + path, { method: 'POST' })).json(), { code: 'wrong_method' }, path)
  }
})

t.test("the diagnostics show the instance's state, at most once a second", async (t) => {
  const clock = handClock()
  const { url } = await listen(t, { LIMITS: 'swap=off', SOLANA_RPC_URLS: 'http://127.0.0.1:1' }, { clock })
  await getQuote(url, ORDER)
  await getQuote(url, ORDER)
  await call(url, 'getSlot', [])
  const body = await readAs(t, url, '/api/diagnostics', Diagnostics)
  t.match(body, {
    node: process.versions.node,
    verifier: 'noble',
    eventLoop: { windowMs: Number, maxMs: Number },
    droppedLogLines: 0,
    slots: { calls: { waiting: 0 }, submissions: { underWay: 0, waiting: 0 } },
    streams: 0,
    rebroadcasts: 0,
  })
  t.ok(body.connections >= 1)
  for (const bytes of Object.values(body.memory) as number[]) t.equal(bytes % 1_048_576, 0)
  const cacheOf = (name: string) => body.caches.find((cache: Parsed) => cache.name === name)
  t.match(cacheOf('quote'), { entries: 1, asked: 1, coalesced: 0, cached: 1, bytes: Number })
  t.match(cacheOf('signers'), { entries: 0, bytes: null, asked: null })
  for (const name of ['list', 'profile', 'portfolio', 'rpc', 'final', 'blockhashes', 'decimals']) {
    t.ok(cacheOf(name), name)
  }
  const upstreams = body.upstreams.filter(({ name }: Parsed) => name === 'solana-1')
  t.same(upstreams.map(({ carries }: Parsed) => carries).sort(), ['reads', 'submissions'])
  t.match(upstreams[0], {
    breaker: 'closed',
    breakerMs: 0,
    cooldowns: { length: 0 },
    quota: null,
    callsUnderWay: 0,
  })

  await getQuote(url, { ...ORDER, amount: '3' })
  t.same((await read(url, '/api/diagnostics')).body, body)
  clock.advance(1_000)
  const later = (await read(url, '/api/diagnostics')).body
  t.equal(later.caches.find(({ name }: Parsed) => name === 'quote').asked, 2)
})

t.test('breakers, pauses and quotas are listed by upstream', async (t) => {
  const clock = handClock()
  const { url: node } = await hostileUpstream(t, status(429, '{}', ['retry-after: 7']))
  const live = { MODE: 'live', SOLANA_RPC_URLS: node, RPC_URLS_BASE: 'http://127.0.0.1:1' }
  const { url } = await listen(t, live, { clock, limitsAsPublic: true })
  await call(url, 'getSlot', [])
  const { upstreams } = (await read(url, '/api/diagnostics')).body
  const reads = upstreams.find(({ name, carries }: Parsed) => name === 'solana-1' && carries === 'reads')
  t.match(reads, {
    breaker: 'closed',
    cooldowns: [{ lane: 'getSlot', leftMs: Number }],
    quota: { windowMs: 10_000, burst: 40 },
  })
  t.ok(reads.cooldowns[0].leftMs > 0 && reads.cooldowns[0].leftMs <= 7_000)
  t.ok(reads.quota.used > 0)
  t.equal(reads.quota.used + reads.quota.left, 40)
})

t.test('the configuration lists chains, providers and bounds', async (t) => {
  const off = {
    STONFI_URL: 'off',
    KYBERSWAP_URL: 'off',
    UNISWAP_V2: 'off',
    UNISWAP_V3: 'off',
    MIN_VERIFICATION: 'proved',
  }
  const { url } = await listen(t, off)
  const body = await readAs(t, url, '/api/config', Settings)
  t.same(
    body.chains.map(({ chain }: Parsed) => chain),
    CHAINS.map(({ key }) => key),
  )
  const chainOf = (key: string) => body.chains.find(({ chain }: Parsed) => chain === key)
  t.same(chainOf('base'), { chain: 'base', quotes: ['velora'], builds: ['velora'] })
  t.same(chainOf('ton').quotes, ['swapcoffee'])
  t.notOk(body.providers.includes('stonfi'))
  t.ok(body.providers.includes('dexscreener'))
  t.match(body, { mode: 'sandbox', minVerification: 'proved', logos: true, limits: { swap: { client: 60 } } })
})

const TOKENS: Readonly<Record<string, string>> = USDC
const STRANGE = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'
const CANARY = 'canary7f3a'

/** A value for each variable that says whose, where or by what secret, with the canary in every part of it. */
function canaryOf(variable: string, port: string): string | null {
  const url = `http://user${CANARY}:pass${CANARY}@127.0.0.1:${port}/path${CANARY}/${variable}?key=query${CANARY}`
  // The first is told to everybody; the other is of another kind, and in test/long/hostile/canaries.test.ts.
  if (variable === 'PUBLIC_URL' || variable === 'REDIS_URL') return null
  if (/_URLS?$|^RPC_URLS_/.test(variable)) return url
  if (/_API_KEY$|^QUOTE_SECRET$/.test(variable)) return `${CANARY}-${'k'.repeat(40)}-${variable}`
  if (variable === 'CLIENT_ADDRESS_HEADER') return `x-${CANARY}`
  return variable === 'CORS_ORIGINS' ? `https://${CANARY}.example` : null
}

t.test('no secret, URL, path or header of the configuration is shown', async (t) => {
  const echo: Behaviour = (socket, { head }) => void socket.write(http(500, head))
  const port = new URL((await hostileUpstream(t, echo)).url).port
  const dir = t.testdir({ [CANARY]: { 'tokens.json': '{"tokens":[]}', content: {} } })
  const environment: Record<string, string> = {
    MODE: 'live',
    LIMITS: 'swap=off',
    TOKENS_FILE: `${dir}/${CANARY}/tokens.json`,
    CONTENT_DIR: `${dir}/${CANARY}/content`,
  }
  const set: string[] = []
  for (const variable of variableNames()) {
    const value = canaryOf(variable, port)
    if (value === null) continue
    environment[variable] = value
    set.push(variable)
  }
  t.ok(set.length > 40)
  for (const name of [...PROVIDER_NAMES.map((name) => `${name.toUpperCase()}_URL`), 'SOLANA_LANDING_URLS'])
    t.ok(set.includes(name), name)
  const { url } = await listen(t, environment)
  for (const { key } of CHAINS) {
    await (
      await fetch(`${url}/api/quote?chain=${key}&side=buy&token=${TOKENS[key] ?? USDC.base}&amount=1`)
    ).text()
  }
  await (await call(url, 'getSlot', [])).text()
  await (await call(url, 'sendTransaction', ['AQ==', { encoding: 'base64' }])).text()
  for (const path of ['config', 'diagnostics', 'health', 'bake-off', 'bake-off/export', 'funnel'].map(
    (name) => `/api/${name}`,
  )) {
    const response = await fetch(url + path)
    const text = `${JSON.stringify([...response.headers])} ${await response.text()}`
    t.equal(response.status, 200, path)
    for (const secret of [CANARY, '127.0.0.1', `:${port}`, dir]) {
      t.notOk(text.toLowerCase().includes(secret.toLowerCase()), `${path} tells ${secret}`)
    }
  }
  const { upstreams } = (await read(url, '/api/diagnostics')).body
  t.ok(
    upstreams.some(({ state }: Parsed) => state === 'degraded' || state === 'cooling'),
    'they were asked',
  )
})

/** Names and types without the values: an array's are those of its members, each once. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return [...new Set(value.map((member) => JSON.stringify(shapeOf(member))))].sort()
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, shapeOf(member)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

t.test("the examples of submissions and of the funnel are the service's answers", async (t) => {
  const nodes = await startNodes(t, 2)
  const clock = handClock()
  const live = { MODE: 'live', SOLANA_RPC_URLS: nodes.map(({ url }) => url).join(), LIMITS: 'rpcSend=off' }
  const { url } = await listen(t, live, { clock })
  const { paths } = (await read(url, '/openapi.json')).body
  const content = (path: string, status = 200) =>
    paths[path].get.responses[status].content['application/json']
  const [node] = nodes as [Node]
  const wallet = await node.funded()
  node.advance(40)
  const bytes = await node.transfer(wallet, Keypair.generate().publicKey, 1_000_000)
  const sent = await call(url, 'sendTransaction', [bytes.toString('base64'), { encoding: 'base64' }])
  const digest = ((await sent.json()) as Parsed).result
  const receipt = (await read(url, `/api/fast-trade-proof?digest=${digest}`)).body
  const landed = { slot: 1, us: 1 }
  t.same(
    shapeOf({ ...receipt, landed }),
    shapeOf(content('/api/fast-trade-proof').examples.landed.value),
    JSON.stringify(receipt),
  )
  t.same(
    (await read(url, `/api/fast-trade-proof?digest=${STRANGE}`)).body,
    content('/api/fast-trade-proof', 404).example,
  )
  const { transactions, ...again } = (await read(url, '/api/rebroadcast')).body
  // The node's blockhash did not pass here.
  t.same(
    transactions.map(({ lastValidBlockHeight }: Parsed) => lastValidBlockHeight),
    [null],
  )
  const known = transactions.map((one: Parsed) => ({ ...one, lastValidBlockHeight: 1 }))
  t.same(shapeOf({ ...again, transactions: known }), shapeOf(content('/api/rebroadcast').example))

  clock.advance(86_400_000)
  t.same(shapeOf((await read(url, '/api/funnel')).body), shapeOf(content('/api/funnel').example))
  const { conversion: _, ...summary } = (await read(url, '/api/funnel/summary')).body
  const { conversion, ...shown } = content('/api/funnel/summary').example
  t.same(shapeOf(summary), shapeOf(shown))
  const { totals, families } = shown
  t.same(conversion, {
    quoteToBuildBps: (totals.build * 10_000) / totals.quote,
    buildToSubmitBps: (families.solana.submit * 10_000) / families.solana.build,
    submitToConfirmedBps: (families.solana.confirmed * 10_000) / families.solana.submit,
  })
})
