/** GET /api/prices/stream of a whole gateway, over real sockets, with the clock in the test's hands. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { HEARTBEAT_MS } from '../../src/http/reply/streams.ts'
import { Ticks } from '../../src/research/ticker/shapes.ts'
import { EVERY_MS } from '../../src/research/ticker/ticker.ts'
import { ErrorBody } from '../../src/runtime/resources/error.ts'
import type { TokenList } from '../../src/runtime/resources/tokens.ts'
import { Check } from '../fixtures/check.ts'
import { handClock } from '../fixtures/clock.ts'
import { type EventClient, openEvents } from '../fixtures/events.ts'
import { listen } from '../fixtures/gateway.ts'

const USDC = 'base:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const SOL = 'solana:So11111111111111111111111111111111111111112'
const HONEY = 'base:0x000000000000000000000000000000686f6E6579'
/** In no list, until an operator lists it. */
const OWN = 'base:0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed'
/** In no list, and in deep pools. */
const AERO = 'base:0x940181a94A35A4569E4529A3CDfB74e38FD98631'
const MAJORS = [USDC, SOL, 'base:native', 'ethereum:native', 'sui:native', 'ton:native']

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await sleep(2)
}

async function start(t: Test, environment: Record<string, string> = {}) {
  const clock = handClock()
  const gateway = await listen(t, { ADMIN_PORT: '0', ...environment }, { clock })
  // A stream does not wait long for the first list.
  await (await fetch(`${gateway.url}/api/tokens`)).arrayBuffer()
  const path = (tokens: string): string =>
    `${gateway.url}/api/prices/stream?tokens=${encodeURIComponent(tokens)}`
  const open = async (tokens: string, headers: Record<string, string> = {}): Promise<EventClient> => {
    const client = await openEvents(t, path(tokens), headers)
    if (client.status === 200) await until(() => client.text.includes('retry: '))
    else await until(() => client.isOver || client.text.endsWith('}'))
    return client
  }
  /** Looks at the list until something comes of it. */
  const changes = async (client: EventClient): Promise<void> => {
    const { length } = client.events
    const isOver = () => client.events.length > length
    // What is asked of others has a timer: no more time passes before it is answered.
    const timers = clock.waiting
    while (!isOver()) {
      clock.advance(EVERY_MS)
      await sleep(5)
      await until(() => isOver() || clock.waiting <= timers)
    }
  }
  return { ...gateway, clock, path, open, changes }
}

const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address })
const ticksOf = (client: EventClient, at: number): Ticks => client.events.at(at)!.data as Ticks

t.test('sends the prices of the list, and then what changes', async (t) => {
  const { url, open, changes, clock } = await start(t)
  const client = await open(`${MAJORS.join()},${HONEY},${OWN},${USDC.toLowerCase()}`)
  t.equal(client.status, 200)
  t.match(client.headers, {
    'content-type': 'text/event-stream; charset=utf-8',
    'x-swapgate-mode': 'sandbox',
    'cache-control': 'no-store',
  })
  t.equal(client.events.length, 1)
  const [{ name, data, id }] = client.events as [(typeof client.events)[0]]
  t.equal(name, 'snapshot')
  t.match(id, /^[a-z0-9]+\.\d+\.[\w-]{8}$/)
  t.ok(Check(Ticks, data))
  const { prices, asOf } = ticksOf(client, 0)
  t.equal(prices.length, MAJORS.length + 2, 'doubles are one')
  t.equal(asOf, clock.date())
  const list = (await (await fetch(`${url}/api/tokens?all=true`)).json()) as TokenList
  for (const tick of prices) {
    const row = list.tokens.find(({ chain, address }) => chain === tick.chain && address === tick.address)
    const isListed = row !== undefined && row.gate === undefined
    // Its risk becomes known after the list was made.
    if (HONEY.endsWith(tick.address)) t.ok(isListed || !tick.listed, tick.address)
    else t.equal(tick.listed, isListed, tick.address)
    if (tick.listed) t.same([tick.price, tick.priceTs], [row!.price, row!.priceTs], tick.address)
    else t.same([tick.price, tick.priceTs, tick.priceStale], [null, null, false])
  }
  t.ok(prices.slice(0, MAJORS.length).every(({ price, priceTs }) => price !== null && priceTs !== null))
  t.equal(prices.at(-1)!.listed, false)

  await changes(client)
  t.equal(client.events[1]!.name, 'change')
  const changed = ticksOf(client, 1).prices
  t.ok(changed.length > 0)
  for (const tick of changed) {
    const old = prices.find(({ address, chain }) => address === tick.address && chain === tick.chain)!
    t.notSame(tick, old, 'only what changed')
  }
})

t.test('a quiet stream shows that it lives', async (t) => {
  const { open, clock } = await start(t)
  const client = await open(OWN)
  clock.advance(2 * HEARTBEAT_MS)
  await until(() => client.comments.length === 1)
  clock.advance(2 * HEARTBEAT_MS)
  await until(() => client.comments.length === 3)
  t.same(client.comments, ['', '', ''])
  t.equal(client.events.length, 1)
})

t.test('a client that reconnects with an id gets what it missed', async (t) => {
  const { open, changes } = await start(t)
  const tokens = MAJORS.join()
  const first = await open(tokens)
  await changes(first)
  const { id } = first.events[1]!
  first.request.destroy()
  const same = await open(tokens, { 'last-event-id': id! })
  t.same(same.events, [], 'nothing yet')
  const missed = await open(tokens, { 'last-event-id': first.events[0]!.id! })
  t.same(missed.events[0], { ...first.events[1]!, id, data: missed.events[0]!.data })
  t.same(ticksOf(missed, 0).prices, ticksOf(first, 1).prices)
  await changes(same)
  t.equal(same.events[0]!.name, 'change')
  for (const [i, old] of ['nonsense', `${id}x`, 'ü', 'a'.repeat(2_000)].entries()) {
    const headers = { ...from(`198.51.100.${i}`), 'last-event-id': Buffer.from(old).toString('latin1') }
    const client = await open(tokens, headers)
    t.equal(client.events[0]!.name, 'snapshot', old.slice(0, 20))
  }
})

t.test('the operator lists a token while somebody listens to it', async (t) => {
  const file = join(t.testdir(), 'tokens.json')
  writeFileSync(file, '{"tokens":[]}')
  const { open, changes, reload } = await start(t, { TOKENS_FILE: file })
  const client = await open(OWN)
  t.match(ticksOf(client, 0).prices, [{ listed: false }])
  const [chain, address] = OWN.split(':')
  writeFileSync(file, JSON.stringify({ tokens: [{ chain, address }] }))
  await reload()
  await changes(client)
  t.match(ticksOf(client, 1).prices, [{ chain, address, listed: true }])
})

t.test('a token of no list is priced all the same', async (t) => {
  const { open, changes } = await start(t)
  const client = await open(AERO)
  t.match(ticksOf(client, 0).prices, [{ listed: false, price: null, priceTs: null }])
  await changes(client)
  t.match(ticksOf(client, 1).prices, [{ listed: false, price: Number, priceTs: Number }])
})

t.test('faulty tokens are refused by name', async (t) => {
  const { url, path, log } = await start(t)
  const many = Array.from({ length: 51 }, (_, i) => `base:0x${i.toString(16).padStart(40, '0')}`).join()
  for (const [target, message] of [
    [`${url}/api/prices/stream`, /tokens/],
    [`${url}/api/prices/stream?token=${USDC}`, /`tokens`/],
    [`${path(USDC)}&tokens=${SOL}`, /more than once/],
    [path(''), /Entry 1/],
    [path(`${USDC},moon:native`), /Entry 2 of `tokens` must begin with a chain key/],
    [path(`${USDC.slice(0, -1)}`), /Entry 1 .* Base/],
    [path(many), /at most 50 tokens/],
    [path('x'.repeat(8_000)), /Entry 1/],
  ] as const) {
    const response = await fetch(target)
    const body = (await response.json()) as Record<string, unknown>
    t.equal(response.status, 400, target.slice(0, 100))
    t.ok(Check(ErrorBody, body))
    t.match(body, { field: 'tokens', error: message, scope: 'validation' })
  }
  const head = await fetch(path(USDC), { method: 'HEAD' })
  t.equal(head.status, 200)
  t.equal(head.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  t.equal((await fetch(path(USDC), { method: 'POST' })).status, 405)
  const lines = log.filter(
    ({ route, method, status }) => route === '/api/prices/stream' && method === 'GET' && status === 200,
  )
  t.same(lines, [])
})

t.test('a client with all its streams still gets quotes, and no other is in its way', async (t) => {
  const { url, open, log, adminUrl } = await start(t)
  const quote = (headers: Record<string, string>) =>
    fetch(`${url}/api/quote?chain=base&side=sell&token=${USDC.slice(5)}&amount=250`, { headers })
  const [greedy, other] = [from('198.51.100.1'), from('198.51.100.2')]
  const clients: EventClient[] = []
  for (let i = 0; i < 4; i++) clients.push(await open(USDC, greedy))
  const fifth = await open(USDC, greedy)
  t.equal(fifth.status, 429)
  t.match(JSON.parse(fifth.text), { code: 'too_many_streams', scope: 'limit' })
  t.equal((await open(USDC, other)).status, 200)
  t.equal((await quote(greedy)).status, 200)
  t.equal((await quote(other)).status, 200)

  const metrics = async (): Promise<string> => (await fetch(`${adminUrl}/metrics`)).text()
  const name = 'route="/api/prices/stream"'
  t.match(await metrics(), /^swapgate_streams 5$/m)
  for (const { request } of clients.splice(0, 2)) request.destroy()
  const lines = () => log.filter(({ route, status }) => route === '/api/prices/stream' && status === 200)
  await until(() => lines().length === 2)
  t.match(lines()[0], {
    msg: 'request',
    method: 'GET',
    bytes: clients[0]!.text.length,
    ms: Number,
    client: String,
  })
  const text = await metrics()
  t.match(text, /^swapgate_streams 3$/m)
  t.ok(text.includes(`swapgate_requests_total{method="GET",${name},status="200"} 2`))
  t.ok(text.includes(`swapgate_errors_total{${name},code="too_many_streams"} 1`))
  t.ok(text.includes(`swapgate_request_duration_seconds_count{${name}} 1`), 'of the refusal only')
  t.equal((await open(USDC, greedy)).status, 200, 'the places came back')
})

t.test('concurrent streams are bounded, as configured', async (t) => {
  const { open, url } = await start(t, { MAX_STREAMS: '2', IN_FLIGHT: '4/9' })
  t.match(await (await fetch(`${url}/api/config`)).json(), { streams: { client: 2, global: 2 } })
  for (const address of ['198.51.100.1', '198.51.100.2'])
    t.equal((await open(USDC, from(address))).status, 200)
  const third = await open(USDC, from('198.51.100.3'))
  t.equal(third.status, 503)
  t.equal(third.headers['retry-after'], '1')
  t.match(JSON.parse(third.text), { code: 'overloaded' })
})

t.test('stopping takes leave of all of them at once', async (t) => {
  const { open, stop, clock } = await start(t, { SHUTDOWN_GRACE_MS: '60000' })
  const clients = await Promise.all(
    ['198.51.100.1', '198.51.100.2'].map((ip) => open(MAJORS.join(), from(ip))),
  )
  t.ok(await stop(), 'nothing had to be cut off')
  for (const client of clients) {
    await until(() => client.isOver)
    t.same(client.comments, ['the service is stopping; connect again'])
  }
  clock.advance(HEARTBEAT_MS)
})
