/** The durations of this page's last hundred requests, in the service and as measured by the page. */
import { servedMs } from '../../data/exchanges.ts'
import { useExchanges } from '../../data/hooks.ts'
import { ms } from '../../format.ts'
import { Empty } from '../../parts/panel.tsx'
import { BOUNDS, histogramOf, quantile } from './histogram.ts'

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
