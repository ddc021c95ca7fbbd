/** What the operator's page draws, without a gateway: steps of time, durations, and the last errors. */
import fc from 'fast-check'
import t from 'tap'
import { cellOf, countsOf, newDurations, quantileOf } from '../../../src/routes/metrics/durations.ts'
import { Recent } from '../../../src/routes/metrics/recent.ts'
import type { ObservedExchange } from '../../../src/routes/metrics/requests.ts'
import type { Clock } from '../../../src/runtime/clock.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import type { CallEnd } from '../../../src/upstream/call.ts'
import { INSTANT, movedClock } from '../../fixtures/clock.ts'

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

t.test('a quantile is within 1.6% of the exact one, of any durations', async (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -4.9, max: 16.9, noNaN: true }), { minLength: 1, maxLength: 300 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (powers, part) => {
        const values = powers.map((power) => 2 ** power).sort((a, b) => a - b)
        const half = newDurations()
        const durations = newDurations()
        for (const [i, value] of values.entries()) (i % 2 === 0 ? half : durations)[cellOf(value)]!++
        const exact = values[Math.max(1, Math.ceil(part * values.length)) - 1]!
        const told = quantileOf([half, durations], part)!
        return Math.abs(told / exact - 1) < 0.016
      },
    ),
  )
  const extremes = newDurations()
  for (const ms of [0, 0.000_1, 1e9, Number.POSITIVE_INFINITY]) extremes[cellOf(ms)]!++
  t.same(countsOf(extremes), [
    [0.031738, 2],
    [130_050, 2],
  ])
  t.equal(quantileOf([newDurations()], 0.5), null)
})

t.test('a step has what happened in its time; idle ones are left out', async (t) => {
  const clock = movedClock()
  const recent = new Recent(clock)
  const observe = (status: number, ms: number, more?: object) => reply(recent, clock, status, ms, more)
  t.match(recent.report(), {
    at: INSTANT,
    stepMs: 10_000,
    steps: { length: 0 },
    lastMinute: { p95Ms: null },
    errors: { length: 0 },
  })
  for (const status of [101, 200, 204, 304, 404, 500]) observe(status, 8)
  observe(200, 90_000, { isStream: true, route: '/api/prices/stream' })
  observe(429, 80, { refusal: { name: 'swap' } })
  recent.observeCall(ended())
  recent.observeCall(ended({ failure: 'given_up' }))
  const first = { at: INSTANT, ok: 4, redirect: 1, refused: 2, failed: 1, budget: 1, shed: 0, calls: 1 }
  t.match(recent.report().steps, [{ ...first, failedCalls: 0, p50Ms: 8.125, p99Ms: 81 }])
  clock.move(34_000)
  observe(503, 1, { failure: new GatewayError('overloaded', '') })
  const { steps, lastMinute, durations, errors } = recent.report()
  t.match(steps, [first, { at: INSTANT + 30_000, failed: 1, shed: 1, ok: 0 }])
  t.equal(steps.length, 2)
  t.match(lastMinute, { p50Ms: 8.125, p95Ms: 81 })
  t.same(durations, {
    routes: {
      '/api/quote': [
        [1.0156, 1],
        [8.125, 6],
        [81, 1],
      ],
    },
    upstreams: { jupiter: [[3.0313, 1]] },
  })
  t.same(errors, [], 'what was shed is counted, and no error')
  clock.move(71_000)
  t.match(recent.report(), { lastMinute: { p95Ms: null }, steps: { length: 2 } })
  for (let i = 0; i < 400; i++) {
    clock.move(10_000)
    observe(200, 1)
  }
  t.equal(recent.report().steps.length, 181, 'half an hour, and the running one')
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
  t.same(recent.report().errors, [
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
  const { errors } = recent.report()
  t.equal(errors.length, 50)
  t.equal(errors[0]!.where, 'u59')
})
