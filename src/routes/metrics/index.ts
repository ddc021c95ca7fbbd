/**
 * Prometheus metrics and the admin listener that serves them. Loaded only if ADMIN_PORT is set: without it, a
 * request pays nothing.
 *
 * Labels are route patterns, statuses, codes and our own names: never a path, an address or anything else
 * that a caller chooses.
 */
import { Registry } from 'prom-client'
import type { CallEnd } from '../../upstream/call.ts'
import type { RejectedBy } from '../../upstream/context.ts'
import { type AdminSources, type AnswersAdmin, createAdminAnswers } from './admin.ts'
import { type InstanceSources, measureInstance } from './instance.ts'
import { measureProcess, type ProcessSources } from './process.ts'
import { Recent } from './recent.ts'
import { measureRequests, type Observe, type RequestSources } from './requests.ts'
import { measureTables, type TableReport } from './tables.ts'
import { measureUpstreams, type UpstreamSources } from './upstreams.ts'

export interface Metrics {
  /** Counts one reply. */
  readonly observe: Observe
  /** Counts one upstream call. */
  observeCall(end: CallEnd): void
  /** Counts a call that was refused before it was made. */
  observeRejected(upstream: string, by: RejectedBy): void
  /** Counts connections that were closed or refused, by reason. */
  observeClosed(closed: Readonly<Record<string, number>>): void
  /** The admin listener's own answers. */
  readonly answersAdmin: AnswersAdmin
}

const MADE_EVERY_MS = 1_000

/** Values read at each scrape. */
export interface MetricsSources
  extends RequestSources,
    UpstreamSources,
    InstanceSources,
    ProcessSources,
    TableReport,
    AdminSources {}

/** @param everyMs  how often a scrape's text is rendered, however often it is requested */
export function createMetrics(sources: MetricsSources, everyMs = MADE_EVERY_MS): Metrics {
  const registers = [new Registry()] as [Registry]
  const [registry] = registers
  const recent = new Recent(sources.clock)
  measureProcess(registers, sources)
  measureTables(registers, sources)
  const requests = measureRequests(registers, sources)
  const upstreams = measureUpstreams(registers, sources)
  return {
    ...measureInstance(registers, sources),
    ...upstreams,
    observe(exchange, status, bytes, ms) {
      requests.observe(exchange, status, bytes, ms)
      recent.observe(exchange, status, ms)
    },
    observeCall(end) {
      upstreams.observeCall(end)
      recent.observeCall(end)
    },
    answersAdmin: createAdminAnswers(registry, recent, sources, everyMs),
  }
}
