/**
 * The composition root: configuration to a listening service. Everything is
 * put together here, by plain arguments.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { createVerifier } from './chains/solana/verify.ts'
import type { Config } from './config/config.ts'
import { PROVIDER_NAMES } from './config/providers.ts'
import { summarize } from './config/summary.ts'
import { connectionLimits, connectionsOf, listen, listenBeside, urlOf } from './gateway/listening.ts'
import { createResearch, type Research } from './gateway/research.ts'
import { createAccountsOf, createReplier, createShedding, logFailure } from './gateway/serving.ts'
import { openSharing } from './gateway/sharing.ts'
import { StartError } from './gateway/start-error.ts'
import { createOriginReader } from './http/client/origin.ts'
import { createCounts } from './http/counts/counts.ts'
import { drain } from './http/drain.ts'
import { budgetUse, createBudgets } from './http/limit/budgets.ts'
import { randomSeed } from './http/limit/fixed-window.ts'
import type { ServerLimits } from './http/limits.ts'
import type { Route } from './http/route.ts'
import { createGatewayServer } from './http/server.ts'
import type { Shedding } from './http/shedding.ts'
import { EventStreams, streamLimits } from './http/streams.ts'
import { createProviders } from './providers/index.ts'
import { Inquiries } from './relay/inquiries.ts'
import { compileMethods, methodsWith } from './relay/methods.ts'
import { Relay } from './relay/relay.ts'
import { SubscriptionSockets } from './relay/sockets.ts'
import { StatusPoller } from './relay/statuses.ts'
import { Submissions } from './relay/submissions.ts'
import { BasketPlanner } from './research/basket/baskets.ts'
import { Content } from './research/content/content.ts'
import { createDiscovery, type DiscoverReaders } from './research/discover/index.ts'
import { OperatorList } from './research/list/operator-list.ts'
import { fairOut } from './research/list/recent-price.ts'
import { createOnchain, type OnchainReaders } from './research/onchain/index.ts'
import { createSwapOptions } from './research/swap-options/swap-options.ts'
import type { HealthSource, SandboxAddresses } from './routes/health.ts'
import { createRoutes } from './routes/index.ts'
import { llms } from './routes/llms.ts'
import type { DiagnosticsSources } from './routes/metrics/diagnostics.ts'
import type { Metrics, MetricsSources } from './routes/metrics/index.ts'
import { describeApi } from './routes/openapi/document.ts'
import { createPages } from './routes/pages.ts'
import { RELAY_PATH } from './routes/solrpc.ts'
import { CLOCK, type Clock } from './runtime/clock.ts'
import { Cursors } from './runtime/cursor.ts'
import { EventLoop, watchStandingDelay } from './runtime/event-loop.ts'
import type { Logger } from './runtime/log.ts'
import { COMPONENTS, solanaRpcRequest } from './runtime/resources.ts'
import { VERSION } from './runtime/version.ts'
import { DEADLINES, type Deadlines } from './swap/deadlines.ts'
import { createSwapServices, type SwapServices } from './swap/index.ts'
import type { CallEnd } from './upstream/call.ts'
import type { CacheState } from './upstream/coalescing.ts'
import { ConcurrencyLimiter } from './upstream/concurrency.ts'
import { createUpstreamContext, type UpstreamContext } from './upstream/context.ts'
import { SolanaRpc } from './upstream/nodes/solana-rpc.ts'

/** To the operator. */
const RECEIPTS_SHOWN = 30
const PUBLIC_SOLANA_RPC = 'https://api.mainnet-beta.solana.com'

export interface GatewayOptions {
  readonly clock?: Clock
  readonly serverLimits?: Partial<ServerLimits>
  readonly deadlines?: Partial<Deadlines>
  /** Of the budgets. */
  readonly windowMs?: number
  /** How long a request waits for Redis. */
  readonly redisAnswerMs?: number
  /** How many log lines nobody will read. */
  readonly droppedLines?: () => number
  /** As in the commons of all upstreams. */
  readonly limitsAsPublic?: boolean
  /** What tells how late the event loop is. */
  readonly watchDelay?: typeof watchStandingDelay
}

export interface Gateway {
  readonly url: string
  /** Where WebSockets are beside it, on a port of their own; null where they are not. */
  readonly wsUrl: string | null
  /** Null where no admin listener was asked for. */
  readonly adminUrl: string | null
  /** Where the simulated world listens; null in live mode. */
  readonly sandbox: SandboxAddresses | null
  /** Reads the operator's files again; settles once all of them are read. */
  reload(): Promise<void>
  /** Lets what is in flight finish; false when the grace was too short for some of it. */
  stop(): Promise<boolean>
}

/**
 * @throws Error        when an address cannot be listened on, or an optional package that is needed is not installed
 * @throws ConfigError  when the operator's list of tokens, or other content, is bad
 */
export async function startGateway(
  config: Config,
  log: Logger,
  options: GatewayOptions = {},
): Promise<Gateway> {
  const clock = options.clock ?? CLOCK
  const deadlines = { ...DEADLINES, ...options.deadlines }
  const operator = new OperatorList(config.tokensFiles, log)
  const content = await createContent(config, log)
  const sandbox = config.mode === 'sandbox' ? await loadSandbox() : null

  let draining = false
  const eventLoop = new EventLoop()
  const sources: MetricsSources & DiagnosticsSources = {
    verifier: config.verifier,
    loopDelay: () => eventLoop.delay,
    upstreams: () => health.providers(),
    opened: () => commons.opened,
    quotas: () => [...solana.quotas, ...providers.quotas()],
    budgets: () => budgetUse(budgets, clock.now()),
    sharing: () => sharing && { isUp: sharing.windows.isUp, decisions: sharing.windows.decisions },
    places: () => ({ calls: commons.inFlight, submissions: commons.submissions }),
    sharedAnswers: () => sharing?.answers.counts ?? null,
    answers: () => answersOf(relay, research, swapRooms, onchain, discovery),
    caches: () => ({
      ...sources.answers(),
      final: relay.reads.finals,
      blockhashes: { entries: submissions.blockhashes.size },
      signers: { entries: verifier.signers },
      decimals: { entries: swapRooms.decimals.size },
      list: { entries: research.tokenList.size },
    }),
    connections: () => connectionsOf([server, ...beside]),
    streams: () => streams.open,
    subscriptions: () => sockets?.subscriptions ?? 0,
    rebroadcasts: () => inquiries.rebroadcasts().count,
    droppedLines: options.droppedLines ?? (() => 0),
    shed: () => shedding.shed,
    isDraining: () => draining,
    page: async (path) => pages?.findForOperator(path),
    instance: () => ({
      mode: config.mode,
      version: VERSION,
      loopDelay: eventLoop.delay,
      rebroadcasts: inquiries.rebroadcasts(),
      receipts: inquiries.lastReceipts(RECEIPTS_SHOWN),
    }),
  }
  const sharing = await openSharing(config, log, clock, options)
  const budgets = createBudgets(config.limits, randomSeed(), options.windowMs)
  const metrics = config.adminPort === null ? null : await loadMetrics(sources)
  const onCall = (end: CallEnd): void => {
    logFailure(log, end)
    metrics?.observeCall(end)
  }
  const { limitsAsPublic = false } = options
  const inFlight = new ConcurrencyLimiter(config.inFlight)
  const onHeldBack = metrics === null ? {} : { onHeldBack: metrics.observeHeldBack }
  const commons = createUpstreamContext({
    clock,
    inFlight,
    onCall,
    ...onHeldBack,
    passesTrace: config.passTraceparent,
    limitsAsPublic,
    shareLimits: sharing?.shareLimits ?? null,
  })
  const solana = createSolanaRpc(config, sandbox?.solanaUrl ?? PUBLIC_SOLANA_RPC, commons, log)
  const providers = createProviders({ config, log, sandbox, solana, commons })
  const peers =
    sharing?.createSharedAnswers({ answers: sharing.answers, swaps: providers.swaps, deadlines, clock }) ??
    null
  const research = createResearch({ config, operator, providers, solana, deadlines, peers, log, clock })
  const counts = createCounts(clock)
  const swapRooms = createSwapServices({
    config,
    providers,
    solana,
    deadlines,
    fairOut: (order) => fairOut(research.tokenList, order, clock.date()),
    counts,
    peers: peers?.runs ?? null,
    log,
    clock,
  })
  const cursors = new Cursors(config.quoteSecret)
  const discovery = createDiscovery({
    tokenList: research.tokenList,
    universe: research.universe,
    providers: providers.markets,
    decimals: swapRooms.decimals,
    solana,
    cursors,
    deadlineMs: deadlines.profileMs,
    clock,
    log,
  })
  const verifier = createVerifier(config.verifier, { clock })
  const methods = methodsWith(config.extraRpcMethods)
  const rpcRequest = solanaRpcRequest([...methods.values()].map(({ name }) => name))
  const statuses = new StatusPoller({ rpc: solana, clock })
  const submissions = new Submissions({
    rpc: solana,
    statuses,
    maxRetries: config.maxRetries,
    funnel: counts.funnel,
    leases: sharing?.leases ?? null,
    clock,
  })
  const inquiries = new Inquiries({ rpc: solana, submissions })
  const { tokenList: tokens } = research
  const onchain = createOnchain({ evm: providers.evm, solana, inquiries, tokens, clock })
  const relay = new Relay({
    rpc: solana,
    verifier,
    methods,
    submissions,
    readCacheMs: config.readCache ? config.readCacheMs : null,
    clock,
  })

  const sockets = config.ws
    ? new SubscriptionSockets({
        path: RELAY_PATH,
        statuses,
        receipts: submissions.receipts,
        confirmations: relay.reads.confirmations,
        clock,
      })
    : null

  const health: HealthSource = {
    mode: config.mode,
    sandbox: sandbox && {
      solanaRpc: sandbox.solanaUrl,
      evmRpc: sandbox.urls.evm!,
      control: sandbox.controlUrl,
    },
    isDraining: () => draining,
    redis: () => sharing?.store.state ?? null,
    providers: () => [...solana.state(), ...providers.state()],
  }
  const limits = { ...connectionLimits(config, log), ...options.serverLimits }
  const streamsAtOnce = streamLimits(config.inFlight, limits.maxConnections, config.maxStreams)
  const streams = new EventStreams({ limits: streamsAtOnce, inFlight, clock })
  const originOf = createOriginReader(config)
  const routes: readonly Route[] = createRoutes({
    health,
    limits: config.limits,
    inFlight: config.inFlight,
    streams: streamsAtOnce,
    maxRetries: config.maxRetries,
    relay,
    inquiries,
    ...onchain,
    methods,
    rpcRequest,
    ...research,
    swaps: providers.swaps,
    ...swapRooms,
    swapOptions: createSwapOptions(config, providers, health.providers, clock),
    baskets: new BasketPlanner({ tokens: research.tokenList, swaps: providers.swaps, clock }),
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

  const pages = config.console ? createPages(Object.values(health.sandbox ?? {})) : null
  const delay = (options.watchDelay ?? watchStandingDelay)((standingMs, windowMs, utilization) =>
    shedding.tick(Math.max(standingMs, relay.waitMs), windowMs, utilization),
  )
  const shedding: Shedding = createShedding(log, clock, delay.nowMs)
  const replier = createReplier(config, log, metrics, clock)
  const server = createGatewayServer({
    routes: [...routes, llms(routes, originOf, clock), ...(pages?.routes ?? [])],
    replier,
    accounts: createAccountsOf(config, budgets, sharing?.windows ?? null, log, clock),
    clock,
    onFault: (err, exchange) => log.error({ id: exchange?.id, route: exchange?.route, err }, 'fault'),
    onClosed(closed, open) {
      log.warn({ ...closed, open }, 'connections were closed')
      metrics?.observeClosed({ ...closed })
    },
    limits,
    streams,
    upgrades: sockets,
    shedding,
  })
  const url = await listen(server, config.host, config.port)
  const beside = sockets === null ? [] : await listenBeside(server, config, log)
  const wsUrl = beside[0] === undefined ? null : urlOf('ws', beside[0])
  const adminUrl = metrics === null ? null : await listen(metrics.server, config.adminHost, config.adminPort!)
  // What a first request would wait for is done now that one can be received.
  setImmediate(() => {
    compileMethods(methods)
    verifier.prepareTables()
  })
  solana.warmUp()
  const consoleUrl = config.console ? `${url}/` : null
  const start = {
    version: VERSION,
    mode: config.mode,
    url,
    wsUrl,
    adminUrl,
    consoleUrl,
    sandbox: health.sandbox,
  }
  log.info({ ...start, configured: summarize(config, limits) }, 'listening')

  return {
    url,
    wsUrl,
    adminUrl,
    sandbox: health.sandbox,
    reload() {
      operator.reload()
      return content.reload()
    },
    async stop() {
      draining = true
      replier.closing = true
      if (config.drainDelayMs > 0) await sleep(config.drainDelayMs)
      streams.close()
      const left = sockets?.close()
      const whole = await drain(server, config.shutdownGraceMs, beside)
      await left
      if (metrics !== null) await drain(metrics.server, 0)
      submissions.close()
      statuses.close()
      eventLoop.close()
      sharing?.store.close()
      delay.close()
      await Promise.all([solana.close(), providers.close()])
      await sandbox?.close()
      return whole
    },
  }
}

/** @param url  for whoever configured none */
function createSolanaRpc(config: Config, url: string, commons: UpstreamContext, log: Logger): SolanaRpc {
  const readUrls = config.solanaRpcUrls ?? [url]
  return new SolanaRpc({
    readUrls,
    sendUrls: config.solanaSendUrls ?? readUrls,
    submissionServiceUrls: config.solanaLandingUrls ?? [],
    maxSlotsBehind: config.maxSlotsBehind,
    onForeign: (upstream) => log.error({ upstream }, 'a node is of another cluster; it gets no calls'),
    commons,
  })
}

/** The operator's own content; the sandbox brings a sample, which a live gateway does not even load. */
async function createContent({ mode, contentDir }: Config, log: Logger): Promise<Content> {
  const sample = mode === 'sandbox' ? (await import('./sandbox/content.ts')).SAMPLE : {}
  return new Content(contentDir, sample, log)
}

/** Loaded where it is asked for only. */
async function loadMetrics(sources: MetricsSources): Promise<Metrics> {
  const { createMetrics } = await import('./routes/metrics/index.ts')
  return createMetrics(sources)
}

/** Where answers came from that may be shared, by what was asked for. */
function answersOf(
  relay: Relay,
  { profiles, portfolios, natives }: Research,
  { quotes, crossChainSwaps, statuses }: SwapServices,
  { transactions }: OnchainReaders,
  { lookup }: DiscoverReaders,
): Readonly<Record<string, CacheState>> {
  return {
    rpc: relay.reads.cache,
    quote: quotes.cache,
    ...(crossChainSwaps && { xquote: crossChainSwaps.cache }),
    ...(statuses && { xstatus: statuses.cache }),
    portfolio: portfolios.cache,
    profile: profiles.cache,
    native: natives.cache,
    lookup: lookup.cache,
    transaction: transactions.cache,
  }
}

async function loadSandbox() {
  const { startSandbox } = await import('./sandbox/index.ts')
  try {
    return await startSandbox()
  } catch (cause) {
    throw new StartError(`${(cause as Error).message} MODE=live needs none of it.`, { cause })
  }
}
