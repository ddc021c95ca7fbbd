/** What the panels show: the last scrape, and the counters' increase in the chosen span. */
import type { Provenance } from '../parts/provenance.ts'
import type { RecentReport } from './recent.ts'
import type { Samples } from './series.ts'

export interface MetricsView {
  /** The last scrape. */
  readonly now: Samples
  /** Counters: since the service started, or their increase in the chosen span. */
  readonly counted: Samples
  /** The span of `counted`, in words. */
  readonly span: string
  /** As `counted`; of the last report, which comes beside the scrape. */
  readonly durations: RecentReport['durations']
  /** When the last scrape arrived, ms of the wall clock. */
  readonly at: number
}

/** The provenance of a figure. @param metric  the metric's name without `swapgate_` */
export function from({ at, span }: MetricsView, metric: string, isCounted = true): Provenance {
  return { source: `GET /metrics: swapgate_${metric}`, at, notes: [isCounted ? span : null] }
}
