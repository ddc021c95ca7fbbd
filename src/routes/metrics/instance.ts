/** What one instance holds: connections, streams, cached answers, pending transactions. */
import { Counter, type Registry } from 'prom-client'
import type { SheddingPriority } from '../../http/overload/shedding.ts'
import type { AnswerCounts, CacheState } from '../../upstream/answers/coalescing.ts'
import { Scraped } from './scraped.ts'

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
  const closedConnections = new Counter({
    name: 'swapgate_connections_closed_total',
    help: "Clients' connections that were closed or refused, by why: refused (too many), idle, unread (a reply was not read)",
    labelNames: ['why'] as const,
    registers,
  })
  for (const why of ['refused', 'idle', 'unread']) closedConnections.inc({ why }, 0)
  scraped.number('swapgate_connections', "Clients' connections that are open", () => sources.connections())
  scraped.number(
    'swapgate_held_bytes',
    'Bytes that are held for clients: bodies and answers under way, and replies that are not read yet',
    () => sources.heldBytes(),
  )
  scraped.number('swapgate_streams', 'Event streams that are open', () => sources.streams())
  scraped.number('swapgate_subscriptions', 'Subscriptions to signatures over WebSockets', () =>
    sources.subscriptions(),
  )
  scraped.number(
    'swapgate_rebroadcasts',
    'Transactions that are being sent again until they are confirmed or expire',
    () => sources.rebroadcasts(),
  )
  scraped.counter(
    'swapgate_answers_total',
    'Answers by where they came from: asked (of an upstream), coalesced (with a call under way), cached',
    ['of', 'source'],
    () =>
      Object.entries(sources.answers()).flatMap(([of, counts]) =>
        SOURCES.map((source) => [{ of, source }, counts[source]] as const),
      ),
  )
  scraped.gauge(
    'swapgate_cache_entries',
    'Entries of the caches; what has expired counts until its place is needed',
    ['cache'],
    () => Object.entries(sources.caches()).map(([cache, { entries }]) => [{ cache }, entries]),
  )
  scraped.counter(
    'swapgate_log_lines_dropped_total',
    'Log lines that nobody will read, because standard output was not read or could not be written',
    [],
    () => [[{}, sources.droppedLines()]],
  )
  scraped.counter(
    'swapgate_requests_shed_total',
    'Requests that got a 503 because the event loop could not keep up, by priority: research, quote, build',
    ['priority'],
    () => Object.entries(sources.shed()).map(([priority, count]) => [{ priority }, count]),
  )
  return {
    observeClosed(closed: Readonly<Record<string, number>>): void {
      for (const [why, count] of Object.entries(closed)) closedConnections.inc({ why }, count)
    },
  }
}
