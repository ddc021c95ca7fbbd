/**
 * The composition root: configuration to a listening service. The parts are
 * put together here, by plain arguments; gateway/ has each part.
 */

import { setTimeout as delay } from 'node:timers/promises'
import { Access } from './chains/access.ts'
import type { Config } from './config/config.ts'
import { Sanctions } from './config/sanctions.ts'
import { summarizeConfig } from './config/summary.ts'
import { warningsOf } from './config/warnings.ts'
import { DescriptorFolder } from './explain/evm/descriptor-folder.ts'
import { EventLoop, type watchStandingDelay } from './flow/event-loop.ts'
import { HeldBytes } from './flow/held-bytes.ts'
import type { Environment } from './gateway/environment.ts'
import { createFeatures, type Features } from './gateway/features.ts'
import { Listeners, type ListenerUrls } from './gateway/listening.ts'
import { createObservabilitySources, type ObservedParts } from './gateway/observability.ts'
import { createHttpService, type HttpService } from './gateway/serving.ts'
import { openSharing, type Sharing } from './gateway/sharing.ts'
import { StartError } from './gateway/start-error.ts'
import { createUpstreams, type Upstreams } from './gateway/upstreams.ts'
import { createClientNames } from './http/client/names.ts'
import type { ServerLimits } from './http/connections/limits.ts'
import { createBudgets } from './http/limit/budgets.ts'
import { randomSeed } from './http/limit/client-ring.ts'
import { compileMethods } from './relay/methods/methods.ts'
import { Content } from './research/content/content.ts'
import { OperatorList } from './research/list/operator-list.ts'
import type { Metrics, MetricsSources } from './routes/metrics/index.ts'
import type { HealthSource, SandboxAddresses } from './routes/service/health.ts'
import { CLOCK, type Clock, sleep } from './runtime/clock.ts'
import { joined } from './runtime/joined.ts'
import type { Logger } from './runtime/log.ts'
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
  readonly sandbox: Sandbox | null
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
  const { clock = CLOCK, droppedLines = () => 0, limitsAsPublic = false, serverLimits, watchDelay } = options
  const { held = new HeldBytes() } = options
  const sanctions = config.sanctionsFiles.length === 0 ? null : new Sanctions(config, log)
  const environment: Environment = {
    config,
    access: new Access(config, sanctions),
    log,
    clock,
    deadlines: { ...DEADLINES, ...options.deadlines },
    nameClient: createClientNames(config.logClients),
  }
  const operator = new OperatorList(config.tokensFiles, log)
  const content = await createContent(config, log)
  const descriptors = new DescriptorFolder(config.descriptorsDir, log)
  const sandbox = config.mode === 'sandbox' ? await loadSandbox(config, clock) : null

  let draining = false
  const isDraining = (): boolean => draining
  const eventLoop = new EventLoop()
  // The parts take these sources, which read the parts: each is looked up only when read.
  const parts = () => ({ budgets, sharing, upstreams, features, health, service, listeners })
  const sources = createObservabilitySources({ ...environment, eventLoop, droppedLines, isDraining }, parts)
  const sharing = await openSharing(config, log, clock, { ...options, isDraining })
  const budgets = createBudgets(config.limits, randomSeed(), options.windowMs)
  const metrics = config.adminPort === null ? null : await loadMetrics(sources, options.metricsEveryMs)
  const upstreams = createUpstreams({ ...environment, sandbox, sharing, metrics, limitsAsPublic, held })
  const features = createFeatures({ ...environment, operator, upstreams, sharing })
  const health = createHealthSource(environment, sandbox, sharing, upstreams, isDraining)
  const observed = { eventLoop, health, metrics, sources }
  const served = { ...observed, budgets, content, descriptors, features, sharing, upstreams }
  const service = createHttpService({ ...environment, ...served, serverLimits, watchDelay })
  const { server, adminServer, limits } = service
  const { sockets } = features.relaying
  const servesWebSockets = sockets !== null
  const listeners = new Listeners({ config, log, server, adminServer, servesWebSockets })
  const urls = await listeners.open()
  if (environment.access.serves('solana')) warmUp(upstreams, features)
  features.tables.start()
  logStart(config, log, urls, health, limits)

  const running = { features, service, listeners, eventLoop, sharing, upstreams, sandbox }
  return {
    ...urls,
    sandbox: health.sandbox,
    reload: joined(async () => {
      await Promise.all([sanctions, operator, content, descriptors].map((files) => files?.reload()))
    }),
    stop() {
      draining = true
      return stop(config, running)
    },
  }
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

function createHealthSource(
  { config: { mode }, access }: Environment,
  sandbox: Sandbox | null,
  sharing: Sharing | null,
  { solana, providers }: Upstreams,
  isDraining: () => boolean,
): HealthSource {
  return {
    mode,
    sandbox: sandbox && {
      solanaRpc: sandbox.solanaUrl,
      evmRpc: sandbox.urls.evm!,
      control: sandbox.controlUrl,
    },
    isDraining,
    redis: () => sharing?.store ?? null,
    providers: () => [...(access.serves('solana') ? solana.state() : []), ...providers.state()],
  }
}

/** Does in advance what the first request would wait for. */
function warmUp({ solana }: Upstreams, { relaying }: Features): void {
  setImmediate(() => {
    compileMethods(relaying.methods)
    relaying.verifier.prepareTables()
  })
  solana.warmUp()
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
  { features, service, listeners, eventLoop, sharing, upstreams, sandbox }: RunningParts,
): Promise<boolean> {
  const { sockets, submissions, statuses, accounts } = features.relaying
  service.replier.closing = true
  if (drainDelayMs > 0) await delay(drainDelayMs)
  service.streams.close()
  const socketsClosed = sockets?.close()
  const isComplete = await listeners.drain(shutdownGraceMs)
  await socketsClosed
  await listeners.closeAdmin()
  submissions.close()
  statuses.close()
  accounts.close()
  features.research.tokenList.close()
  features.tables.close()
  eventLoop.close()
  sharing?.instances.close()
  sharing?.store.close()
  service.loopWatch.close()
  await Promise.all([upstreams.solana.close(), upstreams.providers.close(), upstreams.files?.close()])
  await sandbox?.close()
  return isComplete
}
