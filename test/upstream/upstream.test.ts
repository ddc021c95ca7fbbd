import t, { type Test } from 'tap'
import { CancellationScope } from '../../src/flow/cancellation.ts'
import { HeldBytes } from '../../src/flow/held-bytes.ts'
import { parseTraceparent } from '../../src/flow/trace-context.ts'
import { type Code, GatewayError } from '../../src/runtime/errors.ts'
import { ConcurrencyLimiter, type SlotWait } from '../../src/upstream/admission/concurrency.ts'
import type { SharedLimits } from '../../src/upstream/admission/shared-limits.ts'
import type { CallEnd, UpstreamCall } from '../../src/upstream/call.ts'
import { createUpstreamContext } from '../../src/upstream/context.ts'
import { LIMITED, RequestFailed, type UpstreamRequest } from '../../src/upstream/request.ts'
import { reveals, secretsOf } from '../../src/upstream/secrets.ts'
import { Upstream, type UpstreamOptions } from '../../src/upstream/upstream.ts'
import { askedBy } from '../fixtures/asked-by.ts'
import { callOf } from '../fixtures/call.ts'
import { clockOf, handClock, STILL, until } from '../fixtures/clock.ts'
import {
  answers,
  type Behaviour,
  closedPort,
  closes,
  compresses,
  drips,
  floods,
  forgetsIdle,
  hostileUpstream,
  http,
  resets,
  resetsMidway,
  stalls,
  status,
  truncates,
  writes,
} from '../fixtures/hostile-upstream.ts'

/** A read whose answer is any body but `unusable`. */
const READ: UpstreamRequest<string> = {
  method: 'POST',
  path: '',
  body: '{"id":1}',
  resend: true,
  read: (status, body) => (status !== 200 || body.toString() === 'unusable' ? null : body.toString()),
}
const SUBMISSION = { ...READ, resend: false }
const OK = '{"jsonrpc":"2.0","result":1,"id":1}'

function upstreamAt(t: Test, url: string, options: Partial<UpstreamOptions> = {}): Upstream {
  const upstream = new Upstream({ label: 'solana-1', url, maxBytes: 100_000, ...options })
  t.teardown(() => upstream.close())
  return upstream
}

/** A call, and the moment after in which undici takes its connection back. */
async function exchange(upstream: Upstream, request: UpstreamRequest<string>): Promise<string> {
  const answer = await upstream.ask(request, callOf(60_000))
  await new Promise((resolve) => setTimeout(resolve, 5))
  return answer
}

/** The failure of a promise that must fail. */
async function failureOf(promise: Promise<unknown>): Promise<GatewayError> {
  return promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error) => error,
  )
}

t.test('each fault has its code, ends in time, and passes', async (t) => {
  const cases: [title: string, behaviour: Behaviour, expected: object, open?: number][] = [
    ['reset before an answer', resets, { code: 'upstream_unavailable' }],
    ['closed before an answer', closes, { code: 'upstream_unavailable' }],
    ['reset midway', resetsMidway, { code: 'upstream_unusable' }],
    ['truncated', truncates, { code: 'upstream_unusable' }],
    ['stalled', stalls, { code: 'upstream_timeout' }],
    ['dripping', drips, { code: 'upstream_timeout' }],
    ['too long', floods, { code: 'upstream_unusable', message: /Ask for less/ }],
    ['compressed', compresses, { code: 'upstream_unusable', message: /compressed/ }],
    ['not HTTP', writes('hello\r\n\r\n'), { code: 'upstream_unusable' }],
    ['HTTP/0.9', writes('<html>hello</html>'), { code: 'upstream_unusable' }],
    [
      'a header without end',
      writes(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(40_000)}`),
      { code: 'upstream_unusable' },
    ],
    ['a bad length', writes('HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n'), { code: 'upstream_unusable' }],
    ['an interim answer only', writes('HTTP/1.1 103 Hints\r\n\r\n'), { code: 'upstream_timeout' }],
    [
      'unusable',
      status(200, 'unusable'),
      { code: 'upstream_unusable', status: 502, fields: { provider: 'solana-1' } },
    ],
    ['no content', status(204, ''), { code: 'upstream_unusable', fields: { upstreamStatus: 204 } }],
    [
      'a redirect',
      status(302, '', ['location: http://127.0.0.1:1/']),
      { code: 'upstream_unusable', fields: { upstreamStatus: 302 } },
    ],
    ['401', status(401), { code: 'upstream_refused', status: 502, fields: { upstreamStatus: 401 } }],
    ['402', status(402), { code: 'upstream_refused', status: 502 }],
    ['403', status(403), { code: 'upstream_refused', status: 502 }],
    ['407', status(407), { code: 'upstream_refused', status: 502 }],
    ['413', status(413), { code: 'upstream_status', status: 413, fields: { upstreamStatus: 413 } }],
    ['404', status(404), { code: 'upstream_status', status: 404 }],
    ['500', status(500), { code: 'upstream_failed', status: 502, fields: { upstreamStatus: 500 } }],
    ['503', status(503), { code: 'upstream_failed', status: 502, fields: { upstreamStatus: 503 } }],
  ]
  for (const [title, behaviour, expected] of cases) {
    const server = await hostileUpstream(t, behaviour)
    const clock = handClock()
    const ends: CallEnd[] = []
    const context = createUpstreamContext({ clock, onCall: (end) => ends.push(end) })
    const upstream = upstreamAt(t, server.url, { context })
    const call = failureOf(upstream.ask(READ, callOf(300, null, 'build', clock)))
    if ((expected as { code: Code }).code === 'upstream_timeout') {
      await until(() => server.requests.length > 0)
      clock.advance(299)
      // What drips arrives meanwhile, and does not put the deadline off.
      await new Promise((resolve) => setTimeout(resolve, 20))
      t.equal(ends.length, 0, `${title}: there is time left`)
      clock.advance(1)
    }
    const error = await call
    t.match(error, { name: 'GatewayError', ...expected }, title)
    t.equal(ends[0]!.ms, clock.now() - 1_000, `${title}: in time`)
    t.equal(
      ends[0]!.error !== null,
      ends[0]!.cause === 'unknown',
      `${title}: an error without a cause is named`,
    )
    t.notMatch(JSON.stringify([error.message, error.fields]), String(server.port), `${title}: no address`)
    server.behaviour = answers()
    t.equal(await upstream.ask(READ, callOf(60_000)), OK, `${title}: the next call is well`)
  }
})

t.test(
  'the end of a call names the request and the trace that it was made for, where there are any',
  async (t) => {
    const server = await hostileUpstream(t, answers())
    const ends: CallEnd[] = []
    const context = createUpstreamContext({ onCall: (end) => ends.push(end) })
    const upstream = upstreamAt(t, server.url, { context })
    const trace = parseTraceparent('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01')
    for (const scope of [
      null,
      new CancellationScope('alice', askedBy('request-1')),
      new CancellationScope('alice', { ...askedBy('request-2'), trace }),
    ])
      await upstream.ask(READ, callOf(60_000, scope))
    t.strictSame(
      ends.map(({ requestId, traceId }) => [requestId, traceId]),
      [
        [null, null],
        ['request-1', null],
        ['request-2', '4bf92f3577b34da6a3ce929d0e0e4736'],
      ],
    )
  },
)

t.test(
  'where no connection can be made, no question is the cause; where one breaks, it may be',
  async (t) => {
    const closed = `http://127.0.0.1:${await closedPort()}`
    const { url } = await hostileUpstream(t, resets)
    for (const [address, isReady] of [
      [closed, false],
      [url, true],
    ] as const) {
      const upstream = upstreamAt(t, address, { context: createUpstreamContext({ clock: handClock() }) })
      for (const client of ['one', 'other', 'other', 'other', 'other', 'other', 'other']) {
        const scope = new CancellationScope(client)
        await failureOf(upstream.ask(SUBMISSION, callOf(60_000, scope)))
      }
      t.equal(upstream.isReady(), isReady)
    }
  },
)

t.test('refused credentials show that an upstream works: a run of failures ends there', async (t) => {
  const server = await hostileUpstream(t)
  const upstream = upstreamAt(t, server.url, { context: createUpstreamContext({ clock: handClock() }) })
  const answer = async (code: number) => {
    server.behaviour = status(code)
    await failureOf(upstream.ask(READ, callOf(60_000)))
    return upstream.isReady()
  }
  for (const code of [500, 500, 500, 500, 401, 500, 500, 500, 500]) t.ok(await answer(code), `${code}`)
  t.notOk(await answer(500), 'five in a row')
})

t.test('what instances decide together names the lane, and the whole where there is none', async (t) => {
  const server = await hostileUpstream(t)
  const lanes: string[] = []
  const shared: SharedLimits = {
    decide: async ({ lane, quotas }) => {
      lanes.push(lane)
      return { waitMs: 0, cooldown: null, creditsMs: quotas.map(({ sizes }) => sizes.fullMs) }
    },
    look: async () => null,
    startCooldown: async () => true,
    endCooldown: () => {},
  }
  const context = createUpstreamContext({ clock: handClock(), shareLimits: () => shared })
  const upstream = upstreamAt(t, server.url, { context, quota: { calls: 10, windowMs: 10_000 } })
  t.equal(await upstream.ask({ ...READ, lane: 'getSlot' }, callOf(60_000)), OK)
  t.equal(await upstream.ask(READ, callOf(60_000)), OK)
  t.same(lanes, ['getSlot', 'all'])
})

t.test('a port that nobody listens on', async (t) => {
  const port = await closedPort()
  const upstream = upstreamAt(t, `http://127.0.0.1:${port}`)
  t.match(await failureOf(upstream.ask(READ, callOf(60_000))), { code: 'upstream_unavailable' })
})

t.test('accepts what arrives in pieces, after an interim answer, or marked as plain', async (t) => {
  const whole = http(200, OK).toString()
  const pieces: Behaviour = (socket) => {
    socket.write(whole.slice(0, 5))
    setTimeout(() => socket.write(whole.slice(5, -3)), 10)
    setTimeout(() => socket.write(whole.slice(-3)), 20)
  }
  const chunked = writes(
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"jso\r\n1\r\nn\r\n0\r\n\r\n`,
  )
  const server = await hostileUpstream(t)
  const upstream = upstreamAt(t, server.url)
  const cases: [behaviour: Behaviour, body: string][] = [
    [pieces, OK],
    [chunked, '{"json'],
    [writes(`HTTP/1.1 103 Hints\r\nlink: x\r\n\r\n${whole}`), OK],
    [status(200, OK, ['content-encoding: Identity']), OK],
    [status(200, '', []), ''],
  ]
  for (const [behaviour, body] of cases) {
    server.behaviour = behaviour
    t.equal(await exchange(upstream, READ), body)
  }
  t.equal(server.accepted, 1, 'all over one connection')
  server.behaviour = (socket) => socket.end(`HTTP/1.0 200 OK\r\n\r\n${OK}`)
  t.equal(await exchange(upstream, READ), OK, 'an answer that the end of its connection ends')
})

t.test('what waits for a slow client gives its connection to a call that waits for one', async (t) => {
  const clock = handClock()
  const held = new HeldBytes({ limits: { client: 1, all: 1 << 30 } })
  const server = await hostileUpstream(t)
  const context = createUpstreamContext({ held, clock })
  const upstream = upstreamAt(t, server.url, { maxBytes: 1 << 20, connections: 1, context })
  const scopeOf = (client: string) => new CancellationScope(client as never)
  const unread = held.open('slow' as never, { flow: null, drop: () => t.fail('the reply is dropped') })
  unread.add(2)
  let isOver = false
  const ask = () =>
    failureOf(upstream.ask(READ, callOf(60_000, scopeOf('slow')))).finally(() => (isOver = true))
  server.behaviour = (socket) => socket.write(http(200, 'a'.repeat(200_000)))

  const alone = ask()
  await until(() => held.bytesOf('slow' as never) > 65_536)
  clock.advance(4_999)
  await new Promise(setImmediate)
  t.notOk(isOver, 'nobody else waits')
  clock.advance(1)
  t.match(await alone, { code: 'overloaded' })

  isOver = false
  const crowded = ask()
  await until(() => held.bytesOf('slow' as never) > 65_536)
  server.behaviour = answers()
  const other = upstream.ask(READ, callOf(60_000, scopeOf('other')))
  clock.advance(250)
  t.match(await crowded, { code: 'overloaded' })
  t.equal(await other, OK)
  unread.close()
  t.equal(held.clients, 0)
})

t.test(
  'an answer in single bytes that is joined counts with its copy until it is read, and is bounded',
  async (t) => {
    const maxBytes = 150_000
    const held = new HeldBytes()
    const server = await hostileUpstream(t)
    const upstream = upstreamAt(t, server.url, { maxBytes, context: createUpstreamContext({ held }) })
    const drip =
      (length: number): Behaviour =>
      (socket) =>
        socket.write(
          `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(length)}0\r\n\r\n`,
        )
    let most = 0
    const read = (_status: number, body: Buffer): string => {
      most = held.bytes
      return String(body.length)
    }
    const ask = () => upstream.ask({ ...READ, read }, callOf(60_000))

    server.behaviour = drip(maxBytes)
    t.equal(await ask(), String(maxBytes))
    t.equal(most, 2 * maxBytes)
    t.equal(held.bytes, 0)
    t.equal(held.clients, 0)

    server.behaviour = drip(maxBytes + 1)
    most = 0
    t.match(await failureOf(ask()), { code: 'upstream_unusable', message: /less/ })
    t.equal(most, 0, 'it is not read')
    t.equal(held.bytes, 0)
    t.equal(held.clients, 0)
  },
)

t.test('bounds an answer by what arrives', async (t) => {
  const server = await hostileUpstream(t, status(200, 'a'.repeat(1_000)))
  t.equal(await upstreamAt(t, server.url, { maxBytes: 1_000 }).ask(READ, callOf(60_000)), 'a'.repeat(1_000))
  const short = upstreamAt(t, server.url, { maxBytes: 999 })
  for (let i = 0; i < 6; i++) {
    t.match(await failureOf(short.ask(READ, callOf(60_000))), {
      code: 'upstream_unusable',
      message: /less/,
    })
  }
  t.ok(short.breaker.isReady, 'what callers ask for does not open the breaker')
})

t.test(
  'a read goes out once more when its kept connection turns out dead, a submission does not',
  async (t) => {
    const server = await hostileUpstream(t, forgetsIdle())
    const upstream = upstreamAt(t, server.url)
    t.equal(await exchange(upstream, READ), OK)
    t.equal(await exchange(upstream, READ), OK)
    t.same(
      server.requests.map(({ nth }) => nth),
      [1, 2, 1],
    )
    t.equal(upstream.state.failures, 0)

    t.equal(await exchange(upstream, SUBMISSION), OK)
    t.match(await failureOf(upstream.ask(SUBMISSION, callOf(60_000))), {
      code: 'upstream_unavailable',
    })
    t.same(
      server.requests.slice(3).map(({ nth }) => nth),
      [1, 2],
    )
  },
)

t.test('a resend does not try the next idle connection, which may be as dead', async (t) => {
  const server = await hostileUpstream(t, forgetsIdle())
  const upstream = upstreamAt(t, server.url)
  await Promise.all([1, 2, 3].map(() => exchange(upstream, READ)))
  t.equal(server.open, 3)
  t.equal(await exchange(upstream, READ), OK)
  t.same(
    server.requests.slice(3).map(({ nth }) => nth),
    [2, 1],
  )
})

t.test('a read that dies twice is not sent a third time', async (t) => {
  const server = await hostileUpstream(t, resets)
  t.match(await failureOf(upstreamAt(t, server.url).ask(READ, callOf(60_000))), {
    code: 'upstream_unavailable',
  })
  t.equal(server.requests.length, 2)
})

t.test('a call without time left is not made, and does not count against the upstream', async (t) => {
  const server = await hostileUpstream(t, answers('"result":1'))
  const upstream = upstreamAt(t, server.url)
  for (const deadlineMs of [0, -1]) {
    t.match(await failureOf(upstream.ask(READ, callOf(deadlineMs))), { code: 'upstream_timeout' })
  }
  t.equal(server.accepted, 0)
  t.equal(upstream.state.state, 'untried')
})

t.test('does not resend once a byte of an answer came', async (t) => {
  const server = await hostileUpstream(t, (socket) => socket.end('HTTP/1.1 2'))
  const upstream = upstreamAt(t, server.url)
  t.match(await failureOf(upstream.ask(READ, callOf(60_000))), { code: 'upstream_unusable' })
  t.equal(server.requests.length, 1)
})

t.test('a client that leaves ends its call, and that does not count against the upstream', async (t) => {
  const server = await hostileUpstream(t, stalls)
  const upstream = upstreamAt(t, server.url)
  const scope = new CancellationScope()
  const call = failureOf(upstream.ask(READ, callOf(60_000, scope)))
  while (server.requests.length === 0) await new Promise(setImmediate)
  scope.cancel()
  scope.cancel()
  t.match(await call, { code: 'upstream_unavailable', message: /went away/ })
  // The connection is gone; undici may have opened the next one already.
  while (server.accepted === server.open) await new Promise(setImmediate)
  t.equal(upstream.state.state, 'untried')

  t.match(await failureOf(upstream.ask(READ, callOf(60_000, scope))), { message: /went away/ })
  t.equal(server.requests.length, 1, 'one who went away before is not asked for')

  server.behaviour = answers()
  const late = new CancellationScope()
  t.equal(await upstream.ask(READ, callOf(60_000, late)), OK)
  late.cancel()
})

t.test('a client that leaves ends all of its calls, and no others', async (t) => {
  const server = await hostileUpstream(t, stalls)
  const upstream = upstreamAt(t, server.url)
  const scope = new CancellationScope()
  const own = [scope, scope, scope.fork(), scope.fork().fork()]
  const calls = own.map((scope) => failureOf(upstream.ask(READ, callOf(60_000, scope))))
  const other = upstream.ask(READ, callOf(60_000, new CancellationScope()))
  while (server.requests.length < 5) await new Promise(setImmediate)
  scope.cancel()
  for (const failure of await Promise.all(calls)) t.match(failure, { message: /went away/ })
  const outcome = await Promise.race([
    other.catch(() => 'ended'),
    new Promise((r) => setImmediate(r, 'waits')),
  ])
  t.equal(outcome, 'waits')
})

t.test('a long request keeps none of its ended calls, however they ended', async (t) => {
  class Watching extends CancellationScope {
    readonly calls = new Set<unknown>()
    override watch(call: UpstreamCall<unknown>): void {
      this.calls.add(call)
      super.watch(call)
    }
    override unwatch(call: UpstreamCall<unknown>): void {
      this.calls.delete(call)
      super.unwatch(call)
    }
  }
  const clock = handClock()
  const cases: readonly (readonly [Behaviour, string | null])[] = [
    [answers(), null],
    [status(404), 'upstream_status'],
    [status(500), 'upstream_failed'],
    [resetsMidway, 'upstream_unusable'],
    [floods, 'upstream_unusable'],
    [stalls, 'upstream_timeout'],
  ]
  for (const [behaviour, code] of cases) {
    const server = await hostileUpstream(t, behaviour)
    const upstream = upstreamAt(t, server.url, { context: createUpstreamContext({ clock }) })
    const scope = new Watching()
    const call = upstream.ask(READ, callOf(300, scope)).then(
      () => null,
      (error) => error.code,
    )
    t.equal(scope.calls.size, 1)
    await until(() => server.requests.length > 0)
    if (behaviour === stalls) clock.advance(300)
    t.equal(await call, code)
    t.equal(scope.calls.size, 0, code ?? 'answered')
  }
})

t.test('a call that ends while it waits for a connection costs none', async (t) => {
  const held: (() => void)[] = []
  const server = await hostileUpstream(t, (socket, request) => {
    held.push(() => answers()(socket, request))
  })
  const clock = handClock()
  const upstream = upstreamAt(t, server.url, { context: createUpstreamContext({ clock }) })
  const calls = Array.from({ length: 40 }, () => upstream.ask(READ, callOf(60_000)))
  while (held.length < 40) await new Promise(setImmediate)

  const scope = new CancellationScope()
  const cancelled = failureOf(upstream.ask(READ, callOf(60_000, scope)))
  const expired = failureOf(upstream.ask(READ, callOf(20)))
  const waiting = upstream.ask(READ, callOf(60_000))
  scope.cancel()
  t.match(await cancelled, { code: 'upstream_rate_limited' })
  clock.advance(20)
  t.match(await expired, { code: 'upstream_rate_limited', fields: { retryAfterMs: 2_000 } })

  for (const answer of held) answer()
  await Promise.all(calls)
  while (held.length < 41) await new Promise(setImmediate)
  held[40]!()
  t.equal(await waiting, OK)
  t.equal(server.requests.length, 41)
  t.equal(server.accepted, 40)
})

t.test('what a reader throws is the outcome, and its code says whether the upstream works', async (t) => {
  const server = await hostileUpstream(t)
  const cases: readonly (readonly [thrown: Code, failures: number, opens?: false])[] = [
    ['no_route', 0],
    ['invalid_parameter', 0],
    // Only the operator can mend credentials: a pause would not help.
    ['upstream_refused', 1, false],
    ['upstream_status', 0],
    ['upstream_failed', 1],
    ['upstream_timeout', 1],
    ['upstream_unusable', 1],
    ['upstream_unavailable', 1],
  ]
  for (const http of [200, 400, 422]) {
    server.behaviour = status(http)
    for (const [code, failures, opens = failures > 0] of cases) {
      const upstream = upstreamAt(t, server.url)
      const error = new GatewayError(code, 'What it said.')
      const throwing = (thrown: Error) => () => {
        throw thrown
      }
      const ask = (thrown: Error) =>
        failureOf(upstream.ask({ ...READ, read: throwing(thrown) }, callOf(60_000)))
      t.equal(await ask(error), error, `${code} in a ${http}`)
      t.equal(upstream.state.failures, failures, `${code} in a ${http}`)
      t.equal(await ask(new RequestFailed(error)), error, 'the same, of one request only')
      t.match(upstream.state, { state: 'ok', failures: 0 })
      for (let i = 0; i < 5; i++) await ask(error)
      t.equal(upstream.breaker.isReady, !opens, `five times ${code} in a ${http}`)
    }
  }
})

t.test('an answer about the request alone says that the upstream works', async (t) => {
  const server = await hostileUpstream(t, status(200))
  const upstream = upstreamAt(t, server.url)
  const error = new GatewayError('upstream_failed', 'What it said.')
  const ask = (thrown: Error) => {
    const read = () => {
      throw thrown
    }
    return failureOf(upstream.ask({ ...READ, read }, callOf(10_000)))
  }
  for (let i = 0; i < 4; i++) await ask(error)
  await ask(new RequestFailed(error))
  for (let i = 0; i < 4; i++) await ask(error)
  t.equal(upstream.breaker.isReady, true, 'four failures since')
  await ask(error)
  t.equal(upstream.breaker.isReady, false)
})

t.test('a call waits for a place for half of its time, and for two seconds at most', async (t) => {
  const waited: number[] = []
  class Full extends ConcurrencyLimiter {
    override tryAcquire(): boolean {
      return false
    }
    override acquire({ waitMs, onSettled }: SlotWait): void {
      waited.push(waitMs)
      onSettled(false)
    }
  }
  const upstream = upstreamAt(t, 'http://127.0.0.1:1', {
    context: createUpstreamContext({ calls: new Full() }),
  })
  for (const deadlineMs of [600, 4_000, 20_000])
    t.match(await failureOf(upstream.ask(READ, callOf(deadlineMs, null, 'build', STILL))), {
      code: 'upstream_rate_limited',
    })
  t.same(waited, [300, 2_000, 2_000])
})

t.test(
  'a rate limit that is told in words pauses the upstream, for as long as its header says',
  async (t) => {
    for (const http of [200, 400, 429]) {
      const clock = { now: 0 }
      const server = await hostileUpstream(t, status(http, 'slow down', ['retry-after: 7']))
      const upstream = upstreamAt(t, server.url, {
        context: createUpstreamContext({ clock: clockOf({ now: () => clock.now }) }),
        probeMs: 60_000,
      })
      const ask = () => failureOf(upstream.ask({ ...READ, read: () => LIMITED }, callOf(60_000)))
      t.match(await ask(), { code: 'upstream_rate_limited', status: 502, fields: { retryAfterMs: 7_000 } })
      clock.now += 3_000
      t.match(await ask(), { code: 'upstream_rate_limited', fields: { retryAfterMs: 4_000 } }, `in a ${http}`)
      t.equal(server.requests.length, 1, 'it is left alone')
    }
  },
)

t.test('holds calls back while it cools down, and counts no failure of its callers', async (t) => {
  const clock = { now: 0 }
  const server = await hostileUpstream(t, status(429, 'slow down', ['retry-after: 7']))
  const upstream = upstreamAt(t, server.url, {
    context: createUpstreamContext({ clock: clockOf({ now: () => clock.now }) }),
    probeMs: 60_000,
  })
  const limited = {
    code: 'upstream_rate_limited',
    status: 502,
    fields: { upstreamStatus: 429, retryAfterMs: 7_000 },
  }
  t.match(await failureOf(upstream.ask(READ, callOf(60_000))), limited)
  clock.now += 3_000
  const paused = { code: 'upstream_rate_limited', fields: { retryAfterMs: 4_000 } }
  t.match(await failureOf(upstream.ask(READ, callOf(60_000))), paused)
  t.equal(server.requests.length, 1)

  clock.now += 4_000
  server.behaviour = status(429)
  t.notOk('retryAfterMs' in (await failureOf(upstream.ask(READ, callOf(60_000)))).fields, 'it did not say')
  t.equal(upstream.waitMs(), 1_000)

  clock.now += 1_000
  for (const code of [404, 413, 401, 403, 400, 405]) {
    server.behaviour = status(code)
    await failureOf(upstream.ask(READ, callOf(60_000)))
  }
  t.match(upstream.state, { state: 'refused', lastError: { code: 'upstream_refused', status: 403 } })
  t.ok(upstream.breaker.isReady, 'a pause would not help')
  server.behaviour = status(500)
  for (let i = 0; i < 5; i++) await failureOf(upstream.ask(READ, callOf(60_000)))
  t.equal(upstream.state.state, 'cooling')
})

t.test(
  'a call that has waited for its slot is not made if the upstream must be left alone by then',
  async (t) => {
    const cases: [title: string, end: (upstream: Upstream) => Behaviour, refusal: object][] = [
      [
        'it failed once too often',
        () => status(500),
        { code: 'upstream_unavailable', fields: { retryAfterMs: 1_000 } },
      ],
      [
        'it limited',
        () => status(429, '', ['retry-after: 7']),
        { code: 'upstream_rate_limited', fields: { retryAfterMs: 7_000 } },
      ],
      [
        'it is of another cluster',
        (upstream) => {
          upstream.bar('wrong_cluster')
          return answers()
        },
        { code: 'wrong_cluster' },
      ],
    ]
    for (const [title, end, refusal] of cases) {
      const server = await hostileUpstream(t, status(500))
      const calls = new ConcurrencyLimiter({ client: 1, global: 1 })
      const clock = clockOf({ now: () => 0 })
      const upstream = upstreamAt(t, server.url, { context: createUpstreamContext({ calls, clock }) })
      for (let i = 0; i < 4; i++) await failureOf(upstream.ask(READ, callOf(5_000)))
      let answer = () => {}
      server.behaviour = (socket, request) => {
        answer = () => end(upstream)(socket, request)
      }
      const first = upstream.ask(READ, callOf(5_000)).catch(() => {})
      const second = failureOf(upstream.ask(READ, callOf(5_000)))
      await until(() => server.requests.length === 5)
      t.equal(calls.count.waiting, 1)
      answer()
      t.match(await second, refusal, title)
      await first
      t.equal(server.requests.length, 5, `${title}: it was not asked`)
      t.same(calls.count, { used: 0, waiting: 0 }, 'the slot is free again')
    }
  },
)

t.test('201, 202 and 203 are answers, and other statuses are not', async (t) => {
  for (const code of [201, 202, 203]) {
    const server = await hostileUpstream(t, status(code, OK))
    const upstream = upstreamAt(t, server.url)
    t.equal(await upstream.ask(READ, callOf(60_000)), OK, `${code}`)
    t.equal(upstream.state.state, 'ok')
    server.behaviour = status(code, 'unusable')
    t.match(await failureOf(upstream.ask(READ, callOf(60_000))), {
      code: 'upstream_unusable',
      message: /not an answer/,
      fields: { upstreamStatus: code },
    })
  }
  for (const code of [204, 205, 206, 302]) {
    const upstream = upstreamAt(t, (await hostileUpstream(t, status(code, ''))).url)
    t.match(await failureOf(upstream.ask(READ, callOf(60_000))), { message: /redirect, or without/ })
  }
})

t.test('the user name of a URL says in which header its password is a key', async (t) => {
  const cases: [user: string, header: string, value: string][] = [
    ['bearer', 'authorization', 'Bearer s3cr3t-key'],
    ['x-api-key', 'x-api-key', 's3cr3t-key'],
    ['api-key', 'api-key', 's3cr3t-key'],
    ['someone', 'authorization', `Basic ${Buffer.from('someone:s3cr3t-key').toString('base64')}`],
  ]
  for (const [user, header, value] of cases) {
    const server = await hostileUpstream(t, answers('"result":"your key is s3cr3t-key"'))
    const upstream = upstreamAt(t, server.url.replace('//', `//${user}:s3cr3t-key@`))
    const failure = await failureOf(upstream.ask({ ...READ, passesOn: true }, callOf(60_000)))
    t.match(failure, { message: /private details/ }, 'it is a secret')
    t.match(server.requests[0]!.head, new RegExp(`^${header}: ${value}\r$`, 'im'), user)
  }
})

t.test('a refused key that is optional is left out, and that is reported once', async (t) => {
  const refused: string[] = []
  const context = createUpstreamContext({ onKeyRefused: (upstream) => void refused.push(upstream) })
  const server = await hostileUpstream(t, (socket, request) => {
    const behaviour = /^authorization:/im.test(request.head) ? status(401, 'invalid api key') : answers()
    behaviour(socket, request)
  })
  const options = { headers: { authorization: 'k3y', accepted: 'x' }, optionalHeaders: ['authorization'] }
  const upstream = upstreamAt(t, server.url, { ...options, context })
  for (let i = 0; i < 3; i++) t.match(await upstream.ask(READ, callOf(60_000)), /"result":1/)
  t.equal(server.requests.length, 4)
  t.same(refused, ['solana-1'])
  t.match(server.requests[3]!.head, /^accepted: x\r$/im)
  server.behaviour = status(401)
  t.match(await failureOf(upstream.ask(READ, callOf(60_000))), { code: 'upstream_refused' })
  t.equal(server.requests.length, 5, 'it is not asked twice for the same')
})

t.test('a 503 with Retry-After holds calls back until then, and is not a rate limit', async (t) => {
  const cases: [header: string, retryAfterMs: number, restMs: number][] = [
    ['3', 3_000, 3_000],
    ['0.5', 500, 500],
    // After the time of a probe one call asks again, because many ask for more than they need.
    ['600', 60_000, 5_000],
  ]
  for (const [header, retryAfterMs, restMs] of cases) {
    const clock = handClock()
    const server = await hostileUpstream(t, status(503, '', [`retry-after: ${header}`]))
    const context = createUpstreamContext({ clock })
    const upstream = upstreamAt(t, server.url, { context, probeMs: 5_000 })
    const ask = () => failureOf(upstream.ask(READ, callOf(60_000)))
    t.match(await ask(), { code: 'upstream_failed', fields: { upstreamStatus: 503, retryAfterMs } })
    t.equal(upstream.state.state, 'cooling')
    const rejected = await ask()
    t.match(rejected, { code: 'upstream_unavailable', fields: { retryAfterMs: restMs } })
    t.notMatch(rejected.message, /limit/)
    clock.advance(restMs - 1)
    await ask()
    t.equal(server.requests.length, 1, header)
    clock.advance(1)
    server.behaviour = answers()
    t.ok(await upstream.ask(READ, callOf(60_000)))
    t.equal(upstream.state.state, 'ok')
  }
  const upstream = upstreamAt(t, (await hostileUpstream(t, status(503, '', ['retry-after: 0']))).url)
  await failureOf(upstream.ask(READ, callOf(60_000)))
  t.not(upstream.state.state, 'cooling')
})

t.test('a call that was rejected before it was made is reported, with what rejected it', async (t) => {
  const clock = handClock()
  const cases: readonly (readonly [
    by: string,
    code: Code,
    Behaviour,
    calls: number,
    options?: Partial<UpstreamOptions>,
  ])[] = [
    ['breaker', 'upstream_unavailable', status(500), 5],
    ['cooldown', 'upstream_rate_limited', status(429, '', ['retry-after: 60']), 1],
    ['quota', 'upstream_rate_limited', answers(), 1, { quota: { calls: 1, windowMs: 600_000 } }],
    ['slots', 'upstream_rate_limited', stalls, 1],
  ]
  for (const [by, code, behaviour, count, options] of cases) {
    const rejected: unknown[] = []
    const context = createUpstreamContext({
      clock,
      calls: new ConcurrencyLimiter({ client: 1, global: 1 }, clock),
      onRejected: (...rejection) => rejected.push(rejection),
    })
    const server = await hostileUpstream(t, behaviour)
    const upstream = upstreamAt(t, server.url, { context, ...options })
    const call = () =>
      upstream.ask(READ, callOf(5_000)).then(
        () => null,
        (error) => error.code,
      )
    const calls = []
    for (let made = 0; made < count; made++) {
      calls.push(call())
      if (behaviour !== stalls) await calls.at(-1)
    }
    t.same(rejected, [], `${by}: what was made is not reported`)
    const next = call()
    if (behaviour === stalls) clock.advance(2_000)
    t.equal(await next, code, by)
    t.same(rejected, [['solana-1', by]])
    clock.advance(5_000)
    await Promise.all(calls)
  }
})

t.test('a quota holds to the millisecond, also for a call that has waited for its slot', async (t) => {
  for (const isSlotFree of [true, false]) {
    const clock = handClock()
    const release: (() => void)[] = []
    const server = await hostileUpstream(t, (socket, request) => {
      release.push(() => answers()(socket, request))
    })
    const upstream = upstreamAt(t, server.url, {
      context: createUpstreamContext({
        clock,
        calls: new ConcurrencyLimiter({ client: 1, global: 1 }, clock),
      }),
      quota: { calls: 1_000, windowMs: 1_000, burst: 1 },
    })
    const ask = () => upstream.ask(READ, callOf(5_000))
    const first = ask()
    await until(() => release.length === 1)
    if (isSlotFree) {
      release[0]!()
      await first
    }
    const second = ask()
    if (!isSlotFree) {
      release[0]!()
      await first
    }
    await until(() => clock.dueIn(1) === 1 || server.requests.length > 1)
    t.equal(server.requests.length, 1, 'the quota has room in 1 ms')
    clock.advance(1)
    await until(() => release.length === 2)
    release[1]!()
    t.equal(await second, OK)
  }
})

t.test('a lane has a quota of its own, and its answers a word on whether they are any good', async (t) => {
  const server = await hostileUpstream(t)
  const ends: CallEnd[] = []
  const context = createUpstreamContext({ clock: handClock(), onCall: (end) => ends.push(end) })
  const upstream = upstreamAt(t, server.url, { context, laneQuota: { calls: 1, windowMs: 600_000 } })
  const ask = (lane: string, failureOf?: () => Code | null) =>
    upstream.ask({ ...READ, lane, ...(failureOf && { failureOf }) }, callOf(60_000))
  t.equal(await ask('a'), OK)
  t.match(await failureOf(ask('a')), { code: 'upstream_rate_limited' })
  t.equal(await ask('b'), OK)
  t.equal(server.requests.length, 2)

  t.equal(await ask('c', () => 'upstream_failed'), OK, 'what says that the upstream is unwell is handed on')
  t.equal(await ask('d', () => null), OK)
  t.match(
    ends.map(({ lane, failure, cause, isFault }) => [lane, failure, cause, isFault]),
    [
      ['a', null, null, false],
      ['b', null, null, false],
      ['c', 'upstream_failed', 'answer', false],
      ['d', null, null, false],
    ],
  )
  t.match(upstream.state, { state: 'ok', lastError: { code: 'upstream_failed', status: 200 } })
})

t.test('a probe that is answered 429 leaves the next probe possible', async (t) => {
  const clock = { now: 0 }
  const server = await hostileUpstream(t, status(500))
  const upstream = upstreamAt(t, server.url, {
    context: createUpstreamContext({ clock: clockOf({ now: () => clock.now }) }),
  })
  for (let i = 0; i < 5; i++) await failureOf(upstream.ask(READ, callOf(2_000)))
  clock.now += 1_000
  server.behaviour = status(429, '', ['retry-after: 2'])
  t.match(await failureOf(upstream.ask(READ, callOf(2_000))), { code: 'upstream_rate_limited' })
  t.equal(upstream.breaker.phase, 'open', 'a 429 says neither that it works nor that it fails')
  clock.now += 2_000
  server.behaviour = answers()
  t.equal(await upstream.ask(READ, callOf(2_000)), OK)
  t.equal(upstream.breaker.phase, 'closed')
})

t.test('a limit that only the reader can tell holds calls back as a 429 does', async (t) => {
  const clock = { now: 0 }
  const server = await hostileUpstream(t)
  const upstream = upstreamAt(t, server.url, {
    context: createUpstreamContext({ clock: clockOf({ now: () => clock.now }) }),
    probeMs: 60_000,
  })
  const request: UpstreamRequest<string> = { ...READ, read: () => LIMITED }
  for (const behaviour of [status(200), status(400)]) {
    server.behaviour = behaviour
    t.match(await failureOf(upstream.ask(request, callOf(60_000))), {
      code: 'upstream_rate_limited',
      status: 502,
      fields: { provider: upstream.label },
    })
    t.same([upstream.waitMs(), upstream.state.failures], [1_000, 0])
    clock.now += 1_000
  }
  server.behaviour = answers()
  t.equal(await upstream.ask(READ, callOf(60_000)), OK)
})

t.test('a client that asks too much gets a 429, and others do not', async (t) => {
  const server = await hostileUpstream(t)
  const upstream = upstreamAt(t, server.url, { quota: { calls: 10, windowMs: 600_000 } })
  const callers = ['bob', 'alice', 'alice', 'alice', 'carol'].map((client) => new CancellationScope(client))
  const outcomes: unknown[] = []
  for (const scope of callers) {
    const asked = upstream.ask(READ, callOf(60_000, scope))
    outcomes.push(
      await asked.then(
        () => 'answered',
        ({ code }) => code,
      ),
    )
  }
  t.same(outcomes, ['answered', 'answered', 'answered', 'upstream_rate_limited', 'answered'])
  t.same(
    callers.map(({ isThrottled }) => isThrottled),
    [false, false, false, true, false],
  )
})

t.test('a reader that throws reaches the caller as it is', async (t) => {
  const server = await hostileUpstream(t)
  const upstream = upstreamAt(t, server.url)
  const read = () => {
    throw new TypeError('a bug')
  }
  await t.rejects(upstream.ask({ ...READ, read }, callOf(60_000)), {
    name: 'TypeError',
    message: 'a bug',
  })
  t.equal(await upstream.ask(READ, callOf(60_000)), OK)
})

t.test('calls fail once it is closed', async (t) => {
  const server = await hostileUpstream(t, stalls)
  const upstream = upstreamAt(t, server.url)
  const call = failureOf(upstream.ask(READ, callOf(60_000)))
  while (server.requests.length === 0) await new Promise(setImmediate)
  await upstream.close()
  t.match(await call, { code: 'upstream_unavailable' })
  t.match(await failureOf(upstream.ask(READ, callOf(60_000))), { code: 'upstream_unavailable' })
})

t.test('sends what the URL and the options say, and only that', async (t) => {
  const server = await hostileUpstream(t)
  const get: UpstreamRequest<string> = { ...READ, method: 'GET', body: null }
  const cases: [base: string, request: UpstreamRequest<string>, line: string][] = [
    ['', READ, 'POST / HTTP/1.1'],
    ['/', READ, 'POST / HTTP/1.1'],
    ['/v2/key?api-key=k%20y', READ, 'POST /v2/key?api-key=k%20y HTTP/1.1'],
    ['/v2/', { ...get, path: '/quote' }, 'GET /v2/quote HTTP/1.1'],
    ['/v2?key=k', { ...get, path: '/quote' }, 'GET /v2/quote?key=k HTTP/1.1'],
    ['/v2?key=k', { ...get, path: '/quote?a=1' }, 'GET /v2/quote?a=1&key=k HTTP/1.1'],
    ['', { ...get, path: '/quote?a=1' }, 'GET /quote?a=1 HTTP/1.1'],
  ]
  for (const [base, request, line] of cases) {
    await upstreamAt(t, server.url + base).ask(request, callOf(60_000))
    const [first, ...headers] = server.requests.at(-1)!.head.trim().split('\r\n')
    t.equal(first, line)
    const sent = new Map(headers.map((header) => [header.split(': ')[0], header.split(': ')[1]]))
    t.equal(sent.get('host'), `127.0.0.1:${server.port}`)
    t.equal(sent.get('accept-encoding'), 'identity')
    t.equal(sent.get('content-type'), request.body === null ? undefined : 'application/json')
    t.notOk(sent.has('authorization'))
    t.equal(server.requests.at(-1)!.body, request.body ?? '')
  }

  const url = server.url.replace('//', '//us%40er:p%C3%A4ss@')
  await upstreamAt(t, url, { headers: { 'x-api-key': 'abc' } }).ask(READ, callOf(60_000))
  const { head } = server.requests.at(-1)!
  t.match(head, `authorization: Basic ${Buffer.from('us@er:päss').toString('base64')}\r\n`)
  t.match(head, 'x-api-key: abc\r\n')
})

t.test('knows what would give it away', async (t) => {
  const open = ['api.mainnet-beta.solana.com']
  const cases: [url: string, headers: string[], text: string, revealed: boolean][] = [
    ['https://rpc.example.com/', [], 'no route to RPC.Example.com', true],
    ['https://rpc.example.com/', [], 'no route to example.com', false],
    ['https://api.mainnet-beta.solana.com', [], 'see api.mainnet-beta.solana.com', false],
    ['https://api.mainnet-beta.solana.com/0123456789abcdef', [], 'at 0123456789ABCDEF', true],
    ['http://solana:8899', [], 'solana is behind', false],
    ['http://solana:8899', [], 'connect to solana:8899', true],
    ['http://10.0.0.7:8899', [], 'connect to 10.0.0.7', true],
    ['http://[fd00::7]:8899', [], 'connect to [fd00::7]', true],
    ['https://rpc.example.com/v2/rpc', [], 'v2 of rpc', false],
    ['https://rpc.example.com/v2/s3cr3t-k3y', [], '{"error":"bad key s3cr3t-k3y"}', true],
    ['https://rpc.example.com/?api-key=s3cr3t-k3y&x=1', [], '{"error":"bad key s3cr3t-k3y"}', true],
    ['https://rpc.example.com/?s3cr3t-k3y', [], 's3cr3t-k3y', true],
    ['https://rpc.example.com/?key=a%2Fb%2Fc%2Fd%2Fe', [], 'a/b/c/d/e', true],
    ['https://rpc.example.com/?key=a%2Fb%2Fc%2Fd%2Fe', [], 'A%2FB%2FC%2FD%2FE', true],
    ['https://rpc.example.com/?key=%E0%A4%A4%zz%zz', [], 'key=%E0%A4%A4%zz%zz', true],
    ['https://rpc.example.com/?cluster=main', [], 'main', false],
    ['https://alice:p4ss@rpc.example.com/', [], 'p4ss of nobody', true],
    ['https://alice:p4ss@rpc.example.com/', [], 'no alice here', false],
    ['https://0123456789abcdef:@rpc.example.com/', [], 'key 0123456789ABCDEF', true],
    ['https://rpc.example.com/', ['0123456789abcdef'], 'key 0123456789abcdef', true],
    ['https://rpc.example.com/', ['json'], 'json', false],
    ['https://rpc.example.com/', [], '', false],
  ]
  for (const [url, headers, text, revealed] of cases) {
    t.equal(reveals(Buffer.from(text), secretsOf(new URL(url), headers, open)), revealed, `${url}: ${text}`)
  }
  const upstream = upstreamAt(t, 'http://alice:p4ssword@127.0.0.1:1/', {
    headers: { 'x-api-key': 's3cr3t-k3y' },
  })
  t.ok(upstream.isRevealedBy(Buffer.from(Buffer.from('alice:p4ssword').toString('base64'))))
  t.ok(upstream.isRevealedBy(Buffer.from('s3cr3t-k3y')))
  t.notOk(upstream.isRevealedBy(Buffer.from('application/json, identity, swapgate')))
})

t.test('an answer that carries a secret is passed on by no length of it', async (t) => {
  const server = await hostileUpstream(t)
  const upstream = upstreamAt(t, `${server.url}/s3cr3t-k3y`, { maxBytes: 1_000_000 })
  const passed: UpstreamRequest<string> = { ...READ, passesOn: true }
  for (const length of [100, 65_536, 65_537, 200_000]) {
    for (const at of [0, length >> 1, length - 10]) {
      const body = `${'a'.repeat(at)}S3cr3t-k3y${'a'.repeat(length - at - 10)}`
      server.behaviour = status(200, body)
      t.match(
        await failureOf(upstream.ask(passed, callOf(5_000))),
        { code: 'upstream_failed', message: /private details/ },
        `at ${at} of ${length}`,
      )
      t.equal(await upstream.ask(READ, callOf(5_000)), body, 'one that is only read is read')
    }
    server.behaviour = status(200, 'a'.repeat(length))
    t.equal(await upstream.ask(passed, callOf(5_000)), 'a'.repeat(length))
  }
  t.ok(upstream.breaker.isReady)
})

t.test('a failure while a long answer is prepared is the outcome, and ends nothing else', async (t) => {
  const server = await hostileUpstream(t, status(200, 'a'.repeat(99_000)))
  const upstream = upstreamAt(t, server.url)
  const fault = new TypeError('a bug of ours')
  const prepare = () => Promise.reject(fault)
  t.equal(await failureOf(upstream.ask({ ...READ, prepare }, callOf(60_000))), fault)
  t.equal(await upstream.ask(READ, callOf(60_000)), 'a'.repeat(99_000))
})
