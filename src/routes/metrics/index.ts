/**
 * Prometheus metrics and the admin listener that serves them. Loaded only if ADMIN_PORT is set: without it, a
 * request pays nothing.
 *
 * Labels are route patterns, statuses, codes and our own names: never a path, an address or anything else
 * that a caller chooses.
 */
import { AggregatorRegistry, Registry } from 'prom-client'
import type { CallEnd } from '../../upstream/call.ts'
import { type AdminSources, createAdminAnswers } from './admin.ts'
import { type InstanceSources, measureInstance, measureTables, type TableReport } from './instance.ts'
import { Meters } from './meters.ts'
import { measureProcess, type ProcessSources } from './process.ts'
import { Recent, type RecentReport } from './recent.ts'
import { measureRequests, type Observe, type RequestSources } from './requests.ts'
import { measureUpstreams, type UpstreamSources } from './upstreams.ts'

export type Metrics = ReturnType<typeof createMetrics>

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
export function createMetrics(sources: MetricsSources, everyMs = MADE_EVERY_MS) {
  const registry = new Registry()
  const meters = new Meters(registry)
  const recent = new Recent(sources.clock)
  measureProcess(meters, sources)
  measureTables(meters, sources)
  const requests = measureRequests(meters, sources)
  const upstreams = measureUpstreams(meters, sources)
  const recently = (): RecentReport => ({ lastMinute: recent.lastMinute(), errors: recent.errors() })
  const observe: Observe = (exchange, status, bytes, ms) => {
    requests.observe(exchange, status, bytes, ms)
    recent.observe(exchange, status, ms)
  }
  const render = async (): Promise<string> => {
    if (sources.threads === null) return registry.metrics()
    const own = await registry.getMetricsAsJSON()
    const { running, ended } = await sources.threads.metrics()
    // One sum, however many have ended.
    if (ended.length > 1) ended.push(AggregatorRegistry.aggregate(ended.splice(0)).getMetricsAsArray())
    return AggregatorRegistry.aggregate([own, ...running, ...ended]).metrics()
  }
  return {
    ...measureInstance(meters, sources),
    ...upstreams,
    /** Counts one reply. */
    observe,
    /** Counts one upstream call. */
    observeCall(end: CallEnd): void {
      upstreams.observeCall(end)
      recent.observeCall(end)
    },
    /** All values, for another thread to add up. */
    values: () => registry.getMetricsAsJSON(),
    /** The last minute and the last errors. */
    recent: recently,
    /** The admin listener's own answers. */
    answersAdmin: createAdminAnswers(registry, render, recently, sources, everyMs),
  }
}
