/** The durations of this page's last hundred requests, in the service and as measured by the page. */
import { servedMs, type TimedExchange } from '../../data/exchanges.ts'
import { useExchanges, useNow } from '../../data/hooks.ts'
import { ms, time } from '../../format.ts'
import { Figure, figureColumn } from '../../parts/figure.tsx'
import { Empty } from '../../parts/panel.tsx'
import { Table } from '../../parts/table.tsx'
import { BOUNDS, histogramOf, quantile } from './histogram.ts'

/** The number of requests listed. */
const LISTED = 10

export function Latency() {
  const exchanges = useExchanges()
  const answered = exchanges.filter(({ status }) => status !== 0)
  const served = answered.flatMap((exchange) => servedMs(exchange) ?? [])
  const seen = answered.map((exchange) => exchange.ms)
  if (answered.length === 0) return <Empty>No requests have been answered yet.</Empty>
  return (
    <div class="latency">
      {served.length === 0 ? (
        <Empty>The service does not report its own times (Server-Timing).</Empty>
      ) : (
        <Histogram title="Gateway (Server-Timing)" values={served} />
      )}
      <Histogram title="Round trip, as seen from here" values={seen} />
      <Recent exchanges={exchanges} />
    </div>
  )
}

function Histogram({ title, values }: { readonly title: string; readonly values: readonly number[] }) {
  const counts = histogramOf(values)
  const most = Math.max(...counts)
  const summary = `${values.length} requests; half within ${ms(quantile(values, 0.5))}, 95% within ${ms(quantile(values, 0.95))}`
  return (
    <figure class="histogram">
      <figcaption>
        <strong>{title}</strong>
        <span class="summary">{summary}</span>
      </figcaption>
      <div class="bars" role="img" aria-label={`${title}: ${summary}`}>
        {counts.map((count, i) => (
          <div key={BOUNDS[i] ?? 'more'} class="column">
            <span class="column-bar" style={{ height: `${(100 * count) / most}%` }}>
              <span class="column-count">{count || ''}</span>
            </span>
            <span class="column-bound">{BOUNDS[i] ?? 'more'}</span>
          </div>
        ))}
      </div>
      <small>Milliseconds, up to</small>
    </figure>
  )
}

function Recent({ exchanges }: { readonly exchanges: readonly TimedExchange[] }) {
  const now = useNow(1_000)
  return (
    <Table
      caption="The last requests of this page"
      columns={[
        { key: 'request', title: 'Request', cell: ({ method, url }) => <code>{`${method} ${url}`}</code> },
        { key: 'at', title: 'At', isNumber: true, cell: ({ at }) => time(at, now) },
        {
          key: 'status',
          title: 'Status',
          isNumber: true,
          cell: ({ status, at }) =>
            status === 0 ? (
              'no answer'
            ) : (
              <Figure value={status} format={String} source="The answer's status" at={at} />
            ),
        },
        {
          key: 'served',
          title: 'Gateway',
          isNumber: true,
          cell: (exchange) =>
            servedMs(exchange) === null ? (
              'not given'
            ) : (
              <Figure
                value={servedMs(exchange)}
                format={ms}
                source="Server-Timing of the answer"
                at={exchange.at}
                notes={partsOf(exchange)}
              />
            ),
        },
        figureColumn('seen', 'Round trip', ({ ms: seen, at }: TimedExchange) => ({
          source: "This page's own clock",
          at,
          value: seen,
          format: ms,
        })),
      ]}
      rows={exchanges.slice(-LISTED).reverse()}
      idOf={({ at, url, requestId }) => `${at} ${requestId} ${url}`}
    />
  )
}

/** The parts of the service's time. */
function partsOf({ serverTiming }: TimedExchange): readonly string[] {
  const parts = Object.entries(serverTiming).filter(([name]) => name !== 'total')
  return parts.map(([name, value]) => `${name}: ${ms(value)}`)
}
