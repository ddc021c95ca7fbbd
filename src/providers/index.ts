/** The providers and nodes that a configuration has the gateway call, with their connections. */

import type { Access } from '../chains/access.ts'
import type { ChainDefinition } from '../chains/definition.ts'
import { EVM_CHAINS, findChain } from '../chains/find.ts'
import type { Config } from '../config/config.ts'
import { Call } from '../flow/call.ts'
import { LifiPeriphery } from '../proof/cross-chain/lifi/periphery.ts'
import { createSimulate } from '../proof/simulation/simulate.ts'
import type { AskBlockhash } from '../proof/solana/blockhash.ts'
import { SuiObjects } from '../proof/sui/objects.ts'
import { getOrInsert } from '../runtime/lists.ts'
import type { Logger } from '../runtime/log.ts'
import type { UpstreamContext } from '../upstream/context.ts'
import { mergedStates, type UpstreamState, untried } from '../upstream/health.ts'
import { nodeLabel } from '../upstream/nodes/chain-nodes.ts'
import { EvmRpc } from '../upstream/nodes/evm/rpc.ts'
import { askLatestBlockhash } from '../upstream/nodes/solana/blockhash.ts'
import { PriorityFees } from '../upstream/nodes/solana/priority.ts'
import type { SolanaRpc } from '../upstream/nodes/solana/rpc.ts'
import { SuiRpc } from '../upstream/nodes/sui/rpc.ts'
import { TonRpc } from '../upstream/nodes/ton/rpc.ts'
import { quotasOf } from '../upstream/upstream.ts'
import { Connections } from './connect.ts'
import { createHeldOf } from './holdings/held.ts'
import { onchain } from './market/onchain.ts'
import { createMarkets } from './markets.ts'
import { createPrioritize } from './priority.ts'
import type { DecimalsSource } from './provider.ts'
import { createRatesOf } from './solana-rates.ts'
import { createSwaps } from './swaps.ts'
import { jupiterVerified } from './tokens/jupiter-verified.ts'
import { xprovTokens } from './tokens/xprov-tokens.ts'

/** Where the simulated world is; plain values. */
export interface SandboxUrls {
  /** Base URLs, by label; that of EVM nodes has one below it for each chain. */
  readonly urls: Readonly<Record<string, string>>
  /** The URL of Sui's node. */
  readonly suiUrl: string
  /** The URLs of TON's nodes. */
  readonly tonUrls: readonly string[]
}

interface ProviderOptions {
  readonly config: Config
  readonly access: Access
  readonly log: Logger
  /** Replaces the public providers and nodes, but not a URL that the operator chose; null in live mode. */
  readonly sandbox: SandboxUrls | null
  /** The Solana nodes: they simulate transactions, and know the tokens' accounts. */
  readonly solana: SolanaRpc
  readonly context: UpstreamContext
}

export type Providers = ReturnType<typeof createProviders>

export function createProviders(options: ProviderOptions) {
  const { config, access, log, sandbox, solana, context } = options
  const { clock } = context
  const connections = new Connections({ config, sandboxUrls: sandbox?.urls ?? null, context })
  // Opened at their first call: connecting to all chains would add about 10 ms to the start.
  const nodes = new Map<string, EvmRpc>()
  const urlsOf = ({ key, rpc }: ChainDefinition): readonly string[] =>
    config.rpcUrls[key] ?? (sandbox === null ? rpc : [`${sandbox.urls.evm}/${key}`])
  const evm = (chain: ChainDefinition): EvmRpc =>
    getOrInsert(nodes, chain.key, () => new EvmRpc({ chainKey: chain.key, urls: urlsOf(chain), context }))
  const evmStates = (chain: ChainDefinition): UpstreamState[] =>
    nodes.get(chain.key)?.state() ?? urlsOf(chain).map((_url, i) => untried(nodeLabel(chain.key, i)))

  const { key, rpc } = findChain('ton')!
  const ton = new TonRpc({ urls: config.rpcUrls[key] ?? sandbox?.tonUrls ?? rpc, context })
  const suiUrls = config.rpcUrls.sui ?? (sandbox === null ? findChain('sui')!.rpc : [sandbox.suiUrl])
  const sui = new SuiRpc({ urls: suiUrls, context })

  const simulate = createSimulate({ solana, evm, sui })
  const blockhash: AskBlockhash = (call) => askLatestBlockhash(solana, call)
  const priorityFees = new PriorityFees(solana, clock)
  const { maxComputeUnitPrice } = config
  const prioritize = createPrioritize({ solana, fees: priorityFees, maxComputeUnitPrice })
  const suiObjects = new SuiObjects(sui, clock)
  const swaps = createSwaps(
    { config, connections, solana, evm, ton, suiObjects, clock },
    { log, simulate, blockhash, prioritize, minimum: config.minVerification, access },
  )
  // The chain's own node is asked in addition to the provider that routes there.
  const ownDecimals: DecimalsSource = (_chain, coinType, call) => sui.decimals(coinType, call)
  const decimals = { ...swaps.decimals, sui: [...swaps.decimals.sui, ownDecimals] }
  return {
    ...swaps,
    decimals,
    simulate,
    blockhash,
    priorityFees,
    prioritize,
    ratesOf: createRatesOf(solana, clock),
    suiObjects,
    periphery: new LifiPeriphery((key) => evm(findChain(key)!), clock),
    heldOf: createHeldOf({ solana, sui }),
    markets: [...createMarkets(connections, clock), onchain({ solana, clock })],
    /** Sources that list a chain's tokens. */
    tokens: [...connections.at('xprov', xprovTokens), ...connections.at('jupiter', jupiterVerified)],
    evm,
    sui,
    ton,
    state: (): UpstreamState[] => [
      ...mergedStates(connections.upstreams.map((upstream) => upstream.state)),
      ...EVM_CHAINS.filter(({ key }) => access.serves(key)).flatMap(evmStates),
      ...(access.serves('sui') ? sui.state() : []),
      ...(access.serves('ton') ? ton.state() : []),
    ],
    /** Probes each provider and each node of the served chains with one question. Never rejects. */
    async greet(deadlineMs: number): Promise<void> {
      const call = Call.of(clock, 'build', deadlineMs)
      const chains = EVM_CHAINS.filter(({ key }) => access.serves(key))
      await Promise.all([
        connections.greet(call),
        ...chains.map((chain) => evm(chain).greet(call)),
        ...(access.serves('sui') ? [sui.greet(call)] : []),
        ...(access.serves('ton') ? [ton.greet(call)] : []),
      ])
    },
    quotas: () => quotasOf(connections.upstreams),
    async close(): Promise<void> {
      await Promise.all([...connections.upstreams, ...nodes.values(), ton, sui].map((one) => one.close()))
    },
  }
}
