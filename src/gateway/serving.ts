/** The HTTP service, put together: the routes, their limits, and the server that serves them. */

import type { Server } from 'node:http'
import { PROVIDER_NAMES } from '../config/providers.ts'
import type { DescriptorFolder } from '../explain/evm/descriptor-folder.ts'
import { type EventLoop, watchStandingDelay } from '../flow/event-loop.ts'
import { createAccounts } from '../http/client/accounts.ts'
import { createClientReader, createPeerReader } from '../http/client/client.ts'
import { createOriginReader, createOwnOrigins, type OriginReader } from '../http/client/origin.ts'
import { tapedAccounts } from '../http/client/taped-accounts.ts'
import type { Closed } from '../http/connections/connections.ts'
import type { ServerLimits } from '../http/connections/limits.ts'
import { connectionLimits } from '../http/connections/open-files.ts'
import type { Budgets } from '../http/limit/budgets.ts'
import type { Shedding } from '../http/overload/shedding.ts'
import { EventStreams, type StreamLimits, streamLimits } from '../http/reply/streams.ts'
import type { Exchange } from '../http/request/exchange.ts'
import type { RequestTapes } from '../http/request/tape.ts'
import type { Group, Route, Served } from '../http/route.ts'
import { createGatewayServer, type GatewayServerOptions } from '../http/server.ts'
import { BasketPlanner } from '../research/basket/baskets.ts'
import type { Content } from '../research/content/content.ts'
import { createSwapOptions } from '../research/swap-options/swap-options.ts'
import { COMMUNITY, STATISTICS } from '../routes/groups.ts'
import { createRoutes } from '../routes/index.ts'
import { llms } from '../routes/llms.ts'
import { createAdminServer } from '../routes/metrics/admin.ts'
import type { DiagnosticsSources } from '../routes/metrics/diagnostics.ts'
import type { Metrics } from '../routes/metrics/index.ts'
import { describeApi } from '../routes/openapi/document.ts'
import { createPages, type Pages } from '../routes/pages.ts'
import type { HealthSource } from '../routes/service/health.ts'
import { COMPONENTS } from '../runtime/resources/components.ts'
import { recorded } from '../runtime/tape.ts'
import type { Environment } from './environment.ts'
import type { Features } from './features.ts'
import { createReplier, createShedding } from './replies.ts'
import type { Sharing } from './sharing.ts'
import type { Upstreams } from './upstreams.ts'

export interface HttpServiceOptions extends Environment {
  readonly budgets: Budgets
  readonly content: Content
  readonly descriptors: DescriptorFolder
  readonly eventLoop: EventLoop
  readonly features: Features
  readonly health: HealthSource
  /** Null without an admin listener. */
  readonly metrics: Metrics | null
  /** Overrides of the limits that the configuration gives. */
  readonly serverLimits: Partial<ServerLimits> | undefined
  /** Null for a single instance. */
  readonly sharing: Sharing | null
  readonly sources: DiagnosticsSources
  /** Null without RECORD_DIR. */
  readonly tapes: RequestTapes | null
  readonly upstreams: Upstreams
  /** Measures how late the event loop is. */
  readonly watchDelay: typeof watchStandingDelay | undefined
}

export type HttpService = Readonly<ReturnType<typeof createHttpService>>

/**
 * @returns its parts, neither server listening yet; `pages` is null without the console, `adminServer` without
 *          an admin listener, and `routes` are those of both. Who stops the service closes `loopWatch`
 */
export function createHttpService(options: HttpServiceOptions) {
  const { config, log, clock, budgets, features, health, metrics, sharing, upstreams } = options
  const { sockets } = features.relaying
  const { trustedProxies, clientAddressHeader: header } = config
  const limits = { ...connectionLimits(config, log), ...options.serverLimits }
  const streamsAtOnce = streamLimits(config.inFlight, limits.maxConnections, config.maxStreams)
  const streams = new EventStreams({ limits: streamsAtOnce, slots: upstreams.context.calls, clock })
  const pages = config.console ? createPages(Object.values(health.sandbox ?? {})) : null
  const { loopWatch, shedding } = watchOverload(options)
  const readOrigin = createOriginReader(config)
  const originOf: OriginReader = (request) => recorded(clock, 'origin', () => readOrigin(request))
  const replier = createReplier(config, options, originOf, metrics)
  const { routes, operations } = createServedRoutes(options, originOf, streamsAtOnce, pages)
  const accounts = createAccounts({
    budgets,
    shared: sharing?.windows ?? null,
    readClient: createClientReader({ trustedProxies, header }),
    peerOf: createPeerReader(trustedProxies),
    header,
    clock,
    onUntrusted: () =>
      log.warn({ header }, 'a peer outside TRUSTED_PROXIES sends a forwarded address; it is ignored'),
  })
  const common = {
    accounts: tapedAccounts(accounts, clock),
    clock,
    onFault: (err: unknown, exchange: Exchange | null) =>
      log.error({ id: exchange?.id, route: exchange?.route, err }, 'fault'),
    onClosed(closed: Closed, open: number) {
      log.warn({ ...closed, open }, 'connections were closed')
      metrics?.observeClosed({ ...closed })
    },
    limits,
    held: upstreams.context.held,
    streams,
  }
  const server = createGatewayServer({
    ...common,
    routes,
    replier,
    upgrades: sockets,
    shedding,
    tapes: options.tapes,
  })
  const adminServer = metrics === null ? null : createAdminListener(options, metrics, operations, common)
  const all = [...routes, ...operations]
  return { limits, pages, replier, routes: all, server, adminServer, shedding, streams, loopWatch }
}

/**
 * The admin listener, with the operator routes if it serves them. Pages of other origins get nothing there.
 */
function createAdminListener(
  options: HttpServiceOptions,
  metrics: Metrics,
  operations: readonly Served[],
  common: Pick<
    GatewayServerOptions,
    'accounts' | 'clock' | 'onFault' | 'onClosed' | 'limits' | 'held' | 'streams'
  >,
): Server {
  const { answersAdmin } = metrics
  if (operations.length === 0) return createAdminServer(answersAdmin, common.limits?.keepAliveTimeoutMs)
  const originOf = createOriginReader({ ...options.config, publicUrl: null })
  const replier = createReplier({ ...options.config, corsOrigins: null }, options, originOf, metrics)
  return createGatewayServer({ ...common, routes: operations, replier, answersFirst: answersAdmin })
}

/** Sheds load while the event loop, or the queue of signatures to verify, is late. */
function watchOverload(options: HttpServiceOptions) {
  const { log, clock, eventLoop, features, watchDelay = watchStandingDelay } = options
  const { relay } = features.relaying
  const loopWatch = watchDelay(
    (standingMs, windowMs, utilization, cpuPart) =>
      shedding.tick(Math.max(standingMs, relay.waitMs * cpuPart), windowMs, utilization, cpuPart),
    eventLoop.record,
  )
  const shedding: Shedding = createShedding(log, clock, loopWatch.nowMs)
  return { loopWatch, shedding }
}

/** The API's routes, the text that describes them to language models, and the console's pages. */
function createServedRoutes(
  options: HttpServiceOptions,
  originOf: OriginReader,
  streams: StreamLimits,
  pages: Pages | null,
): { readonly routes: readonly Served[]; readonly operations: readonly Served[] } {
  const { config, access, clock, features, upstreams } = options
  const { allowances, counts, cursors, discovery, research, relaying, swap, transactions } = features
  const { inquiries, methods, rpcEndpoint } = relaying
  const { providers } = upstreams
  const isOwn = createOwnOrigins(config)
  const isOwnOrigin: typeof isOwn = (...asked) => recorded(clock, 'own origin', () => isOwn(...asked))
  const origins = { originOf, isOwnOrigin }
  /** These have no answers without CONTENT_DIR. */
  const unused: readonly Group[] = config.contentDir === null ? [COMMUNITY] : []
  const all = createRoutes({
    ...config,
    ...options,
    streams,
    priorityFees: providers.priorityFees,
    inquiries,
    transactions,
    allowances,
    methods,
    rpcEndpoint,
    ...research,
    swaps: providers.swaps,
    ...swap,
    swapOptions: createSwapOptions({
      access,
      swaps: providers.swaps,
      isCrossChain: providers.xprov !== null,
      minVerification: config.minVerification,
      rates: providers.ratesOf.last,
      states: options.health.own,
      risksOf: research.risksOf,
      clock,
    }),
    baskets: new BasketPlanner({
      tokens: research.tokenList,
      swaps: providers.swaps,
      priceOf: (...asked) => research.priceVotes.price(...asked),
      deadlineMs: options.deadlines.priceMs,
      clock,
    }),
    counts,
    providerNames: PROVIDER_NAMES.filter((name) => config.providerUrls[name] !== null),
    cursors,
    discovery,
    nodes: { solana: upstreams.solana, evm: providers.evm, sui: providers.sui },
    document: (origin) =>
      describeApi(
        routes,
        { ...COMPONENTS, SolanaRpcRequest: rpcEndpoint.body },
        config.limits,
        origin,
        unused,
      ),
    ...origins,
  })
  const isForOperators = ({ description }: Route): boolean =>
    config.operations === 'admin' && description.group === STATISTICS
  const routes: readonly Route[] = all.filter((route) => !isForOperators(route))
  const described = routes.filter(({ description }) => !unused.includes(description.group))
  return {
    routes: [...routes, llms(described, origins), ...(pages?.routes ?? [])],
    operations: all.filter(isForOperators),
  }
}
