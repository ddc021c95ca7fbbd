/** What a scrape of a real admin listener says after real calls. */
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { openEvents } from '../../fixtures/events.ts'
import { call, GRACE, listen } from '../../fixtures/gateway.ts'
import {
  answers,
  type Behaviour,
  type HostileUpstream,
  hostileUpstream,
  http,
  rpc,
  status,
} from '../../fixtures/hostile-upstream.ts'

type Series = ReadonlyMap<string, number>

async function gatewayOver(
  t: Test,
  node: HostileUpstream,
  options: Parameters<typeof listen>[2] = {},
  environment = {},
) {
  const gateway = await listen(
    t,
    { MODE: 'live', ADMIN_PORT: '0', SOLANA_RPC_URLS: node.url, IN_FLIGHT: '1/9', ...environment },
    options,
  )
  const scrape = async (): Promise<Series> => {
    const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
    return new Map(
      text
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
    )
  }
  return { ...gateway, scrape }
}

/** Answers when it is told to. */
function held(): { readonly behaviour: Behaviour; readonly waiting: (() => void)[] } {
  const waiting: (() => void)[] = []
  const behaviour: Behaviour = (socket, { id }) =>
    void waiting.push(() => socket.write(http(200, rpc(id, '"result":7'))))
  return { behaviour, waiting }
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 5))
}

t.test('counts upstream calls, errors and verdicts by our own names', async (t) => {
  const node = await hostileUpstream(t, answers('"result":7'))
  const { url, scrape } = await gatewayOver(t, node)
  await call(url, 'getSlot', [])
  await call(url, 'getSecret', [])
  await call(url, 'getSlot', [{ commitment: 'secret' }])
  node.behaviour = status(503)
  await call(url, 'getBlockHeight', [])
  await fetch(`${url}/secret`)
  const series = await scrape()
  const expected: Record<string, number> = {
    'swapgate_upstream_calls_total{upstream="solana-1",lane="getBlockHeight",outcome="upstream_failed"}': 1,
    'swapgate_errors_total{route="/api/solrpc",code="method_not_allowed"}': 1,
    'swapgate_errors_total{route="/api/solrpc",code="invalid_parameter"}': 1,
    'swapgate_errors_total{route="/api/solrpc",code="upstream_failed"}': 1,
    'swapgate_errors_total{route="none",code="not_found"}': 1,
    'swapgate_relay_verdicts_total{method="getSlot",verdict="answered"}': 1,
    'swapgate_relay_verdicts_total{method="getSlot",verdict="invalid_parameter"}': 1,
    'swapgate_relay_verdicts_total{method="getBlockHeight",verdict="upstream_failed"}': 1,
    'swapgate_upstream_state{upstream="solana-1",state="degraded"}': 1,
    'swapgate_upstream_state{upstream="solana-1",state="ok"}': 0,
    'swapgate_upstream_state{upstream="ethereum-1",state="untried"}': 1,
    'swapgate_upstream_cooling{upstream="solana-1"}': 0,
    'swapgate_upstream_quota_left_ratio{upstream="xprov",quota="calls"}': 1,
    'swapgate_upstream_quota_left_ratio{upstream="xprov",quota="quotes"}': 1,
    'swapgate_answers_total{of="rpc",source="asked"}': 1,
    'swapgate_answers_total{of="quote",source="cached"}': 0,
    swapgate_log_lines_dropped_total: 0,
    'swapgate_requests_shed_total{priority="research"}': 0,
  }
  for (const [name, value] of Object.entries(expected)) t.equal(series.get(name), value, name)
  // The two that open connections at the start ask it as well.
  const slots = series.get('swapgate_upstream_calls_total{upstream="solana-1",lane="getSlot",outcome="ok"}')!
  t.equal(slots, 3)
  t.equal(series.get('swapgate_upstream_call_duration_seconds_count{upstream="solana-1"}'), 4)
  for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes'])
    t.ok(series.has(name), name)
  t.notMatch([...series.keys()].join(), /secret|127\.0\.0\.1/i)
})

t.test('a scrape has the bytes that are held for clients', async (t) => {
  const { url, scrape } = await gatewayOver(t, await hostileUpstream(t, answers('"result":7')))
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  socket.on('error', () => {})
  const head =
    'POST /api/build HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n'
  socket.write(`${head}${'['.repeat(50_000)}`)
  await until(async () => (await scrape()).get('swapgate_held_bytes') === 50_000)
  socket.destroy()
  await until(async () => (await scrape()).get('swapgate_held_bytes') === 0)
})

t.test('a scrape has the delays of the event loop since the last one', async (t) => {
  let sample: (delayMs: number) => void = () => {}
  const node = await hostileUpstream(t, answers('"result":7'))
  const { scrape } = await gatewayOver(t, node, {
    watchDelay(_onWindow, onSample) {
      sample = onSample!
      return { nowMs: () => 0, close() {} }
    },
  })
  const delays = async (): Promise<(number | undefined)[]> => {
    const series = await scrape()
    return ['min', 'p50', 'p99', 'max'].map((part) => {
      const seconds = series.get(`nodejs_eventloop_lag_${part}_seconds`)
      return seconds === undefined ? undefined : Math.round(seconds * 1e3)
    })
  }
  t.same(await delays(), [0, 0, 0, 0])
  for (let i = 0; i < 9; i++) sample(20)
  sample(300)
  t.same(await delays(), [20, 20, 300, 300])
  t.same(await delays(), [0, 0, 0, 0])
})

t.test('shows what is in progress, what waits, and what is shared', async (t) => {
  const { behaviour, waiting } = held()
  const node = await hostileUpstream(t, answers('"result":7'))
  let dropped = 3
  const { url, scrape } = await gatewayOver(t, node, { droppedLines: () => dropped })
  await call(url, 'getSlot', [])
  node.behaviour = behaviour
  const pending = [call(url, 'getBlockHeight', []), call(url, 'getLatestBlockhash', [])]
  await until(() => waiting.length === 1)
  const name = (place: string, state: string) =>
    `swapgate_upstream_calls_in_flight{slot="${place}",state="${state}"}`
  await until(async () => (await scrape()).get(name('calls', 'waiting')) === 1)
  const series = await scrape()
  t.equal(series.get(name('calls', 'under_way')), 1, 'IN_FLIGHT=1/9: one of a client')
  t.equal(series.get(name('submissions', 'under_way')), 0)
  t.equal(series.get('swapgate_log_lines_dropped_total'), 3)
  dropped = 5
  waiting.shift()!()
  await until(() => waiting.length === 1)
  waiting.shift()!()
  for (const response of await Promise.all(pending)) t.equal(response.status, 200)
  const later = await scrape()
  t.equal(later.get(name('calls', 'under_way')), 0)
  t.equal(later.get(name('calls', 'waiting')), 0)
  t.equal(later.get('swapgate_log_lines_dropped_total'), 5)
})

t.test('counts requests that RECORD_DIR should have recorded, and did not', async (t) => {
  const node = await hostileUpstream(t, answers('"result":7'))
  const { url, scrape } = await gatewayOver(t, node, {}, { IN_FLIGHT: '9/9', RECORD_DIR: t.testdir() })
  await call(url, 'getSlot', [])
  const dropped = async () => (await scrape()).get('swapgate_recordings_dropped_total')
  t.equal(await dropped(), 0)
  const { status } = await openEvents(t, `${url}/api/bake-off/event`)
  t.same([status, await dropped()], [200, 1])
})

t.test('shows what was not called, and why', async (t) => {
  const node = await hostileUpstream(t, status(429, 'slow down', ['retry-after: 60']))
  const { url, log, scrape } = await gatewayOver(t, node, {}, { XPROV_URL: node.url })
  for (const hash of ['1', '2', '3']) await fetch(`${url}/api/xstatus?txHash=0x${hash.repeat(64)}`)
  const series = await scrape()
  t.equal(
    series.get('swapgate_upstream_calls_total{upstream="xprov",lane="all",outcome="upstream_rate_limited"}'),
    1,
  )
  t.equal(series.get('swapgate_upstream_held_back_total{upstream="xprov",by="cooldown"}'), 2)
  const lines = log.filter(({ msg }) => msg === 'request')
  t.match(lines[0], { code: 'upstream_rate_limited', provider: 'xprov', upstreamStatus: 429 })
  for (const line of lines.slice(1)) t.notOk('upstreamStatus' in line, 'it was not asked')
})

t.test('counts connections, and those that were refused', async (t) => {
  const { behaviour, waiting } = held()
  const node = await hostileUpstream(t, answers('"result":7'))
  const limits = { serverLimits: { maxConnectionsPerPeer: 1, checkIntervalMs: 10 } }
  const { url, scrape } = await gatewayOver(t, node, limits, { TRUSTED_PROXIES: 'none' })
  await until(
    async () => (await scrape()).get('swapgate_upstream_state{upstream="solana-1",state="ok"}') === 1,
  )
  node.behaviour = behaviour
  // A call is under way on the first, so that it does not give way to the second.
  const body = '{"jsonrpc":"2.0","id":1,"method":"getBlockHeight","params":[]}'
  const head = `POST /api/solrpc HTTP/1.1\r\nHost: here\r\nContent-Length: ${body.length}\r\n\r\n`
  for (let i = 0; i < 2; i++) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    t.teardown(() => socket.destroy())
    socket.on('error', () => {})
    socket.write(head + body)
    await until(() => waiting.length === 1)
  }
  await until(async () => (await scrape()).get('swapgate_connections_closed_total{why="refused"}') === 1)
  await until(async () => (await scrape()).get('swapgate_connections') === 1)
  waiting[0]!()
})

t.test('is live while it runs, and ready until it stops, whatever its upstreams do', async (t) => {
  const { behaviour, waiting } = held()
  const node = await hostileUpstream(t, status(503))
  const { url, adminUrl, scrape, stop } = await gatewayOver(t, node, {}, GRACE)
  const get = async (path: string) => {
    const response = await fetch(adminUrl + path)
    return [response.status, await response.json()]
  }
  await until(
    async () => (await scrape()).get('swapgate_upstream_state{upstream="solana-1",state="untried"}') === 0,
  )
  t.same(await get('/ready'), [200, { state: 'ready' }], 'taking out every instance would help nobody')
  t.same(await get('/live'), [200, { state: 'live' }])
  t.equal((await fetch(`${adminUrl}/ready`, { method: 'POST' })).status, 405)
  t.equal((await fetch(`${url}/ready`)).status, 404, 'on the admin listener only')

  node.behaviour = behaviour
  const pending = call(url, 'getSlot', [])
  await until(() => waiting.length === 1)
  const stopped = stop()
  t.same(await get('/ready'), [503, { state: 'draining' }])
  t.same(await get('/live'), [200, { state: 'live' }], 'what drains is not to be killed')
  waiting[0]!()
  t.equal((await pending).status, 200)
  t.equal(await stopped, true)
})

t.test('IN_FLIGHT is documented to clients', async (t) => {
  const cases: [text: string, inFlight: object][] = [
    ['', { client: 8, global: 256 }],
    ['16/off', { client: 16, global: null }],
    ['off', { client: null, global: null }],
  ]
  for (const [IN_FLIGHT, inFlight] of cases) {
    const { url } = await listen(t, { MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1', IN_FLIGHT })
    t.match(await (await fetch(`${url}/api/config`)).json(), { inFlight })
  }
})
