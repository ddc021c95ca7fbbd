/** What one instance holds: connections, streams, cached answers, pending transactions. */
import type { SheddingPriority } from '../../http/overload/shedding.ts'
import type { TableChecks } from '../../swap/tables/checks.ts'
import type { AnswerCounts, CacheState } from '../../upstream/answers/coalescing.ts'
import type { Meters } from './meters.ts'

const SOURCES: readonly (keyof AnswerCounts)[] = ['asked', 'coalesced', 'cached']

export interface InstanceSources {
  /** By kind of answer. */
  answers(): Readonly<Record<string, CacheState>>
  /** Open connections of clients. */
  connections(): Promise<number>
  /** Bytes that are held for clients. */
  heldBytes(): number
  /** Event streams that are open. */
  streams(): number
  /** Signatures that clients wait for over WebSockets. */
  subscriptions(): number
  /** Transactions that are being sent again. */
  rebroadcasts(): Promise<number>
  caches(): Readonly<Record<string, Pick<CacheState, 'entries'>>>
  droppedLines(): number
  droppedRecordings(): number
  /** Threads that serve clients, and how many ended and were replaced. */
  workers(): { readonly running: number; readonly replaced: number }
  /** Requests that were shed in overloads, by priority. */
  shed(): Readonly<Record<SheddingPriority, number>>
}

export function measureInstance(meters: Meters, sources: InstanceSources) {
  const closedConnections = meters.counted('swapgate_connections_closed_total', ['why'], () =>
    ['refused', 'idle', 'unread'].map((why) => ({ why })),
  )
  meters.number('swapgate_connections', () => sources.connections())
  meters.number('swapgate_workers', () => sources.workers().running)
  meters.counter('swapgate_workers_replaced_total', [], () => [[{}, sources.workers().replaced]])
  meters.number('swapgate_held_bytes', () => sources.heldBytes())
  meters.number('swapgate_streams', () => sources.streams())
  meters.number('swapgate_subscriptions', () => sources.subscriptions())
  meters.number('swapgate_rebroadcasts', () => sources.rebroadcasts())
  meters.counter('swapgate_answers_total', ['of', 'source'], () =>
    Object.entries(sources.answers()).flatMap(([of, counts]) =>
      SOURCES.map((source) => [{ of, source }, counts[source]] as const),
    ),
  )
  meters.gauge('swapgate_cache_entries', ['cache'], () =>
    Object.entries(sources.caches()).map(([cache, { entries }]) => [{ cache }, entries]),
  )
  meters.counter('swapgate_log_lines_dropped_total', [], () => [[{}, sources.droppedLines()]])
  meters.counter('swapgate_recordings_dropped_total', [], () => [[{}, sources.droppedRecordings()]])
  meters.counter('swapgate_requests_shed_total', ['priority'], () =>
    Object.entries(sources.shed()).map(([priority, count]) => [{ priority }, count]),
  )
  return {
    /** Counts connections that were closed or refused, by reason. */
    observeClosed(closed: Readonly<Record<string, number>>): void {
      for (const [why, count] of Object.entries(closed)) closedConnections.inc({ why }, count)
    },
  }
}

/** Hard-coded facts that no longer match the chain. */
export interface TableReport {
  tables(): Pick<TableChecks, 'tables' | 'stale'>
}

export function measureTables(meters: Meters, sources: TableReport): void {
  meters.gauge('swapgate_table_row_stale', ['table'], async () =>
    [...(await sources.tables().tables())].map(([table, { stale }]) => [{ table }, stale]),
  )
  meters.gauge('swapgate_table_checked_timestamp_seconds', ['table'], async () =>
    [...(await sources.tables().tables())].map(([table, { checkedAt }]) => [
      { table },
      (checkedAt ?? 0) / 1_000,
    ]),
  )
}
