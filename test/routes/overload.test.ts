/** What the whole gateway answers while its event loop is late; how late it is, the tests say. */
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { ACCOUNTS, startSiegeNode } from '../../bench/siege-node.ts'
import { encodeBase58 } from '../../src/chains/solana/base58.ts'
import { BURST_MS, ONSET_MS, TARGET_MS } from '../../src/http/shedding.ts'
import { STANDING_WINDOW_MS, type watchStandingDelay } from '../../src/runtime/event-loop.ts'
import { until } from '../fixtures/clock.ts'
import { listen } from '../fixtures/gateway.ts'

const LATE_MS = 2 * TARGET_MS

async function start(t: Test, environment: Record<string, string> = {}) {
  let tell: Parameters<typeof watchStandingDelay>[0] = () => false
  const turn = { lateMs: 0 }
  const gateway = await listen(
    t,
    { TRUSTED_PROXIES: 'loopback', ...environment },
    {
      watchDelay(onWindow) {
        tell = onWindow
        return { nowMs: () => turn.lateMs, close() {} }
      },
    },
  )
  let clients = 0
  /** A request of a client who has asked nothing before. */
  const ask = (path: string, body?: unknown): Promise<Response> =>
    fetch(gateway.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'x-forwarded-for': `2001:db8:0:${(++clients).toString(16)}::1`,
        'content-type': 'application/json',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const windows = (count: number, delayMs: number): void => {
    for (let i = 0; i < count; i++) tell(delayMs, STANDING_WINDOW_MS, delayMs > 0 ? 1 : 0, 1)
  }
  return {
    ...gateway,
    turn,
    ask,
    windows,
    /** How many of twenty get a 503. */
    async shedOf(path: string, body?: unknown): Promise<number> {
      const replies = await Promise.all(Array.from({ length: 20 }, () => ask(path, body)))
      return replies.filter(({ status }) => status === 503).length
    },
    /** Begins an overload that goes on for longer than a burst. @param lateMs  for which each request has waited then */
    async overload(lateMs: number): Promise<void> {
      turn.lateMs = ONSET_MS
      await ask('/api/health')
      windows(BURST_MS / STANDING_WINDOW_MS, LATE_MS)
      turn.lateMs = lateMs
    },
  }
}

const rpc = (method: string, id = 'a') => ({ jsonrpc: '2.0', id, method, params: ['A'.repeat(180)] })

t.test('what is shed gets a 503 that says when to come back, and no line in the log', async (t) => {
  const { overload, ask, log } = await start(t)
  await overload(BURST_MS)
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
  await overload(BURST_MS)
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
  await overload(2 * TARGET_MS)
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
  const { overload, shedOf, turn } = await start(t)
  await overload(TARGET_MS)
  t.equal(await shedOf('/api/chains'), 20)
  t.equal(await shedOf('/api/quote'), 0)
  t.equal(await shedOf('/api/solrpc', rpc('getBalance')), 0)

  turn.lateMs = 2 * TARGET_MS
  t.equal(await shedOf('/api/tokens'), 20)
  t.equal(await shedOf('/api/quote'), 20)
  t.equal(await shedOf('/api/solrpc', rpc('getBalance')), 20)
  t.equal(await shedOf('/api/solrpc', rpc('sendTransaction')), 0)
  t.equal(await shedOf('/api/solrpc', rpc('sendTransactions')), 0)
  t.equal(await shedOf('/api/build', {}), 0)

  turn.lateMs = BURST_MS
  t.equal(await shedOf('/api/solrpc', rpc('sendTransaction')), 20)
  t.equal(await shedOf('/api/build', {}), 20)
  t.equal(await shedOf('/api/health'), 0, 'whoever probes is always answered')
})

t.test('a read that names a submission elsewhere is a read', async (t) => {
  const { overload, shedOf } = await start(t)
  await overload(2 * TARGET_MS)
  t.equal(await shedOf('/api/solrpc', rpc('getBalance', 'sendTransaction')), 20)
})

t.test('a body that is shed is not read, and its connection goes on', async (t) => {
  const { overload, shedOf, ask } = await start(t)
  await overload(BURST_MS)
  t.equal(await shedOf('/api/build', { quote: 'x'.repeat(200_000) }), 20)
  t.equal((await ask('/api/health')).status, 200)
})

t.test('what one client is still being answered costs no other a 503', async (t) => {
  const node = await startSiegeNode()
  t.teardown(() => node.close())
  const { url, windows, shedOf, turn, ask } = await start(t, { SOLANA_RPC_URLS: node.url, IN_FLIGHT: 'off' })
  const over = new AbortController()
  t.teardown(() => over.abort())
  const attack = Array.from({ length: 60 }, (_, i) =>
    fetch(`${url}/api/solrpc`, {
      method: 'POST',
      headers: { 'x-forwarded-for': '198.51.100.66', 'content-type': 'application/json' },
      body: JSON.stringify({
        ...rpc('getAccountInfo'),
        params: [ACCOUNTS.hanging, { minContextSlot: i + 1 }],
      }),
      signal: over.signal,
    }).catch(() => {}),
  )
  // What is behind them was accepted before.
  for (let i = 0; i < 5; i++) await shedOf('/api/chains')
  turn.lateMs = ONSET_MS
  await ask('/api/health')
  windows(3, LATE_MS)
  for (let i = 0; i < 20; i++) {
    t.equal(await shedOf('/api/chains'), 0, `window ${i}`)
    windows(1, LATE_MS)
  }
  turn.lateMs = 0
  over.abort()
  await Promise.all(attack)
  windows(1, 0)
  t.equal(await shedOf('/api/chains'), 0, 'after it')
})

t.test('its beginning and its end are in the log, with what was shed', async (t) => {
  const { overload, windows, shedOf, log, turn } = await start(t)
  await overload(BURST_MS)
  const shed = await shedOf('/api/chains')
  t.equal(shed, 20)
  t.match(
    log.filter(({ msg }) => String(msg).includes('overloaded')),
    [{ level: 40, msg: 'overloaded: requests are shed', delayMs: ONSET_MS }],
  )
  turn.lateMs = 0
  windows(20, 0)
  const end = log.find(({ msg }) => msg === 'no longer overloaded')
  t.match(end, { shed: { research: shed, quote: 0, build: 0 } })
  t.equal(await shedOf('/api/chains'), 0)
})

t.test('who costs most over WebSockets is shed, and the others wait on theirs as before', async (t) => {
  const { url, windows, turn, shedOf } = await start(t)
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

  turn.lateMs = ONSET_MS
  await shedOf('/api/chains')
  turn.lateMs = 0
  let rounds = 0
  for (; codes.length < attacker.length && rounds < 16; rounds++) {
    for (const { ws } of attacker) for (let i = 0; i < 6; i++) ws.send(call)
    for (const { ws } of bystanders) ws.send(call)
    await until(() => bystanders.every(({ told }) => told.length === rounds + 1))
    await until(() => attacker.every((one) => isShed(one) || one.told.length === 6 * (rounds + 1)))
    windows(1, LATE_MS)
  }
  await until(() => codes.length === attacker.length)
  t.same(codes, Array(6).fill(1013))
  for (const { told } of bystanders) t.ok(told.every(isServed))
  turn.lateMs = BURST_MS
  const refused = new WebSocket(`${url.replace('http', 'ws')}/api/solrpc`, {
    headers: { 'x-forwarded-for': '198.51.100.66' },
  })
  refused.on('error', () => {})
  const [, reply] = await once(refused, 'unexpected-response')
  t.equal(reply.statusCode, 503)
  reply.destroy()
})
