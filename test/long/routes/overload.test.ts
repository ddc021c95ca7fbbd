/** What the whole gateway answers while its event loop is late; how late it is, the tests say. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { ACCOUNTS, startSiegeNode } from '../../../bench/load/siege-node.ts'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { STANDING_WINDOW_MS, type watchStandingDelay } from '../../../src/flow/event-loop.ts'
import { CALM_MS, MIN_LIMIT, TARGET_MS } from '../../../src/http/overload/shedding.ts'
import { until } from '../../fixtures/clock.ts'
import { listen } from '../../fixtures/gateway.ts'

const HANGING = `/api/portfolio?sol=${ACCOUNTS.hanging}`
/** How many requests are under way when these are shed, too, and less urgent ones. */
const SHED = { research: MIN_LIMIT / 2 + 1, quote: MIN_LIMIT + 1, build: 8 * MIN_LIMIT + 1 } as const

/** A gateway in front of a node that never answers what it is asked about one account. */
async function start(t: Test, environment: Record<string, string> = {}) {
  const node = await startSiegeNode()
  t.teardown(() => node.close())
  let endWindow: Parameters<typeof watchStandingDelay>[0] = () => false
  const gateway = await listen(
    t,
    {
      TRUSTED_PROXIES: 'loopback',
      SOLANA_RPC_URLS: node.url,
      IN_FLIGHT: 'off',
      LIMITS: 'portfolio=off',
      ...environment,
    },
    {
      watchDelay(onWindow) {
        endWindow = onWindow
        return { nowMs: () => 0, close() {} }
      },
    },
  )
  const clientOf = (i: number): string => `2001:db8:0:${i.toString(16)}::1`
  let asked = 0
  /** A request of one of twenty clients in turn. */
  const ask = (path: string, body?: unknown): Promise<Response> =>
    fetch(gateway.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-forwarded-for': clientOf(asked++ % 20), 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const over = new AbortController()
  t.teardown(() => over.abort())
  let clients = 99
  /** Requests whose answer the node keeps back. @param client  absent: each of another client */
  const hang = async (count: number, client?: string): Promise<void> => {
    let begun = 0
    const note = (message: unknown): void => {
      if ((message as { request: IncomingMessage }).request.url === HANGING) begun++
    }
    subscribe('http.server.request.start', note)
    for (let i = 0; i < count; i++) {
      const headers = { 'x-forwarded-for': client ?? clientOf(++clients) }
      fetch(gateway.url + HANGING, { headers, signal: over.signal }).catch(() => {})
    }
    await until(() => begun === count)
    unsubscribe('http.server.request.start', note)
  }
  const windows = (count: number, utilization: number, standingMs = 0): void => {
    for (let i = 0; i < count; i++) endWindow(standingMs, STANDING_WINDOW_MS, utilization, 1)
  }
  return {
    ...gateway,
    ask,
    hang,
    windows,
    over,
    /** How many of twenty get a 503. */
    async shedOf(path: string, body?: unknown): Promise<number> {
      const replies = await Promise.all(Array.from({ length: 20 }, () => ask(path, body)))
      return replies.filter(({ status }) => status === 503).length
    },
    /** Begins an overload, in which as many requests are under way as it takes to shed those of a priority. */
    async overload(priority: keyof typeof SHED): Promise<void> {
      await hang(SHED[priority])
      for (let i = 0; i < 20; i++) await ask('/api/health')
      windows(30, 1)
    },
  }
}

const rpc = (method: string, id = 'a') => ({ jsonrpc: '2.0', id, method, params: ['A'.repeat(180)] })

t.test('a shed request gets a 503 with Retry-After, and no line in the log', async (t) => {
  const { overload, ask, log } = await start(t)
  await overload('build')
  const before = log.length
  const reply = await ask('/api/chains')
  t.equal(reply.status, 503)
  t.equal(reply.headers.get('retry-after'), '2')
  t.equal(reply.headers.get('connection'), 'keep-alive')
  t.match(reply.headers.get('x-request-id'), /./)
  t.match(await reply.json(), { scope: 'limit', code: 'overloaded', retryAfterMs: 2_000 })
  t.equal(log.length, before)
})

t.test('a shed request is counted as any other, however cheaply it was refused', async (t) => {
  const { overload, ask, shedOf, adminUrl } = await start(t, { ADMIN_PORT: '0' })
  await overload('build')
  const shed = await shedOf('/api/chains')
  await ask('/api/tokens')
  const text = await (await fetch(`${adminUrl}/metrics`)).text()
  const figure = (name: string): number =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length),
    )
  t.equal(shed, 20)
  t.equal(figure('swapgate_requests_total{method="GET",route="/api/chains",status="503"}'), shed)
  t.equal(figure('swapgate_errors_total{route="/api/chains",code="overloaded"}'), shed)
  t.equal(figure('swapgate_requests_shed_total{priority="research"}'), shed + 1)
  t.equal(figure('swapgate_request_duration_seconds_count{route="/api/tokens"}'), 1)
})

t.test('a call that is too short for a transaction is shed as a read, without its body', async (t) => {
  const { overload, shedOf } = await start(t)
  await overload('quote')
  // One signature and one key, no instruction: the shortest transaction that there is.
  const bytes = Buffer.alloc(134, 1)
  for (const text of [bytes.toString('base64'), encodeBase58(bytes)]) {
    const body = { method: 'sendTransaction', params: [text] }
    t.ok(JSON.stringify(body).length >= 220)
    t.equal(await shedOf('/api/solrpc', body), 0)
  }
  t.equal(await shedOf('/api/solrpc', { method: 'sendTransaction', params: ['A'.repeat(100)] }), 20)
})

t.test('research is shed first, reads and quotes next, builds and submissions last', async (t) => {
  const { overload, shedOf, hang } = await start(t)
  await overload('research')
  t.equal(await shedOf('/api/chains'), 20)
  t.equal(await shedOf('/api/quote'), 0)
  t.equal(await shedOf('/api/solrpc', rpc('getBalance')), 0)

  await hang(SHED.quote - SHED.research)
  t.equal(await shedOf('/api/tokens'), 20)
  t.equal(await shedOf('/api/quote'), 20)
  t.equal(await shedOf('/api/solrpc', rpc('getBalance')), 20)
  t.equal(await shedOf('/api/solrpc', rpc('sendTransaction')), 0)
  t.equal(await shedOf('/api/solrpc', rpc('sendTransactions')), 0)
  t.equal(await shedOf('/api/build', {}), 0)

  await hang(SHED.build - SHED.quote)
  t.equal(await shedOf('/api/solrpc', rpc('sendTransaction')), 20)
  t.equal(await shedOf('/api/build', {}), 20)
  t.equal(await shedOf('/api/health'), 0, 'a probe is always answered')
})

t.test('a read that names a submission elsewhere is a read', async (t) => {
  const { overload, shedOf } = await start(t)
  await overload('quote')
  t.equal(await shedOf('/api/solrpc', rpc('getBalance', 'sendTransaction')), 20)
})

t.test('a shed body is not read, and its connection continues', async (t) => {
  const { overload, shedOf, ask } = await start(t)
  await overload('build')
  t.equal(await shedOf('/api/build', { quote: 'x'.repeat(200_000) }), 20)
  t.equal((await ask('/api/health')).status, 200)
})

t.test('what one client is still being answered costs no other a 503', async (t) => {
  const { windows, shedOf, hang, over } = await start(t)
  for (let i = 0; i < 5; i++) await shedOf('/api/chains')
  await hang(60, '198.51.100.66')
  windows(3, 1)
  for (let i = 0; i < 20; i++) {
    t.equal(await shedOf('/api/chains'), 0, `window ${i}`)
    windows(1, 1)
  }
  over.abort()
  windows(2, 0)
  t.equal(await shedOf('/api/chains'), 0, 'after it')
})

t.test('its beginning and its end are in the log, with what was shed', async (t) => {
  const { overload, windows, shedOf, log } = await start(t)
  await overload('build')
  const shed = await shedOf('/api/chains')
  t.equal(shed, 20)
  t.match(
    log.filter(({ msg }) => String(msg).includes('overloaded')),
    [{ level: 40, msg: 'overloaded: requests are shed' }],
  )
  windows(CALM_MS / STANDING_WINDOW_MS + 1, 0)
  const end = log.find(({ msg }) => msg === 'no longer overloaded')
  t.match(end, { shed: { research: shed, quote: 0, build: 0 } })
  t.equal(await shedOf('/api/chains'), 0)
})

t.test("the costliest WebSocket client is shed, and the others' subscriptions continue", async (t) => {
  const { url, windows } = await start(t)
  const connect = async (client: string) => {
    const ws = new WebSocket(`${url.replace('http', 'ws')}/api/solrpc`, {
      headers: { 'x-forwarded-for': client },
    })
    t.teardown(() => ws.terminate())
    const told: Record<string, unknown>[] = []
    ws.on('message', (data) => told.push(JSON.parse(String(data))))
    await once(ws, 'open')
    return { ws, told }
  }
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'slotUnsubscribe', params: [1] })
  const attacker = await Promise.all(Array.from({ length: 6 }, () => connect('198.51.100.66')))
  const bystanders = await Promise.all(Array.from({ length: 10 }, (_, i) => connect(`198.51.100.${i}`)))
  const isServed = ({ error }: Record<string, unknown>): boolean =>
    (error as { message: string }).message === 'Invalid subscription id.'
  const isShed = ({ ws, told }: (typeof attacker)[number]): boolean =>
    ws.readyState !== ws.OPEN || !told.every(isServed)
  const codes: number[] = []
  for (const { ws } of attacker) ws.on('close', (code) => codes.push(code))

  windows(1, 1, TARGET_MS)
  let rounds = 0
  for (; codes.length < attacker.length && rounds < 16; rounds++) {
    for (const { ws } of attacker) for (let i = 0; i < 6; i++) ws.send(call)
    for (const { ws } of bystanders) ws.send(call)
    await until(() => bystanders.every(({ told }) => told.length === rounds + 1))
    await until(() => attacker.every((one) => isShed(one) || one.told.length === 6 * (rounds + 1)))
    windows(1, 1, TARGET_MS)
  }
  await until(() => codes.length === attacker.length)
  t.same(codes, Array(6).fill(1013))
  for (const { told } of bystanders) t.ok(told.every(isServed))
  const refused = new WebSocket(`${url.replace('http', 'ws')}/api/solrpc`, {
    headers: { 'x-forwarded-for': '198.51.100.66' },
  })
  refused.on('error', () => {})
  const [, reply] = await once(refused, 'unexpected-response')
  t.equal(reply.statusCode, 503)
  reply.destroy()
})
