/**
 * Prometheus metrics and the admin listener that serves them. Loaded only
 * where ADMIN_PORT asks for it: without it a request pays nothing.
 *
 * Labels are route patterns, statuses, codes and names of ours: never a path, an
 * address or anything else that a caller chooses.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { AnswerCounts, CacheState } from './flights.ts'
import type { Exchange } from './http/exchange.ts'
import type { CallEnd } from './upstream/call.ts'
import type { HeldBackBy } from './upstream/commons.ts'
import type { InFlight } from './upstream/in-flight.ts'
import type { UpstreamState } from './upstream/standing.ts'
import type { QuotaLeft } from './upstream/upstream.ts'

/** Seconds. Below 1 ms is the gateway alone, above it the upstream. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const STATES: readonly UpstreamState['state'][] = ['ok', 'degraded', 'refused', 'cooling', 'untried']

const SOURCES: readonly (keyof AnswerCounts)[] = ['asked', 'joined', 'kept']

export interface Metrics {
  /** Counts one reply. */
  observe(exchange: Exchange, status: number, bytes: number, durationMs: number): void
  /** Counts one upstream call. */
  observeCall(end: CallEnd): void
  /** Counts a call that was refused before it was made. */
  observeHeldBack(upstream: string, by: HeldBackBy): void
  /** Counts connections that were closed or refused, by reason. */
  observeClosed(closed: Readonly<Record<string, number>>): void
  /** The admin server, not listening yet: GET /metrics, /live and /ready, and 404 for all else. */
  readonly server: Server
}

/** What is read at the time of a scrape. */
export interface MetricsSources {
  upstreams(): readonly Pick<UpstreamState, 'name' | 'state'>[]
  quotas(): readonly QuotaLeft[]
  places(): Readonly<Record<'calls' | 'submissions', Pick<InFlight, 'count'>>>
  /** By what is answered. */
  answers(): Readonly<Record<string, CacheState>>
  /** Of clients, open now. */
  connections(): Promise<number>
  /** Event streams that are open. */
  streams(): number
  /** Signatures that clients wait for over WebSockets. */
  subscriptions(): number
  droppedLines(): number
  /** Whether requests should go to another instance. */
  isDraining(): boolean
}

export function createMetrics(sources: MetricsSources): Metrics {
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
    help: 'From the request header to the reply, by route pattern; without event streams',
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
      for (const { name, state } of sources.upstreams()) {
        this.set({ upstream: name }, state === 'cooling' ? 1 : 0)
      }
    },
  })
  const failures = new Counter({
    name: 'swapgate_errors_total',
    help: 'Replies with an error, by route pattern and code',
    labelNames: ['route', 'code'] as const,
    registers,
  })
  const verdicts = new Counter({
    name: 'swapgate_relay_verdicts_total',
    help: 'What became of relayed calls, by JSON-RPC method: answered, gone (the client left), or the code of the refusal',
    labelNames: ['method', 'verdict'] as const,
    registers,
  })
  const calls = new Counter({
    name: 'swapgate_upstream_calls_total',
    help: 'Calls to upstreams, by JSON-RPC method (lane; all for what is none) and outcome: ok, given_up, or the code of the failure',
    labelNames: ['upstream', 'lane', 'outcome'] as const,
    registers,
  })
  const callDurations = new Histogram({
    name: 'swapgate_upstream_call_duration_seconds',
    help: 'From dispatch to the end of a call, by upstream; without those that were given up',
    labelNames: ['upstream'] as const,
    buckets: BUCKETS,
    registers,
  })
  const heldBack = new Counter({
    name: 'swapgate_upstream_held_back_total',
    help: 'Calls that were refused before they were made, by what held them back: breaker, pause (a 429), quota, or places (too many under way)',
    labelNames: ['upstream', 'by'] as const,
    registers,
  })
  const closedConnections = new Counter({
    name: 'swapgate_connections_closed_total',
    help: "Clients' connections that were closed or refused, by why: refused (too many), idle, unread (a reply was not read)",
    labelNames: ['why'] as const,
    registers,
  })
  new Gauge({
    name: 'swapgate_connections',
    help: "Clients' connections that are open",
    registers,
    async collect() {
      this.set(await sources.connections())
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
    name: 'swapgate_upstream_state',
    help: '1 for the state that an upstream is in, 0 for the others, as in /api/health',
    labelNames: ['upstream', 'state'] as const,
    registers,
    collect() {
      for (const { name, state } of sources.upstreams()) {
        for (const one of STATES) this.set({ upstream: name, state: one }, one === state ? 1 : 0)
      }
    },
  })
  new Gauge({
    name: 'swapgate_upstream_quota_left_ratio',
    help: "Part of an upstream's published quota that the gateway has left, 0 to 1",
    labelNames: ['upstream', 'quota'] as const,
    registers,
    collect() {
      for (const { upstream, quota, left } of sources.quotas()) this.set({ upstream, quota }, left)
    },
  })
  new Gauge({
    name: 'swapgate_upstream_calls_in_flight',
    help: 'Upstream calls that are under way, and that wait for a place, by place: calls or submissions',
    labelNames: ['place', 'state'] as const,
    registers,
    collect() {
      for (const [place, { count }] of Object.entries(sources.places())) {
        this.set({ place, state: 'under_way' }, count.used)
        this.set({ place, state: 'waiting' }, count.waiting)
      }
    },
  })
  new Counter({
    name: 'swapgate_answers_total',
    help: 'Answers by where they came from: asked (of an upstream), joined (shared with those that wait), kept (at hand)',
    labelNames: ['of', 'source'] as const,
    registers,
    collect() {
      this.reset()
      for (const [of, counts] of Object.entries(sources.answers())) {
        for (const source of SOURCES) this.inc({ of, source }, counts[source])
      }
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

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const target = request.method === 'GET' ? request.url : null
    if (target === '/metrics') {
      registry.metrics().then(
        (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
        () => response.writeHead(500).end(),
      )
    } else if (target === '/live') sayState(response, 200, 'live')
    else if (target === '/ready') {
      const isDraining = sources.isDraining()
      sayState(response, isDraining ? 503 : 200, isDraining ? 'draining' : 'ready')
    } else response.writeHead(404).end()
  }

  return {
    observe({ request, route, rpc, refusal, failure, gone, isStream }, status, bytes, durationMs) {
      // A method outside HTTP's own list never gets this far: node refuses it.
      requests.inc({ method: request.method!, route, status })
      if (!isStream) durations.observe({ route }, durationMs / 1_000)
      sent.inc(bytes)
      if (refusal !== null) refused.inc({ budget: refusal.name, window: refusal.refusedBy })
      if (failure !== null) failures.inc({ route, code: failure.code })
      if (rpc !== null) verdicts.inc({ method: rpc, verdict: failure?.code ?? (gone ? 'gone' : 'answered') })
    },
    observeCall({ upstream, lane, failure, ms }) {
      calls.inc({ upstream, lane, outcome: failure ?? 'ok' })
      if (failure !== 'given_up') callDurations.observe({ upstream }, ms / 1_000)
    },
    observeHeldBack: (upstream, by) => heldBack.inc({ upstream, by }),
    observeClosed(closed) {
      for (const [why, count] of Object.entries(closed)) closedConnections.inc({ why }, count)
    },
    server: createServer(serve),
  }
}

function sayState(response: ServerResponse, status: number, state: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
  response.end(JSON.stringify({ state }))
}
