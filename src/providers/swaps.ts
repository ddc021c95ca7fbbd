/**
 * The swap providers, and those of them that a configuration switches on. Each has
 * a row in config/providers.ts and a file in swap/, with its quote, its build and
 * its proof.
 */

import { OPEN_ACCESS } from '../chains/access.ts'
import type { ChainDefinition, EvmChain, Family, V3Provider } from '../chains/definition.ts'
import { EVM_CHAINS, findXprovChain } from '../chains/find.ts'
import type { Config } from '../config/config.ts'
import { PROVABLE_BRIDGES } from '../proof/cross-chain/lifi/bridges.ts'
import { hasGuards } from '../proof/evm/guard.ts'
import type { SuiObjects } from '../proof/sui/objects.ts'
import { TonContracts } from '../proof/ton/contracts.ts'
import type { Clock } from '../runtime/clock.ts'
import { isAtLeast } from '../runtime/levels.ts'
import { addToList } from '../runtime/lists.ts'
import { named } from '../runtime/tape.ts'
import type { EvmRpc } from '../upstream/nodes/evm/rpc.ts'
import type { SolanaRpc } from '../upstream/nodes/solana/rpc.ts'
import type { TonRpc } from '../upstream/nodes/ton/rpc.ts'
import type { Connections } from './connect.ts'
import { type ProvedProvider, type ProveOptions, proved, type SwapProviders } from './proved.ts'
import type { DecimalsSource, SwapProvider } from './provider.ts'
import { jupiterDecimals, stonfiDecimals } from './swap/decimals.ts'
import { dflow } from './swap/dflow.ts'
import { jupiter } from './swap/jupiter.ts'
import { kyberswap } from './swap/kyberswap.ts'
import { router } from './swap/router/router.ts'
import { solanaPools } from './swap/solana-pools/pools.ts'
import { RAYDIUM_CLMM } from './swap/solana-pools/raydium-clmm.ts'
import { RAYDIUM_CPMM } from './swap/solana-pools/raydium-cpmm.ts'
import { WHIRLPOOL } from './swap/solana-pools/whirlpool.ts'
import { swapcoffee, swapcoffeeDecimals } from './swap/swapcoffee.ts'
import { type UniswapChain, uniswap } from './swap/uniswap.ts'
import { UNISWAP_V2 } from './swap/uniswap-v2.ts'
import { V3_VERSIONS } from './swap/uniswap-v3.ts'
import { velora } from './swap/velora.ts'
import { Xprov } from './swap/xprov.ts'
import { xprovSui } from './swap/xprov-sui.ts'
import { xprovTools } from './swap/xprov-tools.ts'

interface SwapsOptions {
  readonly config: Pick<Config, 'maxComputeUnitPrice' | 'uniswapV2' | 'uniswapV3' | 'solanaPools' | 'routers'>
  readonly connections: Connections
  readonly solana: Pick<SolanaRpc, 'read'>
  readonly evm: (chain: ChainDefinition) => EvmRpc
  readonly ton: TonRpc
  readonly suiObjects: SuiObjects
  readonly clock: Clock
}

export function createSwaps(options: SwapsOptions, rules: ProveOptions) {
  const { config, connections, solana, evm, ton, suiObjects, clock } = options
  const { maxComputeUnitPrice } = config
  // In order of preference on each chain: of two equal offers the first provider's wins.
  const list: SwapProvider[] = [
    ...connections.at('jupiter', (upstream) => jupiter({ upstream, maxComputeUnitPrice })),
    ...connections.at('dflow', (upstream) => dflow({ upstream, maxComputeUnitPrice })),
    ...(config.solanaPools ? [WHIRLPOOL, RAYDIUM_CLMM, RAYDIUM_CPMM] : []).map((pools) =>
      solanaPools(pools, { solana, clock, maxComputeUnitPrice }),
    ),
    ...connections.at('kyberswap', (upstream) => kyberswap({ upstream, clock })),
    ...connections.at('velora', (upstream) => velora({ upstream, clock })),
    ...(config.uniswapV2 ? [uniswap(UNISWAP_V2, { chains: uniswapChains(evm, v2Contracts), clock })] : []),
    ...(config.uniswapV3 ? V3_VERSIONS : []).map((version) =>
      uniswap(version, { chains: uniswapChains(evm, v3Contracts(version.label)), clock }),
    ),
  ]
  for (const chain of EVM_CHAINS) {
    const server = config.routers[chain.key]
    if (!server) continue
    const upstream = connections.openRouter(chain.key, server.url)
    // What only these could call would never reach the level.
    const isReached = rules.minimum === 'stated' || (rules.minimum === 'simulated' && hasGuards(chain.key))
    list.push(router({ upstream, chain, contracts: isReached ? server.contracts : [], clock }))
  }
  const quotes = connections.open('xprov', 'quote')
  const [tools = null] = connections.at('xprov', (upstream) => xprovTools(upstream, clock))
  // If unproved material may be handed out, any bridge may be used.
  const bridges = rules.minimum === 'stated' ? null : PROVABLE_BRIDGES
  const [xprov = null] = connections.at(
    'xprov',
    (rest) => new Xprov({ quotes: quotes!, rest, bridges, tools: tools! }),
  )
  if (xprov !== null) list.push(xprovSui(xprov, suiObjects))
  list.push(
    ...connections.at('swapcoffee', (upstream) =>
      swapcoffee({ upstream, contracts: new TonContracts(ton, named(clock, 'swapcoffee')), clock }),
    ),
  )
  const crossChain: readonly DecimalsSource[] =
    xprov === null
      ? []
      : [(chain, address, call) => xprov.decimals(findXprovChain(chain.key)!, address, call)]
  const decimals: Readonly<Record<Family, readonly DecimalsSource[]>> = {
    evm: crossChain,
    solana: [...connections.at('jupiter', jupiterDecimals), ...crossChain],
    sui: crossChain,
    ton: [...connections.at('swapcoffee', swapcoffeeDecimals), ...connections.at('stonfi', stonfiDecimals)],
  }
  // What none of its builds would reach need not be asked for.
  const able = list.filter(({ reaches = rules.minimum }) => isAtLeast(reaches, rules.minimum))
  return {
    swaps: byChain(
      able.map((provider) => proved(provider, rules)),
      rules.access,
    ),
    /** The cross-chain provider; null if it is switched off. */
    xprov,
    /** The bridges that it knows; null if the cross-chain provider is switched off. */
    tools,
    decimals,
  }
}

const v2Contracts = ({ v2Routers: [first] }: EvmChain) => first && { router: first.address }

const v3Contracts =
  (provider: V3Provider) =>
  ({ v3: { [provider]: contracts }, stablecoins }: EvmChain) =>
    contracts && { ...contracts, stablecoins: stablecoins.map(({ address }) => address) }

/** The chains that have the contracts. */
function uniswapChains<Contracts extends { readonly router: string }>(
  evm: (chain: ChainDefinition) => EvmRpc,
  contractsOf: (chain: EvmChain) => Contracts | undefined,
): ReadonlyMap<string, Contracts & UniswapChain> {
  return new Map(
    EVM_CHAINS.flatMap((chain) => {
      const { key, wrappedNative } = chain
      const contracts = contractsOf(chain)
      // The node's connection is opened at its first call.
      const rpc = { call: (...call: Parameters<EvmRpc['call']>) => evm(chain).call(...call) }
      return contracts === undefined ? [] : [[key, { ...contracts, rpc, wrappedNative }] as const]
    }),
  )
}

function byChain(list: readonly ProvedProvider[], access = OPEN_ACCESS): SwapProviders {
  const chains = new Map<string, ProvedProvider[]>()
  for (const provider of list) {
    for (const key of provider.chains) if (access.serves(key)) addToList(chains, key, provider)
  }
  return chains
}
