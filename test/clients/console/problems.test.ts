/** What the operator's page calls a problem, in its order, with what to do. */
import t from 'tap'
import { problemsOf } from '../../../src/clients/console/operator/problems.ts'
import type { InstanceReport } from '../../../src/clients/console/operator/report.ts'

type Upstream = InstanceReport['upstreams'][number]

const upstream = (name: string, state: Upstream['state'], more: Partial<Upstream> = {}): Upstream => ({
  ...{ name, state, lastSuccessAgoMs: null, failures: 2, lastError: null },
  ...more,
})

const FINE: InstanceReport = {
  ...{ mode: 'live', version: '1.0.0', isDraining: false, redis: null, redisCause: null, instances: null },
  lastMinute: { ms: 60_000, requests: 100, failed: 5, shed: 0, p95Ms: 3 },
  loopDelay: { p99Ms: 100, maxMs: 400 },
  upstreams: [upstream('fine', 'ok'), upstream('new', 'untried')],
  budgets: [
    { name: 'swap', spent: 89, limit: 100 },
    { name: 'free', spent: 1e9, limit: null },
  ],
  ...{ droppedLines: 0, errors: [] },
}

t.test('a busy and healthy instance has no problems', async (t) => {
  t.same(problemsOf(FINE), [])
  t.same(problemsOf({ ...FINE, redis: 'ok' }), [])
})

t.test('upstreams stand first, the worst of them at the top; then what the instance lacks', async (t) => {
  const problems = problemsOf({
    ...FINE,
    upstreams: [
      upstream('slow', 'degraded'),
      upstream('tired', 'cooling', { lastError: { code: 'rate_limited', status: 429, agoMs: 8_000 } }),
      upstream('fine', 'ok'),
      upstream('wrong', 'refused', { lastError: { code: 'upstream_failed', status: null, agoMs: 130_000 } }),
    ],
    ...{ redis: 'degraded', redisCause: 'OOM', droppedLines: 2 },
    lastMinute: { ...FINE.lastMinute, shed: 3 },
    loopDelay: { p99Ms: 101, maxMs: 400 },
    budgets: [{ name: 'swap', spent: 90, limit: 100 }],
  })
  t.same(
    problems.map(({ what, state, why }) => `${what}: ${state}: ${why}`),
    [
      'wrong: refused: upstream_failed, 2 min ago',
      'tired: cooling: rate_limited 429, 8 s ago',
      'slow: degraded: 2 failures in a row',
      'Redis: degraded: degraded: OOM',
      'Overload: degraded: 3 requests got a 503 in the last minute',
      'Event loop: degraded: p99 lag of 101 ms',
      'budget swap: degraded: 90 of 100 spent',
      'Log: degraded: 2 lines dropped since the start',
    ],
  )
  for (const { what, remedy } of problems) t.match(remedy, /^[A-Z].*\.$/, `${what} has a remedy`)
})
