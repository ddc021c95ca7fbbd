/** What a bridge on Solana is called with, and what its instruction promises for it. */
import type { CrossChainOrder } from '../order.ts'
import type { SolanaCall } from './call.ts'

export interface SolanaCrossChain {
  readonly order: CrossChainOrder
  /** The mint that is taken: of SOL its wrapper. */
  readonly mint: string
  /** Wall clock, ms. */
  readonly now: number
}

export interface SolanaTerms {
  /** What the bridge takes from the wallet itself; null where the wallet gives it to an account of the bridge's. */
  readonly takes: bigint | null
  readonly deposit: Deposit | null
  /** In base units of the token that was asked for; null where the instruction does not say. */
  readonly minimum: bigint | null
  /** What the bridge's fewer decimals cannot carry of a minimum, likewise. */
  readonly slack: bigint
  /** It is the token that was asked for: null where the instruction does not say. */
  readonly received: boolean | null
  /** The rules that were tried beside those of every cross-chain swap. */
  readonly checks: readonly string[]
}

/** An account of the bridge's, into which the wallet pays beforehand. */
export interface Deposit {
  /** Its index among the transaction's accounts. */
  readonly account: number
  /** Whose account it is, likewise. */
  readonly owner: number
  /** So much must be in it, or the bridge refuses. */
  readonly atLeast: bigint
}

/** @throws GatewayError  material_refused */
export type ReadBridge = (call: SolanaCall, crossChain: SolanaCrossChain) => SolanaTerms
