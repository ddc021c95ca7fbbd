/** What a bridge is given, and what its calldata promises for it. */
import type { CrossChainOrder } from '../order.ts'

/** What stands when the bridge takes over. */
export interface Crossed {
  readonly order: CrossChainOrder
  /** As the provider's contract writes it. */
  readonly asset: string
  /** What crosses at least: the contract sees to that. */
  readonly amount: bigint
  /** Whether the amount is what swaps left of the input. */
  readonly isSwapped: boolean
  /** Wall clock, ms. */
  readonly now: number
}

export interface Terms {
  /** In base units of the token that was asked for. */
  readonly minimum: bigint | null
  /** What the bridge's fewer decimals cannot carry of a minimum, likewise. */
  readonly slack?: bigint
  /** Whether the token that was asked for is received: null where the calldata does not say. */
  readonly received: boolean | null
  /**
   * What arrives follows from `amount`, so that swaps before it cannot leave
   * less than the minimum is worth.
   */
  readonly bindsAmount?: boolean
}

/**
 * Whether a bridge can carry a minimum: what its fewer decimals drop is at most a hundredth of it.
 * @param slack  what they drop at most, in the minimum's own units
 */
export const isCarried = (minimum: bigint, slack: bigint): boolean => slack * 100n <= minimum

// biome-ignore lint/suspicious/noExplicitAny: its fields are those of `data`
export type FacetData = any
