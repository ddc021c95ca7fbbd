/** What one instance holds: connections, streams, cached answers, pending transactions. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { SheddingPriority } from '../../http/overload/shedding.ts'
import type { AnswerCounts, CacheState } from '../../upstream/answers/coalescing.ts'

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
  const closedConnections = new Counter({
    name: 'swapgate_connections_closed_total',
    help: "Clients' connections that were closed or refused, by why: refused (too many), idle, unread (a reply was not read)",
    labelNames: ['why'] as const,
    registers,
  })
  for (const why of ['refused', 'idle', 'unread']) closedConnections.inc({ why }, 0)
  new Gauge({
    name: 'swapgate_connections',
    help: "Clients' connections that are open",
    registers,
    async collect() {
      this.set(await sources.connections())
    },
  })
  new Gauge({
    name: 'swapgate_held_bytes',
    help: 'Bytes that are held for clients: bodies and answers under way, and replies that are not read yet',
    registers,
    collect() {
      this.set(sources.heldBytes())
    },
  })
  new Gauge({
    name: 'swapgate_streams',
    help: 'Event streams that are open',
    registers,
    collect() {
      this.set(sources.streams())
    },
  })
  new Gauge({
    name: 'swapgate_subscriptions',
    help: 'Subscriptions to signatures over WebSockets',
    registers,
    collect() {
      this.set(sources.subscriptions())
    },
  })
  new Gauge({
    name: 'swapgate_rebroadcasts',
    help: 'Transactions that are being sent again until they are confirmed or expire',
    registers,
    collect() {
      this.set(sources.rebroadcasts())
    },
  })
  new Counter({
    name: 'swapgate_answers_total',
    help: 'Answers by where they came from: asked (of an upstream), coalesced (with a call under way), cached',
    labelNames: ['of', 'source'] as const,
    registers,
    collect() {
      this.reset()
      for (const [of, counts] of Object.entries(sources.answers())) {
        for (const source of SOURCES) this.inc({ of, source }, counts[source])
      }
    },
  })
  new Gauge({
    name: 'swapgate_cache_entries',
    help: 'Entries of the caches; what has expired counts until its place is needed',
    labelNames: ['cache'] as const,
    registers,
    collect() {
      for (const [cache, { entries }] of Object.entries(sources.caches())) this.set({ cache }, entries)
    },
  })
  new Counter({
    name: 'swapgate_log_lines_dropped_total',
    help: 'Log lines that nobody will read, because standard output was not read or could not be written',
    registers,
    collect() {
      this.reset()
      this.inc(sources.droppedLines())
    },
  })
  new Counter({
    name: 'swapgate_requests_shed_total',
    help: 'Requests that got a 503 because the event loop could not keep up, by priority: research, quote, build',
    labelNames: ['priority'] as const,
    registers,
    collect() {
      this.reset()
      for (const [priority, count] of Object.entries(sources.shed())) this.inc({ priority }, count)
    },
  })

  return {
    observeClosed(closed: Readonly<Record<string, number>>): void {
      for (const [why, count] of Object.entries(closed)) closedConnections.inc({ why }, count)
    },
  }
}
