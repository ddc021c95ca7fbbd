/** The terms that a swap's calldata commits to on an EVM chain, independent of the router. */
export interface SwapTerms {
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: bigint
  readonly minOut: bigint
  readonly recipient: string
  /** Unix seconds; null if the router has no deadline. */
  readonly deadline: bigint | null
  /** Rules of this router that were checked beyond the terms. */
  readonly checks: readonly string[]
}
