/** The HTTP service, put together: the routes, their limits, and the server that serves them. */

import type { Server } from 'node:http'
import { PROVIDER_NAMES } from '../config/providers.ts'
import { createOriginReader } from '../http/client/origin.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Budgets } from '../http/limit/budgets.ts'
import type { ServerLimits } from '../http/limits.ts'
import type { Replier } from '../http/reply.ts'
import type { Route, Served } from '../http/route.ts'
import { createGatewayServer } from '../http/server.ts'
import type { Shedding } from '../http/shedding.ts'
import { EventStreams, type StreamLimits, streamLimits } from '../http/streams.ts'
import { BasketPlanner } from '../research/basket/baskets.ts'
import type { Content } from '../research/content/content.ts'
import { createSwapOptions } from '../research/swap-options/swap-options.ts'
import type { HealthSource } from '../routes/health.ts'
import { createRoutes } from '../routes/index.ts'
import { llms } from '../routes/llms.ts'
import type { DiagnosticsSources } from '../routes/metrics/diagnostics.ts'
import type { Metrics } from '../routes/metrics/index.ts'
import { describeApi } from '../routes/openapi/document.ts'
import { createPages, type Pages } from '../routes/pages.ts'
import { type StandingDelay, watchStandingDelay } from '../runtime/event-loop.ts'
import { COMPONENTS } from '../runtime/resources.ts'
import type { Environment } from './environment.ts'
import type { Features } from './features.ts'
import { connectionLimits } from './listening.ts'
import { createAccountsOf, createReplier, createShedding } from './replies.ts'
import type { Sharing } from './sharing.ts'
import type { Upstreams } from './upstreams.ts'

interface HttpServiceOptions extends Environment {
  readonly budgets: Budgets
  readonly content: Content
  readonly features: Features
  readonly health: HealthSource
  /** Null without an admin listener. */
  readonly metrics: Metrics | null
  /** Overrides of the limits that the configuration gives. */
  readonly serverLimits: Partial<ServerLimits> | undefined
  /** Null for a single instance. */
  readonly sharing: Sharing | null
  readonly sources: DiagnosticsSources
  readonly upstreams: Upstreams
  /** Measures how late the event loop is. */
  readonly watchDelay: typeof watchStandingDelay | undefined
}

export interface HttpService {
  readonly limits: Pick<ServerLimits, 'maxConnections' | 'maxConnectionsPerPeer'>
  /** Null without the console. */
  readonly pages: Pages | null
  readonly replier: Replier
  /** Not listening yet. */
  readonly server: Server
  readonly shedding: Shedding
  readonly streams: EventStreams
  /** The watch over the event loop's delay; closed when the service stops. */
  readonly loopWatch: StandingDelay
}

export function createHttpService(options: HttpServiceOptions): HttpService {
  const { config, log, clock, budgets, features, health, metrics, sharing, upstreams } = options
  const { sockets } = features.relaying
  const limits = { ...connectionLimits(config, log), ...options.serverLimits }
  const streamsAtOnce = streamLimits(config.inFlight, limits.maxConnections, config.maxStreams)
  const streams = new EventStreams({ limits: streamsAtOnce, slots: upstreams.context.calls, clock })
  const pages = config.console ? createPages(Object.values(health.sandbox ?? {})) : null
  const { loopWatch, shedding } = watchOverload(options)
  const replier = createReplier(config, log, metrics, clock)
  const server = createGatewayServer({
    routes: createServedRoutes(options, streamsAtOnce, pages),
    replier,
    accounts: createAccountsOf(config, budgets, sharing?.windows ?? null, log, clock),
    clock,
    onFault: (err: unknown, exchange: Exchange | null) =>
      log.error({ id: exchange?.id, route: exchange?.route, err }, 'fault'),
    onClosed(closed, open) {
      log.warn({ ...closed, open }, 'connections were closed')
      metrics?.observeClosed({ ...closed })
    },
    limits,
    streams,
    upgrades: sockets,
    shedding,
  })
  return { limits, pages, replier, server, shedding, streams, loopWatch }
}

/** Sheds load while the event loop, or the queue of signatures to verify, is late. */
function watchOverload({ log, clock, features, watchDelay = watchStandingDelay }: HttpServiceOptions): {
  readonly loopWatch: StandingDelay
  readonly shedding: Shedding
} {
  const { relay } = features.relaying
  const loopWatch = watchDelay((standingMs, windowMs, utilization, cpuPart) =>
    shedding.tick(Math.max(standingMs, relay.waitMs * cpuPart), windowMs, utilization),
  )
  const shedding: Shedding = createShedding(log, clock, loopWatch.nowMs)
  return { loopWatch, shedding }
}

/** The API's routes, the text that describes them to language models, and the console's pages. */
function createServedRoutes(
  options: HttpServiceOptions,
  streams: StreamLimits,
  pages: Pages | null,
): readonly Served[] {
  const { config, clock } = options
  const originOf = createOriginReader(config)
  const routes = createApiRoutes(options, streams, originOf)
  return [...routes, llms(routes, originOf, clock), ...(pages?.routes ?? [])]
}

function createApiRoutes(
  { config, clock, deadlines, content, features, health, sources, upstreams }: HttpServiceOptions,
  streams: StreamLimits,
  originOf: ReturnType<typeof createOriginReader>,
): readonly Route[] {
  const { counts, cursors, discovery, onchain, research, relaying, swap } = features
  const { relay, inquiries, methods, rpcRequest } = relaying
  const { providers } = upstreams
  const routes: readonly Route[] = createRoutes({
    health,
    limits: config.limits,
    inFlight: config.inFlight,
    streams,
    maxRetries: config.maxRetries,
    relay,
    inquiries,
    ...onchain,
    methods,
    rpcRequest,
    ...research,
    swaps: providers.swaps,
    ...swap,
    swapOptions: createSwapOptions(config, providers, health.providers, clock),
    baskets: new BasketPlanner({
      tokens: research.tokenList,
      swaps: providers.swaps,
      priceOf: (...asked) => research.priceVotes.price(...asked),
      deadlineMs: deadlines.priceMs,
      clock,
    }),
    deadlines,
    content,
    counts,
    sources,
    providerNames: PROVIDER_NAMES.filter((name) => config.providerUrls[name] !== null),
    minVerification: config.minVerification,
    clock,
    cursors,
    discovery,
    document: (origin) =>
      describeApi(routes, { ...COMPONENTS, SolanaRpcRequest: rpcRequest }, config.limits, origin),
    originOf,
  })
  return routes
}
