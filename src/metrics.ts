/**
 * Prometheus metrics and the admin listener that serves them. Loaded only
 * where ADMIN_PORT asks for it: without it a request pays nothing.
 *
 * Labels are route patterns, statuses and budget names: never a path, an
 * address or anything else that a caller chooses.
 */
import { createServer, type Server } from 'node:http'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Exchange } from './http/exchange.ts'
import type { UpstreamState } from './upstream/standing.ts'

/** Seconds. Below 1 ms is the gateway alone, above it the upstream. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export interface Metrics {
  /** Counts one reply. */
  observe(exchange: Exchange, status: number, bytes: number, durationMs: number): void
  /** The admin server, not listening yet: GET /metrics, and 404 for all else. */
  readonly server: Server
}

/** @param upstreams  their states at the time of a scrape */
export function createMetrics(upstreams: () => readonly Pick<UpstreamState, 'name' | 'state'>[]): Metrics {
  const registers = [new Registry()] as [Registry]
  const registry = registers[0]
  collectDefaultMetrics({ register: registry })
  const labelNames = ['method', 'route', 'status'] as const
  const requests = new Counter({
    name: 'swapgate_requests_total',
    help: 'Replies by method, route pattern and status',
    labelNames,
    registers,
  })
  const durations = new Histogram({
    name: 'swapgate_request_duration_seconds',
    help: 'From the request header to the reply, by route pattern',
    labelNames: ['route'] as const,
    buckets: BUCKETS,
    registers,
  })
  const sent = new Counter({ name: 'swapgate_reply_bytes_total', help: 'Bytes of reply bodies', registers })
  const refused = new Counter({
    name: 'swapgate_budget_refusals_total',
    help: 'Requests that a budget refused, by budget and by window (client or global)',
    labelNames: ['budget', 'window'] as const,
    registers,
  })
  new Gauge({
    name: 'swapgate_upstream_cooling',
    help: '1 while an upstream is skipped after failures, else 0',
    labelNames: ['upstream'] as const,
    registers,
    collect() {
      for (const { name, state } of upstreams()) this.set({ upstream: name }, state === 'cooling' ? 1 : 0)
    },
  })

  return {
    observe({ request, route, refusal }, status, bytes, durationMs) {
      // A method outside HTTP's own list never gets this far: node refuses it.
      requests.inc({ method: request.method!, route, status })
      durations.observe({ route }, durationMs / 1_000)
      sent.inc(bytes)
      if (refusal !== null) refused.inc({ budget: refusal.name, window: refusal.refusedBy })
    },
    server: createServer((request, response) => {
      if (request.method !== 'GET' || request.url !== '/metrics') return void response.writeHead(404).end()
      registry.metrics().then(
        (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
        () => response.writeHead(500).end(),
      )
    }),
  }
}
