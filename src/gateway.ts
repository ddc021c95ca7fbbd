/**
 * The composition root: configuration to a listening service. Everything is
 * put together here, by plain arguments.
 */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { Config } from './config/config.ts'
import { createClientReader } from './http/client/client.ts'
import { createTake } from './http/client/take.ts'
import { drain } from './http/drain.ts'
import type { Exchange } from './http/exchange.ts'
import { Replier } from './http/reply.ts'
import type { Route } from './http/route.ts'
import { createGatewayServer, type ServerLimits } from './http/server.ts'
import { createBudgets } from './limit/budgets.ts'
import { OperatorList } from './list/operator-list.ts'
import { TokenList } from './list/token-list.ts'
import type { Logger } from './log.ts'
import type { Metrics } from './metrics.ts'
import { SolanaRpc } from './nodes/solana-rpc.ts'
import { describeApi } from './openapi.ts'
import { Portfolios } from './portfolio/portfolio.ts'
import { Profiles } from './profile/profile.ts'
import { holdingsByChain } from './providers/holdings/by-chain.ts'
import { createProviders } from './providers/index.ts'
import { Builds } from './quotes/builds.ts'
import { Crossings } from './quotes/crossing.ts'
import { DEADLINES, type Deadlines } from './quotes/deadlines.ts'
import { Tokens } from './quotes/decimals.ts'
import { Quotes } from './quotes/quotes.ts'
import { Sealer } from './quotes/seal.ts'
import { compileMethods } from './relay/methods.ts'
import { Relay } from './relay/relay.ts'
import { COMPONENTS } from './resources.ts'
import { createRoutes } from './routes/index.ts'
import { createVerifier } from './solana/verify.ts'
import { VERSION } from './version.ts'

const PUBLIC_SOLANA_RPC = 'https://api.mainnet-beta.solana.com'

export interface GatewayOptions {
  /** Monotonic clock, ms. */
  readonly now?: () => number
  readonly serverLimits?: Partial<ServerLimits>
  readonly deadlines?: Partial<Deadlines>
}

export interface Gateway {
  readonly url: string
  /** Null where no admin listener was asked for. */
  readonly adminUrl: string | null
  /** Where the simulated world listens; null in live mode. */
  readonly sandbox: { readonly solanaRpc: string; readonly control: string } | null
  /** Reads the operator's files again. */
  reload(): void
  /** Lets what is in flight finish; false when the grace was too short for some of it. */
  stop(): Promise<boolean>
}

/**
 * @throws Error        when an address cannot be listened on, or the sandbox's packages are not installed
 * @throws ConfigError  when the operator's list of tokens is bad
 */
export async function startGateway(
  config: Config,
  log: Logger,
  options: GatewayOptions = {},
): Promise<Gateway> {
  const now = options.now ?? (() => performance.now())
  const { mode } = config
  const operator = new OperatorList(config.tokensFile, log)
  const sandbox = mode === 'sandbox' ? await loadSandbox() : null
  const readUrls = config.solanaRpcUrls ?? [sandbox?.solanaUrl ?? PUBLIC_SOLANA_RPC]
  const rpc = new SolanaRpc({ readUrls, sendUrls: config.solanaSendUrls ?? readUrls, log, now })
  const providers = createProviders({
    config,
    log,
    sandboxUrls: sandbox?.urls ?? null,
    sandboxEvmUrl: sandbox?.evmUrl ?? null,
    now,
  })
  const states = () => [...rpc.state(), ...providers.state()]
  const tokens = new Tokens({ evm: providers.evm, solana: rpc, sources: providers.decimals, now })
  const deadlines = { ...DEADLINES, ...options.deadlines }
  const swaps = { providers: providers.swaps, tokens, sealer: new Sealer(config.quoteSecret), deadlines }
  const tokenList = new TokenList({
    providers: providers.markets,
    operatorTokens: () => operator.tokens,
    now,
    wallClock: Date.now,
    log,
  })
  const verifier = createVerifier(config.verifier)
  const relay = new Relay({ rpc, verifier, maxRetries: config.maxRetries })

  let draining = false
  let metrics: Metrics | null = null
  if (config.adminPort !== null) {
    const { createMetrics } = await import('./metrics.ts')
    metrics = createMetrics(states)
  }

  const replier = new Replier({
    mode,
    corsOrigins: config.corsOrigins,
    onReply(exchange: Exchange, status: number, bytes: number) {
      const ms = Math.round((now() - exchange.startedAt) * 1_000) / 1_000
      const { id, route, request } = exchange
      log.info({ id, method: request.method, route, status, ms, bytes }, 'request')
      metrics?.observe(exchange, status, bytes, ms)
    },
  })
  const header = config.clientAddressHeader
  const take = createTake({
    budgets: createBudgets(config.limits),
    readClient: createClientReader({ trustedProxies: config.trustedProxies, header }),
    header,
    now,
    onUntrusted: () =>
      log.warn({ header }, 'a peer outside TRUSTED_PROXIES sends a forwarded address; it is ignored'),
  })
  const health = {
    mode,
    sandbox: sandbox === null ? null : { solanaRpc: sandbox.solanaUrl, control: sandbox.controlUrl },
    isDraining: () => draining,
    providers: states,
  }
  const routes: readonly Route[] = createRoutes({
    health,
    limits: config.limits,
    maxRetries: config.maxRetries,
    relay,
    tokenList,
    profiles: new Profiles({
      providers: providers.markets,
      deadlineMs: deadlines.profileMs,
      now,
      wallClock: Date.now,
      log,
    }),
    portfolios: new Portfolios({
      tokens: tokenList,
      holdings: holdingsByChain({ evm: providers.evm, solana: rpc, now }),
      providers: providers.markets,
      minLiquidityUsd: config.minLiquidityUsd,
      deadlineMs: deadlines.portfolioMs,
      now,
      wallClock: Date.now,
    }),
    swaps: providers.swaps,
    quotes: new Quotes({ ...swaps, now }),
    builds: new Builds(swaps),
    xprov: providers.xprov,
    crossings: providers.xprov === null ? null : new Crossings({ xprov: providers.xprov, tokens, log }),
    deadlines,
    document: () => Buffer.from(JSON.stringify(describeApi(routes, COMPONENTS, config.limits))),
  })

  const server = createGatewayServer({
    routes,
    replier,
    take,
    now,
    onFault: (err, { id, route }) => log.error({ id, route, err }, 'fault'),
    ...(options.serverLimits === undefined ? {} : { limits: options.serverLimits }),
  })
  const url = await listen(server, config.host, config.port)
  const adminUrl = metrics === null ? null : await listen(metrics.server, config.adminHost, config.adminPort!)
  // What a first request would wait for is done now that one can be received.
  setImmediate(() => {
    compileMethods()
    verifier.prepareTables()
  })
  rpc.warmUp()
  log.info({ version: VERSION, mode, url, adminUrl, sandbox: health.sandbox }, 'listening')

  return {
    url,
    adminUrl,
    sandbox: health.sandbox,
    reload: () => operator.reload(),
    async stop() {
      draining = true
      replier.closing = true
      const whole = await drain(server, config.shutdownGraceMs)
      if (metrics !== null) await drain(metrics.server, 0)
      await Promise.all([rpc.close(), providers.close()])
      await sandbox?.close()
      return whole
    },
  }
}

/** A start-up failure that the operator can mend; its message says how. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

async function loadSandbox() {
  const { startSandbox } = await import('./sandbox/index.ts')
  try {
    return await startSandbox()
  } catch (cause) {
    throw new StartError(`${(cause as Error).message} MODE=live needs none of it.`, { cause })
  }
}

/** @returns the URL that it is now served at */
function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const { address, port: actual, family } = server.address() as AddressInfo
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`)
    })
  })
}
