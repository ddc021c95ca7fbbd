/**
 * Everybody outside whom a configuration has the gateway ask, with their
 * connections.
 */

import type { ChainDefinition } from '../chains/definition.ts'
import type { Config } from '../config/config.ts'
import type { Logger } from '../log.ts'
import { EvmRpc } from '../nodes/evm-rpc.ts'
import type { UpstreamState } from '../nodes/solana-rpc.ts'
import { Connections } from './connect.ts'
import type { MarketProvider } from './market/market.ts'
import { createMarkets } from './markets.ts'
import { createSwaps, type Swaps } from './swaps.ts'

export interface ProviderOptions {
  readonly config: Config
  readonly log: Logger
  /** Base URLs in the place of the public ones; a URL that the operator chose stands. */
  readonly sandboxUrls: Readonly<Record<string, string>> | null
  /** RPC URLs of an EVM chain in the place of the public ones. */
  readonly sandboxEvmUrl: ((chainKey: string) => string) | null
  /** A monotonic clock, ms. */
  readonly now: () => number
}

export interface Providers extends Swaps {
  readonly markets: readonly MarketProvider[]
  evm(chain: ChainDefinition): EvmRpc
  state(): UpstreamState[]
  close(): Promise<void>
}

export function createProviders(options: ProviderOptions): Providers {
  const { config, log, sandboxUrls, sandboxEvmUrl, now } = options
  const connections = new Connections({ config, sandboxUrls, now })
  const nodes = new Map<string, EvmRpc>()

  const evm = (chain: ChainDefinition): EvmRpc => {
    let node = nodes.get(chain.key)
    if (node === undefined) {
      const urls =
        config.rpcUrls[chain.key] ?? (sandboxEvmUrl === null ? chain.rpc : [sandboxEvmUrl(chain.key)])
      nodes.set(chain.key, (node = new EvmRpc({ chainKey: chain.key, urls, log, now })))
    }
    return node
  }

  return {
    ...createSwaps({ config, connections, evm }, log),
    markets: createMarkets(connections),
    evm,
    state: () => connections.upstreams.map(({ label, breaker }) => ({ name: label, ...breaker.state })),
    async close() {
      await Promise.all([...connections.upstreams, ...nodes.values()].map((one) => one.close()))
    },
  }
}
