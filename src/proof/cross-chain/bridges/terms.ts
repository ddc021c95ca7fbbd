/** The input of a bridge on Solana, and the terms that its instruction binds. */
import type { Fee } from '../../../runtime/resources/quote.ts'
import type { CrossChainOrder } from '../../terms/order.ts'
import type { BridgeTerms } from '../lifi/terms.ts'
import type { SolanaCall } from './call.ts'

export interface SolanaCrossChain {
  readonly order: CrossChainOrder
  /** The mint of the input; wrapped SOL for SOL. */
  readonly mint: string
  /** Wall clock, ms. */
  readonly now: number
}

export interface SolanaTerms extends BridgeTerms {
  /**
   * What the bridge takes from the wallet, in base units; null if the wallet deposits into an account of the
   * bridge.
   */
  readonly takes: bigint | null
  readonly deposit: Deposit | null
  /** Rules that were checked in addition to those of every cross-chain swap. */
  readonly checks: readonly string[]
  /** What others than the bridge's solvers keep. */
  readonly fees?: readonly Fee[]
}

/** A bridge's account into which the wallet pays first. */
export interface Deposit {
  /** The account's index among the transaction's accounts. */
  readonly account: number
  /** The index of its owner. */
  readonly owner: number
  /** The bridge fails unless the account holds at least this much, in base units. */
  readonly atLeast: bigint
}

/** @throws GatewayError  material_refused */
export type ReadBridge = (call: SolanaCall, crossChain: SolanaCrossChain) => SolanaTerms
