/** What the operator's page shows of the last minute and of the last errors, without a gateway. */

import t from 'tap'
import { Recent } from '../../../src/routes/metrics/recent.ts'
import type { ObservedExchange } from '../../../src/routes/metrics/requests.ts'
import type { Clock } from '../../../src/runtime/clock.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import type { CallEnd } from '../../../src/upstream/call.ts'
import { INSTANT, movedClock } from '../../fixtures/clock.ts'
import fc from '../../fixtures/fast-check.ts'

const EXCHANGE = {
  route: '/api/quote',
  rpc: null,
  refusal: null,
  failure: null,
  gone: false,
  isStream: false,
}
/** Counts a reply that ends now. */
const reply = (recent: Recent, clock: Clock, status: number, ms: number, more: object = {}): void => {
  const exchange = { ...EXCHANGE, timing: { startedAt: clock.now() - ms }, ...more }
  recent.observe(exchange as unknown as ObservedExchange, status, ms)
}
const ended = (more: object = {}): CallEnd =>
  ({
    upstream: 'jupiter',
    failure: null,
    cause: null,
    status: 200,
    requestId: 'r1',
    ms: 3,
    ...more,
  }) as CallEnd

t.test('the p95 is within 1% of the exact one, of any durations', async (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -4, max: 16, noNaN: true }), { minLength: 1, maxLength: 300 }),
      (powers) => {
        const clock = movedClock()
        const recent = new Recent(clock)
        const values = powers.map((power) => 2 ** power)
        for (const ms of values) reply(recent, clock, 200, ms)
        const exact = values.sort((a, b) => a - b)[Math.max(1, Math.round(0.95 * values.length)) - 1]!
        return Math.abs(recent.lastMinute().p95Ms! / exact - 1) < 0.01
      },
    ),
  )
  const recent = new Recent(movedClock())
  for (const ms of [1e9, Number.POSITIVE_INFINITY]) reply(recent, movedClock(), 200, ms)
  t.ok(Math.abs(recent.lastMinute().p95Ms! - 120_000) < 1_200, 'longer ones count as two minutes')
})

t.test('the last minute counts replies, failures and what was shed, and forgets them', async (t) => {
  const clock = movedClock()
  const recent = new Recent(clock)
  const observe = (status: number, ms: number, more?: object) => reply(recent, clock, status, ms, more)
  t.same(recent.lastMinute(), { ms: 0, requests: 0, failed: 0, shed: 0, p95Ms: null })
  for (const status of [101, 200, 204, 304, 404, 429, 500]) observe(status, 8)
  observe(200, 90_000, { isStream: true, route: '/api/prices/stream' })
  t.match(recent.lastMinute(), { requests: 8, failed: 1, shed: 0, p95Ms: 8.031 }, 'a stream has no latency')
  clock.move(34_000)
  observe(503, 1, { failure: new GatewayError('overloaded', '') })
  t.match(recent.lastMinute(), { ms: 34_000, requests: 9, failed: 2, shed: 1 })
  t.same(recent.errors(), [], 'what was shed is counted, and no error')
  clock.move(25_999)
  t.match(recent.lastMinute(), { ms: 59_999, requests: 9 })
  clock.move(1)
  t.match(recent.lastMinute(), { ms: 50_000, requests: 1, failed: 1, shed: 1 }, 'by steps of ten seconds')
  clock.move(3_600_000)
  t.match(recent.lastMinute(), { requests: 0, failed: 0, shed: 0, p95Ms: null })
  for (let i = 0; i < 400; i++) {
    clock.move(500)
    observe(200, 1)
  }
  const { ms, requests } = recent.lastMinute()
  t.ok(ms >= 50_000 && ms < 60_000, `${ms}`)
  t.ok(Math.abs(requests - ms / 500) <= 1, `${requests} in ${ms} ms`)
})

t.test('equal errors are one, with the last request and what caused it', async (t) => {
  const clock = movedClock()
  const recent = new Recent(clock)
  const observe = (status: number, ms: number, more?: object) => reply(recent, clock, status, ms, more)
  const failure = new GatewayError('upstream_failed', 'x', { provider: 'jupiter', upstreamStatus: 500 })
  recent.observeCall(
    ended({ failure: 'upstream_unavailable', cause: 'refused', status: null, requestId: null }),
  )
  observe(502, 5, { failure, id: 'r1' })
  clock.move(1_000)
  observe(502, 5, { failure, id: 'r2' })
  observe(400, 5, { failure: new GatewayError('invalid_parameter', 'x') })
  observe(502, 5, { failure: new GatewayError('internal_error', 'x'), id: 'r3' })
  const where = '/api/quote'
  t.same(recent.errors(), [
    { at: INSTANT + 1_000, count: 1, where, code: 'internal_error', cause: null, requestId: 'r3' },
    {
      ...{ at: INSTANT + 1_000, count: 2, where, code: 'upstream_failed' },
      ...{ cause: 'jupiter, status 500', requestId: 'r2' },
    },
    {
      ...{ at: INSTANT, count: 1, where: 'jupiter', code: 'upstream_unavailable' },
      ...{ cause: 'refused', requestId: null },
    },
  ])
  for (let i = 0; i < 60; i++) recent.observeCall(ended({ upstream: `u${i}`, failure: 'upstream_failed' }))
  const errors = recent.errors()
  t.equal(errors.length, 50)
  t.equal(errors[0]!.where, 'u59')
})
