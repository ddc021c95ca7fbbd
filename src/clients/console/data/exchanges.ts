/** The requests of this page, with their durations. */
import type { Exchange } from '../../client/index.ts'

export interface TimedExchange extends Exchange {
  /** When it ended, ms of the wall clock. */
  readonly at: number
}

/** The service's own time for a request, ms, from `Server-Timing`; null without the header. */
export const servedMs = ({ serverTiming }: Pick<Exchange, 'serverTiming'>): number | null =>
  serverTiming.total ?? null

/** The smallest value that at least this share of the values does not exceed. @param part  0 to 1 */
export function quantile(values: readonly number[], part: number): number {
  const ordered = values.toSorted((a, b) => a - b)
  return ordered[Math.max(0, Math.ceil(part * ordered.length) - 1)]!
}
