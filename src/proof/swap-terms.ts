/** What the calldata of a swap on an EVM chain commits to, for any router. */
export interface SwapTerms {
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: bigint
  readonly minOut: bigint
  readonly recipient: string
  /** Unix seconds; null where the router has no deadline. */
  readonly deadline: bigint | null
  /** The router's checks beyond the terms. */
  readonly checks: readonly string[]
}
