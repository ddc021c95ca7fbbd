/** What the panels draw: the last scrape, and what counters grew by in the span that is looked at. */
import type { Provenance } from '../parts/provenance.ts'
import type { Samples } from './series.ts'

export interface Shown {
  /** Of the last scrape. */
  readonly now: Samples
  /** Counters: since the service started, or in the span that was chosen. */
  readonly counted: Samples
  /** What `counted` is of, in words. */
  readonly span: string
  /** When the last scrape came, ms of the wall clock. */
  readonly at: number
}

/** Where a figure of these comes from. @param metric  without the prefix that all of ours have */
export function from({ at, span }: Shown, metric: string, isCounted = true): Provenance {
  return { source: `GET /metrics: swapgate_${metric}`, at, notes: [isCounted ? span : null] }
}
