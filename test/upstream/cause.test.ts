import { createServer } from 'node:net'
import t from 'tap'
import type { CallEnd } from '../../src/upstream/call.ts'
import { causeOf, errorClass, isBug } from '../../src/upstream/cause.ts'
import { createUpstreamContext } from '../../src/upstream/context.ts'
import { Upstream } from '../../src/upstream/upstream.ts'
import { callOf } from '../fixtures/call.ts'
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
    await t.rejects(upstream.ask(request, callOf(1_000)))
    t.match(ends, [{ upstream: 'node', cause, status: answered, requestId: null }], url)
  }
})

const coded = (code: string, error: Error = new Error('secret')): Error => Object.assign(error, { code })

t.test('an error that is not listed is unknown, and its class is named without its message', (t) => {
  class ProtocolError extends Error {}
  for (const [error, named] of [
    [new Error('secret'), 'Error'],
    [coded('EWHATEVER'), 'Error EWHATEVER'],
    [
      coded('UND_ERR_HEADERS_OVERFLOW', new ProtocolError('secret')),
      'ProtocolError UND_ERR_HEADERS_OVERFLOW',
    ],
    [Object.assign(new Error('secret'), { name: 'http://secret', code: 7 }), ''],
  ] as const) {
    t.equal(causeOf(error), 'unknown', named)
    t.equal(errorClass(error), named)
    t.equal(isBug(error), false, named)
  }
  t.end()
})

t.test('what JavaScript throws, and what undici refuses, is a bug; what a socket says is none', (t) => {
  const bugs = [new TypeError(), new RangeError(), new ReferenceError(), new SyntaxError(), new URIError()]
  for (const error of [...bugs, coded('ERR_ASSERTION'), coded('UND_ERR_INVALID_ARG')]) t.ok(isBug(error))
  for (const code of ['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET', 'ERR_TLS_CERT_ALTNAME_INVALID'])
    t.notOk(isBug(coded(code)), code)
  t.end()
})

t.test('a bug is rethrown as it is, and is not the fault of the upstream', async (t) => {
  const ends: CallEnd[] = []
  const context = createUpstreamContext({ onCall: (end) => ends.push(end) })
  const { url } = await hostileUpstream(t, status(200, '{}'))
  const upstream = new Upstream({ label: 'node', url, maxBytes: 1_000, context })
  t.teardown(() => upstream.close())
  const request = {
    method: 'POST',
    path: '/of two lines\n',
    body: '{}',
    resend: false,
    read: () => 1,
  } as const
  for (let i = 0; i < 10; i++) {
    await t.rejects(upstream.ask(request, callOf(1_000)), { code: 'UND_ERR_INVALID_ARG' })
  }
  t.equal(ends.length, 10)
  t.match(ends, [{ failure: 'given_up', isFault: false, cause: null, error: null }])
  t.match(upstream.state, { state: 'untried', failures: 0, lastError: null })
  t.equal(await upstream.ask({ ...request, path: '' }, callOf(1_000)), 1, 'its circuit breaker is closed')
})
