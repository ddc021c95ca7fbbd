import t from 'tap'
import { ScrapeHistory } from '../../../src/clients/console/operator/history.ts'
import { areaOf, lineOf, stacked, topOf } from '../../../src/clients/console/operator/lines.ts'

import { problemsOf, turnedAwayOf } from '../../../src/clients/console/operator/problems.ts'
import {
  chartSteps,
  durationsSince,
  lastMinuteOf,
  quantileOf,
  type RecentReport,
} from '../../../src/clients/console/operator/recent.ts'
import { increase, parse, pick, sumOf, sumsBy } from '../../../src/clients/console/operator/series.ts'

const TEXT = `# HELP a_total Some
# TYPE a_total counter
a_total{route="/x",status="200"} 5
a_total{route="/x",status="404"} 2
a_total{route="/y",status="200"} 1
limit{budget="swap"} +Inf
plain 1.5e-3
said{text="a \\"b\\" \\\\n, {c}"} 1 1700000000
`

t.test('samples are read with their labels, and added up', async (t) => {
  const samples = parse(TEXT)
  t.same([...samples.keys()], ['a_total', 'limit', 'plain', 'said'])
  t.equal(sumOf(samples, 'a_total'), 8)
  t.equal(sumOf(samples, 'a_total', { route: '/x' }), 7)
  t.equal(sumOf(samples, 'a_total', { route: '/z' }), null, 'unknown, and not 0')
  t.equal(sumOf(samples, 'limit'), Number.POSITIVE_INFINITY)
  t.equal(sumOf(samples, 'plain'), 0.0015)
  t.same(pick(samples, 'said'), [{ labels: { text: 'a "b" \\n, {c}' }, value: 1 }])
  t.same(sumsBy(pick(samples, 'a_total'), 'status'), [
    ['200', 6],
    ['404', 2],
  ])
})

t.test('counters grow, and begin anew with the service', async (t) => {
  const grown = increase(parse('a{x="1"} 7\na{x="2"} 3\na{x="3"} 4'), parse('a{x="1"} 5\na{x="2"} 9'))
  t.same(
    pick(grown, 'a').map(({ value }) => value),
    [2, 3, 4],
  )
})

t.test('a span goes back to the scrape that is as old, or to the oldest', async (t) => {
  const history = new ScrapeHistory()
  const add = (seconds: number) => history.add({ at: seconds * 1_000, samples: new Map() })
  t.equal(history.before(60_000), null)
  add(0)
  t.equal(history.before(60_000), null, 'there is nothing to compare it with')
  add(30)
  t.equal(history.before(60_000)?.at, 0)
  for (let at = 33; at <= 400; at += 3) add(at)
  t.equal(history.before(60_000)?.at, 339_000)
  t.equal(history.before(300_000)?.at, 99_000)
  t.equal(history.before(900_000)?.at, 99_000, 'older ones are gone')
})

t.test(
  'a quantile is a duration that was observed, of all or of those since an earlier report',
  async (t) => {
    const before = { '/a': [[5, 1]], '/b': [[7, 9]] } as const
    const now = {
      '/a': [
        [1, 2],
        [5, 1],
        [80, 1],
      ],
      '/b': [[7, 2]],
      '/c': [[3, 1]],
    } as const
    t.same(durationsSince(now, before), {
      '/a': [
        [1, 2],
        [80, 1],
      ],
      '/b': [[7, 2]],
      '/c': [[3, 1]],
    })
    t.same(
      [0, 0.5, 0.75, 0.95, 1].map((part) => quantileOf(now['/a'], part)),
      [1, 1, 5, 80, 80],
    )
    t.equal(quantileOf([[12.3, 1]], 0.5), 12.3, 'one request has its own duration')
    t.equal(quantileOf([], 0.5), null)
    t.equal(quantileOf(undefined, 0.5), null)
  },
)

const NONE = { ok: 0, redirect: 0, refused: 0, failed: 0, budget: 0, shed: 0, calls: 0, failedCalls: 0 }
const report = (at: number, steps: readonly object[]): RecentReport =>
  ({
    ...{ at, stepMs: 10_000, lastMinute: { p50Ms: null, p95Ms: null }, errors: [] },
    steps: steps.map((step) => ({ ...NONE, p50Ms: null, p95Ms: null, p99Ms: null, ...step })),
    durations: { routes: {}, upstreams: {} },
  }) as unknown as RecentReport

t.test('a chart has every step up to now, those without requests as zero', async (t) => {
  const steps = chartSteps(
    report(95_000, [
      { at: 20_000, ok: 50, p50Ms: 4 },
      { at: 60_000, ok: 10, failed: 10 },
      { at: 90_000, ok: 5 },
    ]),
  )
  t.equal(steps.length, 30)
  t.same(
    steps.slice(-8).map(({ at, rates }) => [at, rates.ok, rates.failed]),
    [
      [20_000, 5, 0],
      [30_000, 0, 0],
      [40_000, 0, 0],
      [50_000, 0, 0],
      [60_000, 1, 1],
      [70_000, 0, 0],
      [80_000, 0, 0],
      [90_000, 1, 0],
    ],
    'the last one is of five seconds',
  )
  t.equal(steps.at(-8)!.p50Ms, 4)
  const idle = chartSteps(report(95_000, [{ at: 20_000, ok: 1 }]))
  t.same([idle.at(-1)!.at, idle.at(-8)!.rates.ok], [90_000, 0.1], 'nothing has happened since')
  t.equal(chartSteps(report(95_000, [])).length, 30)
  const busy = [60_000, 90_000].map((at) => ({ at, ok: 25, redirect: 2, refused: 2, failed: 1 }))
  t.same(lastMinuteOf(report(100_000, [{ at: 30_000, failed: 9 }, ...busy])), {
    perSecond: 60 / 40,
    errors: (100 * 2) / 60,
  })
  t.same(lastMinuteOf(report(100_000, [])), { perSecond: 0, errors: null })
})

t.test('lines end where nothing is known, and areas stand on each other', async (t) => {
  t.same(
    [0, 0.03, 1, 1.1, 7, 4_000].map((value) => topOf([null, value])),
    [1, 0.05, 1, 2, 10, 5_000],
  )
  t.equal(lineOf([5, 10, null, 0], 10), 'M0 50.0h.01L1 0.0M3 100.0h.01')
  t.equal(lineOf([0, null, 0], 1), '')
  t.same(
    stacked([
      [1, 2],
      [3, 0],
    ]),
    [
      [1, 2],
      [4, 2],
    ],
  )
  t.equal(areaOf([0, 5], [10, 5], 10), 'M0 0.0L1 50.0L1 50.0L0 100.0Z')
})

t.test(
  'what is wrong stands first: an upstream that refuses, one that rests, Redis, budgets, the log',
  async (t) => {
    const state = (name: string, is: string) => `swapgate_upstream_state{upstream="${name}",state="${is}"} 1`
    const text = [
      state('fine', 'ok'),
      state('new', 'untried'),
      state('slow', 'degraded'),
      state('tired', 'cooling'),
      state('wrong', 'refused'),
      'swapgate_redis_up 0',
      'swapgate_budget_limit{budget="swap"} 100',
      'swapgate_budget_spent{budget="swap"} 90',
      'swapgate_budget_limit{budget="free"} +Inf',
      'swapgate_budget_spent{budget="free"} 90',
      'swapgate_log_lines_dropped_total 2',
    ].join('\n')
    t.same(
      problemsOf(parse(text), parse(text)).map(({ what, state }) => `${what}: ${state}`),
      [
        'wrong: refused',
        'tired: cooling',
        'slow: degraded',
        'Redis: degraded',
        'budget swap: degraded',
        'log: degraded',
      ],
    )
    t.same(problemsOf(parse(state('fine', 'ok')), parse('')), [])
    const counted = parse(`swapgate_requests_shed_total{priority="quote"} 3
swapgate_budget_refusals_total{budget="swap",window="client"} 2
swapgate_budget_refusals_total{budget="swap",window="global"} 1
swapgate_errors_total{route="/a",code="overloaded"} 3
swapgate_errors_total{route="/a",code="not_found"} 1
swapgate_connections_closed_total{why="idle"} 0`)
    t.same(
      turnedAwayOf(counted).map(({ what, why, count }) => `${what}: ${why} ${count}`),
      ['Shed in an overload: quote 3', 'Over a budget: swap 3', 'Answered with an error: not_found 1'],
    )
  },
)
