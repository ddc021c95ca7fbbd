/** The state of the instance at a glance: tiles, problems, and the last half hour. */
import { count, ms, percent, time } from '../format.ts'
import { Fact } from '../parts/fact.tsx'
import { Figure } from '../parts/figure.tsx'
import { Empty, Panel } from '../parts/panel.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Chart, type ChartLine, Trend } from './chart.tsx'
import type { InstanceReport } from './listener.ts'
import { type Problem, problemsOf, type TurnedAway, turnedAwayOf } from './problems.ts'
import {
  type ChartStep,
  chartSteps,
  lastMinuteOf,
  type Rate,
  type RecentError,
  type RecentReport,
} from './recent.ts'
import { pick, sumOf } from './series.ts'
import { from, type MetricsView } from './shown.ts'

/** The steps of a tile's line: five minutes. */
const TREND_STEPS = 30
const SOURCE = 'GET /instance: recent'

const perSecond = (rate: number): string =>
  `${rate >= 100 ? count(Math.round(rate)) : rate.toFixed(rate >= 10 ? 1 : 2)}/s`

interface OverviewProps {
  readonly shown: MetricsView
  readonly recent: RecentReport
}

export function Tiles({ shown, recent }: OverviewProps) {
  const steps = chartSteps(recent).slice(-TREND_STEPS)
  const { perSecond: rate, errors } = lastMinuteOf(recent)
  const states = pick(shown.now, 'swapgate_upstream_state').filter(({ value }) => value === 1)
  const tried = states.filter(({ labels }) => labels.state !== 'untried')
  const healthy = tried.filter(({ labels }) => labels.state === 'ok').length
  const shares = pick(shown.now, 'swapgate_budget_limit').map(
    ({ labels: { budget }, value }) =>
      (sumOf(shown.now, 'swapgate_budget_spent', { budget: budget! }) ?? 0) / value,
  )
  const minute = { source: SOURCE, at: recent.at, notes: ['the last minute'] }
  return (
    <dl class="tiles">
      <div>
        <dt>Requests</dt>
        <dd>
          <Figure value={rate} format={perSecond} {...minute} />
        </dd>
        <Trend values={steps.map(repliesOf)} />
      </div>
      <div>
        <dt>Errors</dt>
        <dd class={errors !== null && errors > 0 ? 'bad' : ''}>
          <Figure
            value={errors}
            format={percent}
            unknown="No request was answered in the last minute."
            {...minute}
            notes={['replies with a 5xx in the last minute']}
          />
        </dd>
        <Trend values={steps.map(({ rates }) => rates.failed)} />
      </div>
      <div>
        <dt>p95</dt>
        <dd>
          <Figure
            value={recent.lastMinute.p95Ms}
            format={ms}
            unknown="No request was answered in the last minute."
            {...minute}
          />
        </dd>
        <Trend values={steps.map(({ p95Ms }) => p95Ms)} />
      </div>
      <Fact title="Upstreams ok" kind={healthy < tried.length ? 'bad' : ''}>
        <Figure
          value={healthy}
          format={(n) => `${n} of ${tried.length}`}
          {...from(shown, 'upstream_state', false)}
          notes={[`${states.length - tried.length} were not called yet`]}
        />
      </Fact>
      <Fact title="Limits used">
        <Figure
          value={100 * Math.max(0, ...shares.filter(Number.isFinite))}
          format={(value) => percent(Math.round(value))}
          {...from(shown, 'budget_spent', false)}
          notes={['the budget that is spent most, by all clients']}
        />
      </Fact>
    </dl>
  )
}

const repliesOf = ({ rates }: ChartStep): number => rates.ok + rates.redirect + rates.refused + rates.failed

export function Problems({ shown }: { readonly shown: MetricsView }) {
  const problems = problemsOf(shown.now, shown.counted)
  if (problems.length === 0) {
    return (
      <p class="all-normal">
        <span class="shape ok" aria-hidden="true" /> No problems
      </p>
    )
  }
  return (
    <Panel title="Problems">
      <Table caption="Problems" columns={PROBLEM_COLUMNS} rows={problems} idOf={({ what }) => what} />
    </Panel>
  )
}

const PROBLEM_COLUMNS: readonly Column<Problem>[] = [
  { key: 'what', title: 'What', cell: ({ what }) => what },
  { key: 'state', title: 'State', cell: ({ state }) => <span class={`chip state-${state}`}>{state}</span> },
  { key: 'why', title: 'Why', cell: ({ why }) => why },
]

const rateOf = (name: Rate) => (step: ChartStep) => step.rates[name]

const STATUSES: readonly ChartLine[] = [
  { title: '2xx', tone: 'accent', of: rateOf('ok') },
  { title: '3xx', tone: 'edge', of: rateOf('redirect') },
  { title: '4xx', tone: 'warn', of: rateOf('refused') },
  { title: '5xx', tone: 'danger', of: rateOf('failed') },
]
const LATENCIES: readonly ChartLine[] = [
  { title: 'p50', tone: 'accent', of: ({ p50Ms }) => p50Ms },
  { title: 'p99', tone: 'warn', of: ({ p99Ms }) => p99Ms },
]
const CALLS: readonly ChartLine[] = [
  { title: 'Calls', tone: 'accent', of: rateOf('calls') },
  { title: 'Failed', tone: 'danger', of: rateOf('failedCalls') },
]
const TURNED_AWAY: readonly ChartLine[] = [
  { title: 'Over a budget', tone: 'warn', of: rateOf('budget') },
  { title: 'Shed', tone: 'danger', of: rateOf('shed') },
]

export function Timelines({ recent }: { readonly recent: RecentReport }) {
  const steps = chartSteps(recent)
  return (
    <div class="timelines">
      <Chart title="Requests by status" steps={steps} lines={STATUSES} format={perSecond} isStacked />
      <Chart title="Latency" steps={steps} lines={LATENCIES} format={ms} />
      <Chart title="Upstream calls" steps={steps} lines={CALLS} format={perSecond} />
      <Chart title="Shed and refused" steps={steps} lines={TURNED_AWAY} format={perSecond} />
    </div>
  )
}

export function Refusals({ shown }: { readonly shown: MetricsView }) {
  const rows = turnedAwayOf(shown.counted)
  if (rows.length === 0) return <Empty>Nothing was refused or shed in this span.</Empty>
  const columns: readonly Column<TurnedAway>[] = [
    { key: 'what', title: 'What', cell: ({ what }) => what },
    { key: 'why', title: 'Why', cell: ({ why }) => <code>{why}</code> },
    {
      key: 'count',
      title: 'Times',
      isNumber: true,
      cell: ({ count: times, metric }) => <Figure value={times} format={count} {...from(shown, metric)} />,
    },
  ]
  return (
    <Table
      caption="Refused and shed"
      columns={columns}
      rows={rows}
      idOf={({ metric, why }) => `${metric} ${why}`}
    />
  )
}

export function LastErrors({ errors, at }: { readonly errors: readonly RecentError[]; readonly at: number }) {
  if (errors.length === 0) return <Empty>No errors since the service started.</Empty>
  const columns: readonly Column<RecentError>[] = [
    { key: 'where', title: 'Where', cell: ({ where }) => <code>{where}</code> },
    { key: 'code', title: 'Error', cell: ({ code }) => code },
    { key: 'cause', title: 'Cause', cell: ({ cause }) => cause ?? 'not given' },
    {
      key: 'count',
      title: 'Times',
      isNumber: true,
      cell: (error) => <Figure value={error.count} format={count} source={SOURCE} at={at} />,
    },
    { key: 'at', title: 'Last', isNumber: true, cell: (error) => time(error.at, at) },
    { key: 'id', title: 'Request', cell: ({ requestId }) => requestId && <code>{requestId}</code> },
  ]
  return (
    <Table
      caption="Last errors"
      columns={columns}
      rows={errors}
      idOf={({ where, code, cause }) => `${where} ${code} ${cause}`}
    />
  )
}

/** What instances share through Redis, and whether they can. */
export function Shared({
  shown,
  instances,
}: {
  readonly shown: MetricsView
  readonly instances: InstanceReport['instances']
}) {
  const isUp = sumOf(shown.now, 'swapgate_redis_up')
  if (isUp === null) {
    return <Empty>Redis is not configured: this instance keeps budgets and answers for itself.</Empty>
  }
  const counters = [
    ['Decided for all instances', 'budget_decisions_total', { place: 'shared' }],
    ['Decided by this one alone', 'budget_decisions_total', { place: 'local' }],
    ['Answers put for others', 'shared_answers_total', { outcome: 'put' }],
    ['Answers taken from others', 'shared_answers_total', { outcome: 'taken' }],
    ['Commands left unanswered', 'redis_failures_total', {}],
  ] as const
  return (
    <dl class="gauges">
      <Fact title="Redis">
        <span class={`chip ${isUp === 1 ? 'state-ok' : 'state-refused'}`}>{isUp === 1 ? 'up' : 'away'}</span>
      </Fact>
      <Fact title="Instances">
        <Figure
          value={instances?.length ?? null}
          format={count}
          source="GET /instance: instances"
          at={shown.at}
          notes={['each says every 5 s that it is there, and has left after 15 s of silence']}
          unknown="Redis does not say."
        />
      </Fact>
      {instances?.map(({ name, state, isThis }) => (
        <Fact key={name} title={isThis ? `${name}, this one` : name}>
          <span class={`chip state-${state === 'ready' ? 'ok' : 'degraded'}`}>{state}</span>
        </Fact>
      ))}
      {counters.map(([title, metric, labels]) => (
        <Fact key={title} title={title}>
          <Figure
            value={sumOf(shown.counted, `swapgate_${metric}`, labels) ?? 0}
            format={count}
            {...from(shown, metric)}
          />
        </Fact>
      ))}
    </dl>
  )
}
