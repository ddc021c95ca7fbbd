/**
 * Everybody outside whom a configuration has the gateway ask, with their
 * connections.
 */

import type { ChainDefinition } from '../chains/definition.ts'
import { EVM_CHAINS, findChain } from '../chains/find.ts'
import type { Config } from '../config/config.ts'
import type { Logger } from '../log.ts'
import { EvmRpc } from '../nodes/evm-rpc.ts'
import type { SolanaRpc } from '../nodes/solana-rpc.ts'
import { SuiRpc } from '../nodes/sui-rpc.ts'
import { TonRpc } from '../nodes/ton-rpc.ts'
import type { Simulate } from '../proof/proved.ts'
import { createSimulate } from '../simulation/simulate.ts'
import type { Commons } from '../upstream/commons.ts'
import { mergedStates, type UpstreamState } from '../upstream/standing.ts'
import type { QuotaLeft } from '../upstream/upstream.ts'
import { Connections } from './connect.ts'
import type { MarketProvider } from './market/market.ts'
import { createMarkets } from './markets.ts'
import type { DecimalsSource } from './provider.ts'
import { createSwaps, type Swaps } from './swaps.ts'

/** Where the simulated world is. */
export interface SandboxAddresses {
  /** Base URLs, by label. */
  readonly urls: Readonly<Record<string, string>>
  /** Of an EVM chain's node. */
  evmUrl(chainKey: string): string
  /** Of Sui's node. */
  readonly suiUrl: string
  /** Of the nodes of TON. */
  readonly tonUrls: readonly string[]
}

export interface ProviderOptions {
  readonly config: Config
  readonly log: Logger
  /** In the place of the public providers and nodes; a URL that the operator chose stands. Null in live mode. */
  readonly sandbox: SandboxAddresses | null
  /** The Solana nodes, for what has to be executed. */
  readonly solana: SolanaRpc
  readonly commons: Commons
}

export interface Providers extends Swaps {
  readonly simulate: Simulate
  readonly markets: readonly MarketProvider[]
  evm(chain: ChainDefinition): EvmRpc
  state(): UpstreamState[]
  quotas(): QuotaLeft[]
  close(): Promise<void>
}

export function createProviders({ config, log, sandbox, solana, commons }: ProviderOptions): Providers {
  const { clock } = commons
  const connections = new Connections({ config, sandboxUrls: sandbox?.urls ?? null, commons })
  const nodes = new Map(
    EVM_CHAINS.map(({ key, rpc }) => {
      const urls = config.rpcUrls[key] ?? (sandbox === null ? rpc : [sandbox.evmUrl(key)])
      return [key, new EvmRpc({ chainKey: key, urls, commons })]
    }),
  )
  const evm = (chain: ChainDefinition): EvmRpc => nodes.get(chain.key)!

  const { key, rpc } = findChain('ton')!
  const ton = new TonRpc({ urls: config.rpcUrls[key] ?? sandbox?.tonUrls ?? rpc, commons })
  const suiUrls = config.rpcUrls.sui ?? (sandbox === null ? findChain('sui')!.rpc : [sandbox.suiUrl])
  const sui = new SuiRpc({ urls: suiUrls, commons })

  const simulate = createSimulate({ solana, evm, sui })
  const swaps = createSwaps(
    { config, connections, evm, ton, clock },
    { log, simulate, minimum: config.minVerification, clock },
  )
  const decimals = { ...swaps.decimals, sui: [...swaps.decimals.sui, suiDecimals(sui)] }
  return {
    ...swaps,
    decimals,
    simulate,
    markets: createMarkets(connections, clock),
    evm,
    state: () => [
      ...mergedStates(connections.upstreams.map((upstream) => upstream.state)),
      ...[...nodes.values(), sui, ton].flatMap((node) => node.state()),
    ],
    quotas: () => connections.quotas,
    async close() {
      await Promise.all([...connections.upstreams, ...nodes.values(), ton, sui].map((one) => one.close()))
    },
  }
}

/** Beside the provider that routes there: the chain's own word. */
const suiDecimals =
  (sui: SuiRpc): DecimalsSource =>
  (_chain, coinType, options) =>
    sui.decimals(coinType, options)
