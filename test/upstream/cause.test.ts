import { createServer } from 'node:net'
import t from 'tap'
import type { CallEnd } from '../../src/upstream/call.ts'
import { createUpstreamContext } from '../../src/upstream/context.ts'
import { Upstream } from '../../src/upstream/upstream.ts'
import { closedPort, hostileUpstream, resets, stalls, status, writes } from '../fixtures/hostile-upstream.ts'

t.test('says where a call failed, in a word', async (t) => {
  const raw = createServer((socket) => socket.end('hello, I speak no TLS\r\n'))
  await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve))
  t.teardown(() => raw.close())
  const { port } = raw.address() as { port: number }
  const cases: [url: string, cause: string, status: number | null][] = [
    ['http://name.invalid', 'dns', null],
    [`http://127.0.0.1:${await closedPort()}`, 'refused', null],
    [`https://127.0.0.1:${port}`, 'tls', null],
    [(await hostileUpstream(t, resets)).url, 'reset', null],
    [(await hostileUpstream(t, stalls)).url, 'timeout', null],
    [(await hostileUpstream(t, writes('hello\r\n\r\n'))).url, 'not_http', null],
    [(await hostileUpstream(t, status(503))).url, 'answer', 503],
  ]
  for (const [url, cause, answered] of cases) {
    const ends: CallEnd[] = []
    const context = createUpstreamContext({ onCall: (end) => ends.push(end) })
    const upstream = new Upstream({ label: 'node', url, maxBytes: 1_000, context })
    t.teardown(() => upstream.close())
    const request = { method: 'POST', path: '', body: '{}', resend: false, read: () => 'read' } as const
    await t.rejects(upstream.ask(request, { deadlineMs: 1_000 }))
    t.match(ends, [{ upstream: 'node', cause, status: answered, requestId: null }], url)
  }
})
