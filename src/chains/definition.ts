/**
 * What the gateway knows of a chain. One file in definitions/ tells it of one
 * chain, and everything that has to do with chains is derived from these rows.
 *
 * Source: §2 Chain, §4.3 · ethereum-lists/chains and DefiLlama/chainlist (names,
 * ids, explorers and public RPC candidates) · LI.FI's GET /v1/chains · the
 * providers' own lists of chains
 */

/** Chains of one family spell addresses alike, and build transactions alike. */
export type Family = 'evm' | 'solana' | 'sui' | 'ton'

/**
 * The chain's name at each provider that serves several chains, as it stands
 * in that provider's URLs. A provider that does not serve the chain is absent.
 */
export interface ListedAs {
  readonly dexscreener?: string
  readonly geckoterminal?: string
  readonly defillama?: string
  readonly goplus?: string
  readonly kyberswap?: string
  readonly velora?: string
}

/** A router with the functions of Uniswap V2's IUniswapV2Router02 (WETH named as it is there). */
export interface V2Router {
  readonly name: string
  readonly address: string
}

export interface Stablecoin {
  readonly symbol: string
  readonly name: string
  /** Canonical, see address.ts. */
  readonly address: string
  readonly decimals: number
}

interface CommonChainFields {
  /** The service's own name of the chain: lower-case letters and digits. */
  readonly key: string
  /** The name that people know. */
  readonly name: string
  /** Symbol of the native coin. */
  readonly native: string
  /** Of the native coin. */
  readonly decimals: number
  /** Public RPC candidates, in order of preference. */
  readonly rpc: readonly string[]
  readonly explorer: string
  readonly stablecoins: readonly Stablecoin[]
  /** Numeric id at the cross-chain provider; null where it does not serve the chain. May exceed 2^53 - 1. */
  readonly xprovChainId: number | null
  readonly listedAs: ListedAs
}

export interface EvmChain extends CommonChainFields {
  readonly family: 'evm'
  readonly chainId: number
  /** The native coin as an ERC-20 token. */
  readonly wrappedNative: string
  /** In order of preference; empty where none is known. */
  readonly v2Routers: readonly V2Router[]
  /** The only contract that a cross-chain swap from here may call; null where there is none. */
  readonly xprovContract: string | null
  /** Beside its gas a transaction pays for its data on the chain below: `l1Fee` of its receipt. */
  readonly hasL1Fee?: true
}

/** A chain that has no EVM. */
export interface OtherChain extends CommonChainFields {
  readonly family: Exclude<Family, 'evm'>
  readonly chainId: null
  /** The native coin's id at CoinGecko, where prices are not listed by an address; else null. */
  readonly coingeckoId: string | null
}

export type ChainDefinition = EvmChain | OtherChain
