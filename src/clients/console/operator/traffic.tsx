/** Requests and replies by route. */
import { count, ms } from '../format.ts'
import { Figure } from '../parts/figure.tsx'
import { Empty } from '../parts/panel.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { tipOf } from '../parts/tip.tsx'
import { quantileOf } from './recent.ts'
import { pick, type Samples, sumOf, sumsBy } from './series.ts'
import { from, type MetricsView } from './shown.ts'

export interface TrafficRate {
  /** The counters' increase. */
  readonly grown: Samples
  readonly spanMs: number
}

/** @param rate  the increase over the last minute; null before the second scrape */
export function Traffic({ shown, rate }: { readonly shown: MetricsView; readonly rate: TrafficRate | null }) {
  const routes = sumsBy(pick(shown.counted, 'swapgate_requests_total'), 'route').map(([route]) => route)
  if (routes.length === 0) return <Empty>No requests in this span.</Empty>
  return (
    <Table
      caption="Traffic by route"
      columns={columnsOf(shown, rate)}
      rows={routes.map((route) => ({ route }))}
      idOf={({ route }) => route}
    />
  )
}

interface RouteRow {
  readonly route: string
}

const columnsOf = (shown: MetricsView, rate: TrafficRate | null): readonly Column<RouteRow>[] => [
  { key: 'route', title: 'Route', cell: ({ route }) => <code>{route}</code> },
  {
    key: 'replies',
    title: 'Replies',
    isNumber: true,
    cell: ({ route }) => (
      <Figure
        value={sumOf(shown.counted, 'swapgate_requests_total', { route })}
        format={count}
        {...from(shown, 'requests_total')}
      />
    ),
  },
  {
    key: 'rate',
    title: 'Per second',
    isNumber: true,
    cell: ({ route }) => (
      <Figure
        value={rate && (sumOf(rate.grown, 'swapgate_requests_total', { route }) ?? 0) / (rate.spanMs / 1_000)}
        format={(value) => value.toFixed(2)}
        unknown="The rate needs two scrapes."
        source="GET /metrics: swapgate_requests_total"
        at={shown.at}
        notes={[rate && `over the last ${Math.round(rate.spanMs / 1_000)} s`]}
      />
    ),
  },
  {
    key: 'status',
    title: 'Status',
    cell: ({ route }) => (
      <Counts
        counts={sumsBy(pick(shown.counted, 'swapgate_requests_total', { route }), 'status')}
        metric="requests_total"
        shown={shown}
        toneOf={(status) => (status >= '500' ? 'grave' : status >= '400' ? 'power' : '')}
      />
    ),
  },
  {
    key: 'errors',
    title: 'Errors',
    cell: ({ route }) => (
      <Counts
        counts={sumsBy(pick(shown.counted, 'swapgate_errors_total', { route }), 'code')}
        metric="errors_total"
        shown={shown}
      />
    ),
  },
  ...quantiles<RouteRow>(shown, 'routes', ({ route }) => route),
]

/** Quantiles of durations, as columns. */
export function quantiles<Row>(
  shown: MetricsView,
  of: keyof MetricsView['durations'],
  nameOf: (row: Row) => string,
): readonly Column<Row>[] {
  return ([0.5, 0.95, 0.99] as const).map((part) => ({
    key: `p${part * 100}`,
    title: `p${part * 100}`,
    isNumber: true,
    cell: (row) => (
      <Figure
        value={quantileOf(shown.durations[of][nameOf(row)], part)}
        format={ms}
        unknown="No measurements in this span."
        source={`GET /instance: recent.durations.${of}`}
        at={shown.at}
        notes={[shown.span, 'within 1.6% of the exact one']}
      />
    ),
  }))
}

/** A chip for each count. */
export function Counts({
  counts,
  metric,
  shown,
  toneOf = () => '',
}: {
  readonly counts: readonly (readonly [string, number])[]
  readonly metric: string
  readonly shown: MetricsView
  readonly toneOf?: (name: string) => string
}) {
  if (counts.length === 0) return <span class="unknown">none</span>
  return (
    <span class="chips">
      {counts.map(([name, value]) => (
        <button
          key={name}
          type="button"
          class={`figure chip ${toneOf(name)}`}
          {...tipOf(from(shown, metric))}
        >
          {`${name} × ${count(value)}`}
        </button>
      ))}
    </span>
  )
}
