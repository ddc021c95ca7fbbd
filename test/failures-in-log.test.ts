/**
 * A failure is explained by the log alone: what stands in it of a request whose
 * upstream failed, over the whole gateway and real failures of real sockets.
 */
import { createServer } from 'node:net'
import t from 'tap'
import { listen } from './fixtures/gateway.ts'
import { closedPort, hostileUpstream, resets, stalls, status, writes } from './fixtures/hostile-upstream.ts'

const ENDLESS_HEADER = `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(40_000)}`

const PATH = `/api/xstatus?txHash=0x${'1'.repeat(64)}&bridge=across`

t.test('each way to fail has its cause, under the id of the request', async (t) => {
  const raw = createServer((socket) => socket.end('hello, I speak no TLS\r\n'))
  await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve))
  t.teardown(() => raw.close())
  const { port } = raw.address() as { port: number }
  const cases: [url: string, cause: string, code: string, status: number | null][] = [
    ['http://name.invalid', 'dns', 'upstream_unavailable', null],
    [`http://127.0.0.1:${await closedPort()}`, 'refused', 'upstream_unavailable', null],
    [`https://127.0.0.1:${port}`, 'tls', 'upstream_unavailable', null],
    [(await hostileUpstream(t, resets)).url, 'reset', 'upstream_unavailable', null],
    [(await hostileUpstream(t, stalls)).url, 'timeout', 'upstream_timeout', null],
    [(await hostileUpstream(t, writes('hello\r\n\r\n'))).url, 'not_http', 'upstream_unusable', null],
    [(await hostileUpstream(t, writes(ENDLESS_HEADER))).url, 'unknown', 'upstream_unusable', null],
    [(await hostileUpstream(t, status(503))).url, 'answer', 'upstream_failed', 503],
    [(await hostileUpstream(t, status(401))).url, 'answer', 'upstream_refused', 401],
    [(await hostileUpstream(t, status(429))).url, 'answer', 'upstream_rate_limited', 429],
    [(await hostileUpstream(t, status(200, '<html>'))).url, 'answer', 'upstream_unusable', 200],
  ]
  for (const [upstream, cause, code, answered] of cases) {
    const { url, log } = await listen(
      t,
      { MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1', XPROV_URL: upstream },
      { deadlines: { crossChainMs: cause === 'timeout' ? 300 : 10_000 } },
    )
    const title = `${cause} ${answered ?? ''}`
    const response = await fetch(url + PATH, { headers: { 'x-request-id': 'mine' } })
    t.match(await response.json(), { code, provider: 'xprov' }, title)
    const lines = log.filter(({ id }) => id === 'mine')
    const failed = {
      level: 40,
      upstream: 'xprov',
      lane: 'all',
      failure: code,
      cause,
      status: answered,
      ms: Number,
    }
    const request = { level: 30, msg: 'request', route: '/api/xstatus', status: 502, code, provider: 'xprov' }
    t.match(lines, [{ ...failed, msg: 'upstream call failed' }, request], title)
    t.equal(lines[1]!.upstreamStatus, answered === null || answered === 200 ? undefined : answered, title)
    t.equal(lines.length, 2, title)
    const error = cause === 'unknown' ? 'HeadersOverflowError UND_ERR_HEADERS_OVERFLOW' : undefined
    t.equal(lines[0]!.error, error, title)
    t.notMatch(JSON.stringify(lines), /127\.0\.0\.1|name\.invalid|1111111|across/, title)
  }
})
