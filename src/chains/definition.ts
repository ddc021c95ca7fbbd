/**
 * The facts about a chain. EVM chains are the rows of definitions/evm.json, the others those of others.json, and
 * all other tables by chain are derived from these. A chain has only routers that their own project lists: an address
 * may be another contract on another chain.
 *
 * Source: §2 Chain, §4.3 · ethereum-lists/chains and DefiLlama/chainlist (names,
 * ids, explorers and public RPC candidates) · LI.FI's GET /v1/chains · the
 * providers' own lists of chains · the projects' own lists of deployments:
 * docs.uniswap.org, Uniswap/contracts deployments/json, gov.uniswap.org t/24323 (V3 on Scroll and Gnosis),
 * gfx-labs/chain-config (factories of V3 on Mantle, Sonic and Plasma; their routers and quoters are from
 * integrations, and asked for their factory with each quote), documentation.kodiak.finance,
 * developer.pancakeswap.finance, pancakeswap/pancake-v3-contracts deployments/bscMainnet.json · lifinance/contracts
 * deployments/<network>.json (LiFiDiamond) · ethereum-optimism's specs of
 * predeploys (LegacyERC20ETH)
 */

/** Chains of one family share the format of addresses and transactions. */
export type Family = 'evm' | 'solana' | 'sui' | 'ton'

type ListingProvider = 'dexscreener' | 'geckoterminal' | 'defillama' | 'goplus' | 'kyberswap' | 'velora'

/**
 * The chain's name at each provider that serves several chains, as it appears in the provider's URLs;
 * undefined at one that does not serve the chain.
 */
export type ListedAs = { readonly [Provider in ListingProvider]?: string | undefined }

/**
 * A router with the functions of Uniswap V2's IUniswapV2Router02 (which names its WETH function the same).
 */
export interface V2Router {
  readonly name: string
  readonly address: string
}

/** Providers of V3 pools, by the names that quotes use. PancakeSwap's contracts are Uniswap's but for a guard against reentrancy. */
export type V3Provider = 'uniswap-v3' | 'pancakeswap-v3'

/** SwapRouter02, QuoterV2, and the factory that both name. */
export interface V3Contracts {
  readonly factory: string
  readonly quoter: string
  readonly router: string
}

export interface Stablecoin {
  readonly symbol: string
  readonly name: string
  /** Canonical, see address.ts. */
  readonly address: string
  readonly decimals: number
}

interface CommonChainFields {
  /** The service's own name for the chain: lower-case letters and digits. */
  readonly key: string
  /** The name that people know. */
  readonly name: string
  /** Symbol of the native coin. */
  readonly native: string
  /** Decimals of the native coin. */
  readonly decimals: number
  /** Public RPC candidates, in order of preference. */
  readonly rpc: readonly string[]
  readonly explorer: string
  readonly stablecoins: readonly Stablecoin[]
  /** Numeric id at the cross-chain provider; null if it does not serve the chain. May exceed 2^53 - 1. */
  readonly xprovChainId: number | null
  readonly listedAs: ListedAs
  /** On Sui, the ids of the objects that describe a coin, by its type: bridges name a coin by it. */
  readonly coinMetadata?: Readonly<Record<string, string>>
}

export interface EvmChain extends CommonChainFields {
  readonly family: 'evm'
  readonly chainId: number
  /** The native coin as an ERC-20 token. */
  readonly wrappedNative: string
  /**
   * Contracts whose `balanceOf` is the native balance, canonical: aliases of the native coin. Chains that came from
   * Optimism have one whose transfers revert.
   */
  readonly nativeAliases?: readonly string[] | undefined
  /** In order of preference; empty if none is known. */
  readonly v2Routers: readonly V2Router[]
  readonly v3: { readonly [Provider in V3Provider]?: V3Contracts }
  /** The only contract that a cross-chain swap from this chain may call; null if there is none. */
  readonly xprovContract: string | null
  /** A transaction pays for its data on the layer 1 chain, in addition to its gas: `l1Fee` of its receipt. */
  readonly hasL1Fee?: boolean | undefined
}

/** A chain without an EVM. */
export interface OtherChain extends CommonChainFields {
  readonly family: Exclude<Family, 'evm'>
  readonly chainId: null
  /** The native coin's id at CoinGecko, if its price is not listed by an address; else null. */
  readonly coingeckoId: string | null
}

export type ChainDefinition = EvmChain | OtherChain

/** A row of definitions/evm.json: what is the same on most EVM chains is left out. */
type EvmRow = Omit<EvmChain, 'family' | 'decimals' | 'v2Routers' | 'v3' | 'xprovChainId' | 'listedAs'> & {
  readonly v2Routers?: readonly V2Router[] | undefined
  readonly v3?: EvmChain['v3'] | undefined
  /** Null for a provider that does not serve the chain. */
  readonly listedAs?: { readonly [Provider in ListingProvider]?: string | null | undefined } | undefined
}

/**
 * An EVM chain whose coin has 18 decimals, and which each provider serves and names as it names most chains,
 * unless it says otherwise.
 */
export function evmChain(row: EvmRow): EvmChain {
  const { key, chainId, v2Routers = [], v3 = {} } = row
  const xprovChainId = row.xprovContract === null ? null : chainId
  const names = {
    dexscreener: key,
    geckoterminal: key,
    defillama: key,
    goplus: String(chainId),
    kyberswap: key,
    velora: String(chainId),
    ...row.listedAs,
  }
  const listedAs = Object.fromEntries(Object.entries(names).filter(([, name]) => name !== null))
  return { ...row, family: 'evm', decimals: 18, v2Routers, v3, xprovChainId, listedAs }
}
