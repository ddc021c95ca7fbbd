/** The input of a bridge, and the terms that its calldata binds. */
import { BPS } from '../../terms/fees.ts'
import type { CrossChainOrder } from '../../terms/order.ts'
import { refuseMaterial } from '../../terms/verification.ts'

/** The state when the bridge takes over. */
export interface BridgeInput {
  readonly order: CrossChainOrder
  /** The token sent across, in the provider contract's notation. */
  readonly asset: string
  /** The least amount sent across, in base units: the contract enforces it. */
  readonly amount: bigint
  /** Whether swaps on the source chain produce the amount. */
  readonly isSwapped: boolean
  /** Wall clock, ms. */
  readonly now: number
}

export interface BridgeTerms {
  /** The least that arrives, in base units of the requested token; null if the calldata does not bind it. */
  readonly minimum: bigint | null
  /** The part of a minimum that the bridge's fewer decimals cannot carry, in the same units. */
  readonly slack?: bigint
  /** Whether the requested token is received; null if the calldata does not say. */
  readonly received: boolean | null
  /**
   * Whether the received amount follows from `amount`, so swaps before the bridge
   * cannot leave less than the minimum is worth.
   */
  readonly bindsAmount?: boolean
  /**
   * The most that the bridge's protocol keeps of the minimum, in bps: the chain sets it, and no calldata
   * shows it.
   */
  readonly keptBps?: bigint
  readonly refundFee?: RefundFee
  /** Whether somebody has to fill the order: one that demands more than it is worth is never filled. */
  readonly isOrder?: boolean
}

/** The cost of a refund, for an order that somebody has to fill. */
export interface RefundFee {
  /** Of the amount sent across, rounded up. */
  readonly bps: number
  /** Base units of the amount sent across. */
  readonly amount: string
}

/**
 * The minimum that arrives; for an order that somebody has to fill, also what it demands and what a refund
 * costs.
 */
export function minimumFacts(terms: Partial<BridgeTerms> | null) {
  const { minimum = null, keptBps = 0n, refundFee, isOrder = refundFee !== undefined } = terms ?? {}
  return {
    ...(minimum !== null && { minimum: String((minimum * (BPS - keptBps)) / BPS) }),
    ...(minimum !== null && isOrder && { demands: String(minimum) }),
    ...(refundFee && { refundFee }),
  }
}

/**
 * What the terms bind of the output, and what remains the provider's word.
 * @param minimum  the provider's, in base units of the requested token
 * @throws GatewayError  material_refused: received_token, minimum
 */
export function bindingOf(terms: BridgeTerms | null, minimum: bigint) {
  const checks: string[] = []
  const stated: string[] = []
  const list = (name: string, isProved: boolean) => (isProved ? checks : stated).push(name)
  if (terms?.received === false) throw refuseMaterial('received_token')
  list('received_token', terms?.received === true)
  const slack = terms?.slack ?? 0n
  const carried = terms?.minimum ?? null
  if (carried !== null && carried + slack < minimum) throw refuseMaterial('minimum')
  list('minimum', carried !== null && isCarried(minimum, slack))
  return { checks, stated }
}

/**
 * Whether a bridge can carry a minimum: its fewer decimals drop at most a hundredth of it.
 * @param slack  the most that they drop, in the minimum's units
 */
const isCarried = (minimum: bigint, slack: bigint): boolean => slack * 100n <= minimum

// biome-ignore lint/suspicious/noExplicitAny: its fields are those of `data`
export type FacetData = any
