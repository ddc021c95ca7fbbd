/** What one instance holds: connections, streams, cached answers, pending transactions. */
import type { Registry } from 'prom-client'
import type { SheddingPriority } from '../../http/overload/shedding.ts'
import type { AnswerCounts, CacheState } from '../../upstream/answers/coalescing.ts'
import { counted, Scraped } from './scraped.ts'

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
  rebroadcasts(): number
  caches(): Readonly<Record<string, Pick<CacheState, 'entries'>>>
  droppedLines(): number
  /** Requests that were shed in overloads, by priority. */
  shed(): Readonly<Record<SheddingPriority, number>>
}

export function measureInstance(registers: [Registry], sources: InstanceSources) {
  const scraped = new Scraped(registers)
  const closedConnections = counted('swapgate_connections_closed_total', registers, ['why'], () =>
    ['refused', 'idle', 'unread'].map((why) => ({ why })),
  )
  scraped.number('swapgate_connections', () => sources.connections())
  scraped.number('swapgate_held_bytes', () => sources.heldBytes())
  scraped.number('swapgate_streams', () => sources.streams())
  scraped.number('swapgate_subscriptions', () => sources.subscriptions())
  scraped.number('swapgate_rebroadcasts', () => sources.rebroadcasts())
  scraped.counter('swapgate_answers_total', ['of', 'source'], () =>
    Object.entries(sources.answers()).flatMap(([of, counts]) =>
      SOURCES.map((source) => [{ of, source }, counts[source]] as const),
    ),
  )
  scraped.gauge('swapgate_cache_entries', ['cache'], () =>
    Object.entries(sources.caches()).map(([cache, { entries }]) => [{ cache }, entries]),
  )
  scraped.counter('swapgate_log_lines_dropped_total', [], () => [[{}, sources.droppedLines()]])
  scraped.counter('swapgate_requests_shed_total', ['priority'], () =>
    Object.entries(sources.shed()).map(([priority, count]) => [{ priority }, count]),
  )
  return {
    observeClosed(closed: Readonly<Record<string, number>>): void {
      for (const [why, count] of Object.entries(closed)) closedConnections.inc({ why }, count)
    },
  }
}
