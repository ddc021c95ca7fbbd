import type { Static } from 'typebox'
import type { Access } from '../../chains/access.ts'
import { MAX_TRANSACTION_BYTES } from '../../chains/solana/sizes.ts'
import { type Limits, WINDOW_MS } from '../../http/limit/budgets.ts'
import type { StreamLimits } from '../../http/reply/streams.ts'
import { get } from '../../http/route.ts'
import type { Methods } from '../../relay/methods/methods.ts'
import { MAX_BATCH, MIN_BATCH } from '../../relay/submissions/submission.ts'
import type { Level } from '../../runtime/levels.ts'
import { Settings } from '../../runtime/resources/settings.ts'
import { MAX_ARRAY_CALLS } from '../../runtime/resources/solrpc.ts'
import { VERSION } from '../../runtime/version.ts'
import type { ConcurrencyLimits } from '../../upstream/admission/concurrency.ts'
import { described } from '../groups.ts'
import type { RpcEndpoint } from '../relay/solrpc.ts'
import type { ServedBy } from './chains.ts'
import type { HealthSource } from './health.ts'

export interface SettingsOptions {
  readonly access: Access
  readonly health: Pick<HealthSource, 'mode'>
  readonly limits: Limits
  readonly inFlight: ConcurrencyLimits
  readonly streams: StreamLimits
  readonly methods: Methods
  readonly rpcEndpoint: Pick<RpcEndpoint, 'compat'>
  readonly maxV1TransactionBytes: number
  readonly maxRetries: number
  readonly swaps: ServedBy
  /** Labels of the providers that are switched on. */
  readonly providerNames: readonly string[]
  readonly minVerification: Level
  /** Null if they are off. */
  readonly logos: object | null
}

/** GET /api/config (§4.10): what this host serves, and its limits. */
export const settings = (options: SettingsOptions) => {
  const { inFlight, streams, maxV1TransactionBytes, maxRetries, minVerification } = options
  const { compat } = options.rpcEndpoint
  const body: Static<typeof Settings> = {
    mode: options.health.mode,
    version: VERSION,
    chains: options.access.chains.map(({ key }) => {
      const labels = (options.swaps.get(key) ?? []).map(({ label }) => label)
      return { chain: key, quotes: labels, builds: labels }
    }),
    providers: [...options.providerNames],
    minVerification,
    logos: options.logos !== null,
    limits: Object.fromEntries(
      Object.entries(options.limits).map(([name, { client, global }]) => [
        name,
        { client: finite(client), global: finite(global), windowSeconds: WINDOW_MS / 1_000 },
      ]),
    ),
    inFlight: { client: finite(inFlight.client), global: finite(inFlight.global) },
    streams: { client: streams.client, global: streams.global },
    relay: {
      compat,
      methods: [...options.methods.keys()],
      maxCalls: compat === 'node' ? MAX_ARRAY_CALLS : 1,
      maxTransactionBytes: MAX_TRANSACTION_BYTES,
      maxV1TransactionBytes,
      maxRetries,
      minBatch: MIN_BATCH,
      maxBatch: MAX_BATCH,
    },
  }
  const bytes = Buffer.from(JSON.stringify(body))
  return get({
    path: '/api/config',
    description: described('getConfig', Settings, { example: body }),
    handle: () => bytes,
  })
}

/** JSON has no infinity: null means no limit. */
function finite(limit: number): number | null {
  return limit === Infinity ? null : limit
}
