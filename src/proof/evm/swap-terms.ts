import type { Fee } from '../../runtime/resources/quote.ts'

/** The terms that a swap's calldata commits to on an EVM chain, independent of the router. */
export interface SwapTerms {
  readonly tokenIn: string
  readonly tokenOut: string
  /** Whether exactly `minOut` is bought, for at most `amountIn`. Absent: no. */
  readonly isExactOut?: boolean
  readonly amountIn: bigint
  /** Net of the fees. */
  readonly minOut: bigint
  readonly recipient: string
  /** Unix seconds; null if the router has no deadline. */
  readonly deadline: bigint | null
  /** Fees of the output, of which the minimum is net, or of an exact output's input; none if absent. */
  readonly fees?: readonly Omit<Fee, 'token'>[]
  /** Rules of this router that were checked beyond the terms. */
  readonly checks: readonly string[]
}
