/**
 * The composition root: configuration to a listening service. The parts are
 * put together here, by plain arguments; gateway/ has each part.
 */

import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { Access } from './chains/access.ts'
import type { Config } from './config/config.ts'
import { Sanctions } from './config/sanctions.ts'
import { summarizeConfig } from './config/summary.ts'
import { warningsOf } from './config/warnings.ts'
import { DescriptorFolder } from './explain/evm/descriptor-folder.ts'
import { EventLoop, type watchStandingDelay } from './flow/event-loop.ts'
import { HeldBytes } from './flow/held-bytes.ts'
import type { Environment } from './gateway/environment.ts'
import { createFeatures } from './gateway/features.ts'
import { Listeners, type ListenerUrls } from './gateway/listening.ts'
import {
  createObservabilitySources,
  type ObservabilityOptions,
  type ObservedParts,
} from './gateway/observability.ts'
import type { openRecordings, Taping } from './gateway/replay/index.ts'
import { createHttpService, type HttpService } from './gateway/serving.ts'
import { openSharing } from './gateway/sharing.ts'
import { StartError } from './gateway/start-error.ts'
import { Primary, workersOf } from './gateway/threads/primary.ts'
import type { WorkerLink } from './gateway/threads/worker-link.ts'
import { workerMethods } from './gateway/threads/worker-methods.ts'
import type { SandboxServers } from './gateway/threads/worker-start.ts'
import { createUpstreams } from './gateway/upstreams.ts'
import { createClientNames } from './http/client/names.ts'
import type { ServerLimits } from './http/connections/limits.ts'
import { createBudgets } from './http/limit/budgets.ts'
import { randomSeed } from './http/limit/client-ring.ts'
import { Content } from './research/content/content.ts'
import { OperatorList } from './research/list/operator-list.ts'
import type { Metrics, MetricsSources } from './routes/metrics/index.ts'
import type { HealthSource, SandboxAddresses } from './routes/service/health.ts'
import { CLOCK, type Clock, sleep } from './runtime/clock.ts'
import { joined } from './runtime/joined.ts'
import type { Logger } from './runtime/log.ts'
import { taped } from './runtime/tape.ts'
import { VERSION } from './runtime/version.ts'
import type { Sandbox } from './sandbox/index.ts'
import { DEADLINES, type Deadlines } from './swap/deadlines.ts'

export interface GatewayOptions {
  /** The sandbox's time, too. */
  readonly clock?: Clock
  readonly serverLimits?: Partial<ServerLimits>
  readonly deadlines?: Partial<Deadlines>
  /** The length of the budgets' windows. */
  readonly windowMs?: number
  /** How long a request waits for Redis. */
  readonly redisAnswerMs?: number
  /** How many log lines were dropped because nobody reads them. */
  readonly droppedLines?: () => number
  /** As in UpstreamContext. */
  readonly limitsAsPublic?: boolean
  /** How often metrics are rendered at most, however often they are scraped. */
  readonly metricsEveryMs?: number
  /** Accounts for the bytes held for clients. */
  readonly held?: HeldBytes
  /** Measures how late the event loop is. */
  readonly watchDelay?: typeof watchStandingDelay
  /** What a thread runs in which this program serves as one of WORKERS; absent: this thread serves alone. */
  readonly program?: string
  /** Set in a worker. */
  readonly link?: WorkerLink
  /** Set in a replay: what replays the request, where the simulated world listened, and what reaches no network. */
  readonly taping?: Taping
  readonly servers?: SandboxServers | null
  readonly dispatcherOf?: (origin: string) => Dispatcher
}

export interface Gateway extends ListenerUrls {
  /** Where the simulated world listens; null in live mode. */
  readonly sandbox: SandboxAddresses | null
  /** Reads the operator's files again; settles once all of them are read. */
  reload(): Promise<void>
  /** Lets requests in progress finish; false if the grace was too short for some of them. */
  stop(): Promise<boolean>
}

/** What stop() stops. */
interface RunningParts extends Omit<ObservedParts, 'budgets' | 'health'> {
  readonly eventLoop: EventLoop
  readonly primary: Primary | null
  readonly sandbox: Sandbox | null
  readonly taping: Taping | null
}

/**
 * @throws Error        when an address cannot be listened on, or an optional package that is needed is not installed
 * @throws ConfigError  when the operator's list of tokens or of refused addresses, or other content, is bad
 */
export async function startGateway(
  config: Config,
  log: Logger,
  options: GatewayOptions = {},
): Promise<Gateway> {
  const { droppedLines = () => 0, limitsAsPublic = false, serverLimits, watchDelay } = options
  const { dispatcherOf = null } = options
  const { clock: untaped = CLOCK } = options
  const taping: Taping | null = options.taping ?? (await openTaping(config, log, untaped, () => servers))
  const droppedRecordings = () => taping?.dropped() ?? 0
  const { clock } = taping?.tapes ?? { clock: untaped }
  const { held = new HeldBytes(), link = null, program } = options
  const nameKey = link?.start.nameKey ?? randomBytes(32).toString('hex')
  const workers = program === undefined ? 1 : workersOf(config, log)
  const primary =
    workers > 1 ? new Primary({ config, workers, log, clock, program: program!, nameKey }) : null
  const sanctions = config.sanctionsFiles.length === 0 ? null : new Sanctions(config, log)
  const environment: Environment = {
    config,
    access: new Access(config, sanctions),
    log,
    clock,
    deadlines: { ...DEADLINES, ...options.deadlines },
    nameClient: createClientNames(config.logClients, nameKey),
  }
  const operator = new OperatorList(config.tokensFiles, log)
  const content = await createContent(config, log)
  const descriptors = new DescriptorFolder(config.descriptorsDir, log)
  const given = options.servers ?? link?.start.sandbox ?? null
  const isHere = config.mode === 'sandbox' && given === null
  const sandbox = isHere ? await loadSandbox(config, clock) : null
  const servers: SandboxServers | null = sandbox === null ? given : serversOf(sandbox)

  let draining = false
  const isDraining = (): boolean => draining
  const eventLoop = new EventLoop()
  // The parts take these sources, which read the parts: each is looked up only when read.
  const parts = () => ({ budgets, sharing, upstreams, features, health, service, listeners })
  const sources = createObservabilitySources(
    { ...environment, eventLoop, droppedLines, droppedRecordings, isDraining, primary, link },
    parts,
  )
  // What is sent to other instances meanwhile is no part of a request.
  const sharing = await openSharing(config, log, untaped, { ...options, isDraining, isWorker: link !== null })
  const threads = link?.budgets ?? primary?.budgets ?? null
  const budgets = createBudgets(config.limits, randomSeed(), options.windowMs, threads)
  const metrics = config.adminPort === null ? null : await loadMetrics(sources, options.metricsEveryMs)
  const shareLimits = sharing?.shareLimits ?? (link ?? primary)?.shareLimits ?? null
  const calling = { sandbox: servers, shareLimits, metrics, limitsAsPublic, held, dispatcherOf }
  const upstreams = createUpstreams({ ...environment, ...calling })
  taping?.tapes.name(upstreams.providers.swaps)
  const features = createFeatures({ ...environment, operator, upstreams, sharing, link })
  const healthParts = { servers, sharing, upstreams, isDraining, primary, link }
  const health = taped(clock, 'health', createHealthSource({ ...environment, ...healthParts }))
  const observed = { eventLoop, health, metrics, sources }
  const tapes = taping?.requests ?? null
  const served = { ...observed, tapes, budgets, content, descriptors, features, sharing, upstreams }
  const service = createHttpService({ ...environment, ...served, serverLimits, watchDelay })
  const { server, adminServer, limits } = service
  const { sockets } = features.relaying
  const servesWebSockets = sockets !== null
  const sharesPorts = link !== null
  const listeners = new Listeners({ config, log, server, adminServer, servesWebSockets, sharesPorts })
  const urls = await (primary === null ? listeners.open() : listeners.probe())
  const { counts, tables, relaying, research } = features
  const { confirmations } = relaying.relay.reads
  const { tokenList: list } = research
  if (primary !== null) {
    const here = relaying.here!
    const parts = { ...here, polling: here, counts, confirmations, list, tables }
    await primary.open({ ...parts, sandbox: servers, urls, providers: health.own })
  }
  // Only now do workers hear of what is shared.
  sharing?.shareDeliveries?.(counts.deliveries)
  if (link !== null && sharing !== null) counts.deliveries.catchUp = link.catchUp
  // The first request would wait for the connections.
  if (environment.access.serves('solana')) upstreams.solana.warmUp()
  if (link === null) features.tables.start()
  if (link === null) logStart(config, log, urls, health, limits)

  const running = { features, service, listeners, eventLoop, sharing, upstreams, sandbox, primary, taping }
  const gateway: Gateway = {
    ...urls,
    sandbox: health.sandbox,
    reload: joined(async () => {
      const files = [sanctions, operator, content, descriptors]
      await Promise.all([...files.map((one) => one?.reload()), primary?.reload()])
    }),
    stop() {
      draining = true
      return stop(config, running)
    },
  }
  if (link !== null) {
    const repeat = link.replicate({ ...counts, confirmations })
    const { flush, watches } = link
    const read = { list, eventLoop, metrics, droppedLines, providers: health.own }
    link.ready(workerMethods({ ...gateway, ...read, flush, watches, repeat }))
  }
  return gateway
}

/** @returns null without RECORD_DIR, which loads nothing of it */
async function openTaping(...options: Parameters<typeof openRecordings>): Promise<Taping | null> {
  if (options[0].record.dir === null) return null
  const { openRecordings } = await import('./gateway/replay/index.ts')
  return openRecordings(...options)
}

/** The operator's own content; the sandbox has a sample, which a live gateway doesn't load. */
async function createContent({ mode, contentDir }: Config, log: Logger): Promise<Content> {
  const sample = mode === 'sandbox' ? (await import('./sandbox/content.ts')).SAMPLE : {}
  return new Content(contentDir, sample, log)
}

/** @throws StartError  if a package that it needs is not installed */
export async function loadSandbox({ sandboxProviders }: Config, clock: Clock): Promise<Sandbox> {
  const { startSandbox } = await import('./sandbox/index.ts')
  try {
    const lifelike = sandboxProviders === 'lifelike'
    return await startSandbox({ now: clock.date, pause: (ms) => sleep(clock, ms), lifelike })
  } catch (cause) {
    throw new StartError(`${(cause as Error).message} MODE=live needs none of it.`, { cause })
  }
}

/** Loads prom-client, which only a gateway with an admin listener needs. */
async function loadMetrics(sources: MetricsSources, everyMs?: number): Promise<Metrics> {
  const { createMetrics } = await import('./routes/metrics/index.ts')
  return createMetrics(sources, everyMs)
}

/** Where it listens. */
const serversOf = ({ solanaUrl, controlUrl, suiUrl, tonUrls, urls }: Sandbox): SandboxServers => ({
  solanaUrl,
  controlUrl,
  suiUrl,
  tonUrls,
  urls,
})

interface HealthOptions
  extends Environment,
    Pick<ObservedParts, 'sharing' | 'upstreams'>,
    Pick<ObservabilityOptions, 'isDraining' | 'primary' | 'link'> {
  /** Null in live mode. */
  readonly servers: SandboxServers | null
}

function createHealthSource(options: HealthOptions): HealthSource {
  const { config, access, servers, sharing, upstreams, isDraining, primary, link } = options
  const { solana, providers } = upstreams
  const own = () => [...(access.serves('solana') ? solana.state() : []), ...providers.state()]
  const asked = link ?? primary
  return {
    mode: config.mode,
    sandbox: servers && {
      solanaRpc: servers.solanaUrl,
      evmRpc: servers.urls.evm!,
      control: servers.controlUrl,
    },
    isDraining,
    uptimeMs: () => process.uptime() * 1_000,
    redis: () => sharing && { state: sharing.store.state, cause: sharing.store.cause },
    own,
    providers: asked === null ? own : async () => (await asked.health()) ?? own(),
  }
}

function logStart(
  config: Config,
  log: Logger,
  { url, wsUrl, adminUrl }: ListenerUrls,
  { sandbox }: HealthSource,
  limits: HttpService['limits'],
): void {
  const consoleUrl = config.console ? `${url}/` : null
  const start = { version: VERSION, mode: config.mode, url, wsUrl, adminUrl, consoleUrl, sandbox }
  // First, because programs read the first line.
  log.info({ ...start, configured: summarizeConfig(config, limits) }, 'listening')
  for (const { facts, message } of warningsOf(config)) log.warn(facts, message)
}

/** @returns false if the grace was too short for some requests */
async function stop(
  { drainDelayMs, shutdownGraceMs }: Config,
  { features, service, listeners, eventLoop, sharing, upstreams, sandbox, primary, taping }: RunningParts,
): Promise<boolean> {
  const { sockets, submissions, statuses, accounts } = features.relaying
  service.replier.closing = true
  // Workers wait by themselves.
  const workersWhole = (await primary?.stop()) ?? true
  if (drainDelayMs > 0 && primary === null) await delay(drainDelayMs)
  service.streams.close()
  const socketsClosed = sockets?.close()
  const isComplete = primary === null ? await listeners.drain(shutdownGraceMs) : workersWhole
  await socketsClosed
  await listeners.closeAdmin()
  submissions.close()
  statuses.close()
  accounts.close()
  features.research.tokenList.close()
  features.tables.close()
  eventLoop.close()
  sharing?.store.close()
  service.loopWatch.close()
  await Promise.all([upstreams.solana.close(), upstreams.providers.close(), upstreams.files?.close()])
  await sandbox?.close()
  await taping?.close()
  return isComplete
}
