/**
 * A validated request for a swap, on one chain or between two: what a provider is asked for, and what its
 * material is proved against.
 *
 * Source: §4.5 to §4.7
 */
import type { ChainDefinition } from '../../chains/definition.ts'
import type { XprovChain } from '../../chains/find.ts'
import type { Nonce } from '../../chains/solana/nonce.ts'
import type { NamedFeeContracts } from '../cross-chain/lifi/periphery.ts'
import type { SolanaRates } from './fees.ts'

/** One side of a swap. */
export interface Token {
  /** Canonical for its family; for the native coin, the family's own spelling (see chains/address.ts). */
  readonly address: string
  readonly isNative: boolean
  readonly decimals: number
}

/** @returns the token's address; null for the native coin */
export const tokenOf = ({ address, isNative }: Omit<Token, 'decimals'>): string | null =>
  isNative ? null : address

/** What a request for a swap has, whichever of its amounts is given. */
export interface OrderTerms {
  readonly chain: ChainDefinition
  readonly side: 'buy' | 'sell'
  readonly tokenIn: Token
  readonly tokenOut: Token
  /** 1 to 5000. It reaches the provider in its own unit, or `unsupported_slippage` is thrown. */
  readonly slippageBps: number
  /** The wallet; null for a quote without one. */
  readonly from: string | null
}

/** A request to sell an exact amount. */
export interface Order extends OrderTerms {
  /** Base units of `tokenIn`, above zero. */
  readonly amountIn: bigint
}

/** A request to buy an exact amount, for as little as it takes. */
export interface OutputOrder extends OrderTerms {
  /** Base units of `tokenOut`, above zero. */
  readonly amountOut: bigint
}

/** How much a transaction of Solana pays to be first. */
export const PRIORITY_LEVELS = ['none', 'low', 'medium', 'high'] as const
export type PriorityLevel = (typeof PRIORITY_LEVELS)[number]
/** By the prices of the moment, or in micro-lamports per compute unit. */
export type FeePriority = PriorityLevel | bigint

/** An order that can be built: it has its wallet. */
export interface BuildOrder extends Order {
  readonly from: string
  /** What has to arrive, if exactly that was ordered; `amountIn` is then the most that leaves for it. */
  readonly amountOut?: bigint
  /** The wallet that gets the output. Absent: `from`. */
  readonly receiver?: string
  /** Absent: the provider's own choice. */
  readonly priority?: FeePriority
  /** On Solana: the wallet's nonce, which the transaction begins with. Absent: it has a blockhash. */
  readonly nonce?: Nonce
  /** Whether the chain itself is to enforce the outcome: see ../solana/guards.ts, ../evm/guard.ts. */
  readonly guards?: boolean
  /** Bytes to leave to the wallet in a transaction of Solana, if a route allows it. */
  readonly headroomBytes?: number
  /**
   * If neither side is the native coin: the input in base units of it, by two price sources. It bounds fees
   * that are paid in that coin. Null if they do not know.
   */
  readonly worth?: bigint | null
  /** Solana's charges, if the swap is there and its nodes report them. */
  readonly solana?: SolanaRates
}

/** The wallet that gets the output. */
export const receiverOf = ({ receiver, from }: Pick<BuildOrder, 'receiver' | 'from'>): string =>
  receiver ?? from

/**
 * A validated request to move value from one chain to another, or within one. What it has of a BuildOrder is about the
 * chain it starts on.
 */
export interface CrossChainOrder extends Pick<BuildOrder, 'from' | 'priority' | 'guards' | 'solana'> {
  readonly fromChain: XprovChain
  readonly toChain: XprovChain
  readonly tokenIn: Token
  readonly tokenOut: Omit<Token, 'decimals'>
  /**
   * The decimals of `tokenOut`, if two sources agree on them. Without them only the provider states what its
   * amounts mean, and the minimum of a bridge that counts in fewer decimals is not proved.
   */
  readonly decimalsOut?: number
  /**
   * On Sui the id of the object that describes `tokenOut`, by which bridges name it: of the chain's definition, or
   * what two nodes agree on.
   */
  readonly metadataOut?: string
  /** The fee contracts that the registry of `fromChain` names, if two nodes agree. */
  readonly feeContracts?: NamedFeeContracts | null
  /** Base units of `tokenIn`, above zero. */
  readonly amountIn: bigint
  /** `amountIn` in base units of the native coin of `fromChain`, by two sources of prices; null if they do not know. */
  readonly worth?: bigint | null
  readonly to: string
  /** Decimal fraction; null leaves it to the provider. */
  readonly slippage: string | null
  /** Which route to prefer; null leaves it to the provider. */
  readonly preference: string | null
}
