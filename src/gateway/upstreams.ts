/** Everything outside that the gateway calls, and what all of those calls share. */

import { SOLANA } from '../chains/chains.ts'
import type { Config } from '../config/config.ts'
import { createProviders, type SandboxUrls } from '../providers/index.ts'
import type { Metrics } from '../routes/metrics/index.ts'
import { ConcurrencyLimiter } from '../upstream/admission/concurrency.ts'
import { createUpstreamContext, type UpstreamContext } from '../upstream/context.ts'
import { SolanaRpc } from '../upstream/nodes/solana/rpc.ts'
import { PublicFiles } from '../upstream/public-files.ts'
import { NO_PROXIES, type Proxies } from '../upstream/tunnel.ts'
import type { Environment } from './environment.ts'
import { logFailure } from './replies.ts'

interface UpstreamsOptions
  extends Environment,
    Pick<UpstreamContext, 'shareLimits' | 'limitsAsPublic' | 'held'>,
    Partial<Pick<UpstreamContext, 'dispatcherOf' | 'onCall'>> {
  /** Null in live mode. */
  readonly sandbox: (SandboxUrls & { readonly solanaUrl: string }) | null
  /** Null without an admin listener. */
  readonly metrics: Metrics | null
}

export type Upstreams = ReturnType<typeof createUpstreams>

export function createUpstreams(options: UpstreamsOptions) {
  const { config, access, log, clock, sandbox, shareLimits, metrics, limitsAsPublic, onCall, held } = options
  const { dispatcherOf = null } = options
  const context = createUpstreamContext({
    clock,
    calls: new ConcurrencyLimiter(config.inFlight, clock),
    onCall(end) {
      logFailure(log, end)
      metrics?.observeCall(end)
      onCall?.(end)
    },
    ...(metrics !== null && { onRejected: metrics.observeRejected }),
    onKeyRefused: (upstream) =>
      log.warn({ upstream }, 'a provider refused its key, and is asked without one from now on'),
    passesTrace: config.passTraceparent,
    proxies: proxiesOf(config),
    limitsAsPublic,
    dispatcherOf,
    held,
    shareLimits,
  })
  const solana = createSolanaRpc(options, context)
  const { logos } = config
  return {
    context,
    solana,
    providers: createProviders({ config, access, log, sandbox, solana, context }),
    /** Pictures that lists name; null if LOGOS is off. */
    files:
      logos &&
      new PublicFiles({
        clock,
        proxy: logos.proxy ?? sandbox?.urls.logos ?? null,
        proxies: proxiesOf(config),
      }),
  }
}

/** The sandbox's servers are on loopback, where no proxy leads. */
const proxiesOf = ({ mode, proxies }: Config): Proxies => (mode === 'sandbox' ? NO_PROXIES : proxies)

function createSolanaRpc({ config, log, sandbox }: UpstreamsOptions, context: UpstreamContext): SolanaRpc {
  const readUrls = config.solanaRpcUrls ?? (sandbox === null ? SOLANA.rpc : [sandbox.solanaUrl])
  return new SolanaRpc({
    readUrls,
    sendUrls: config.solanaSendUrls ?? readUrls,
    submissionServiceUrls: config.solanaLandingUrls ?? [],
    maxBehindMs: config.maxBehindMs,
    onCluster: (upstream, isForeign) => {
      if (isForeign) log.error({ upstream }, 'a node is of another cluster; it gets no calls')
      else log.warn({ upstream }, 'a node is of the right cluster after all; it gets calls again')
    },
    context,
  })
}
