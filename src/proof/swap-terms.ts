/** What the calldata of a swap on an EVM chain commits to, whichever router it is for. */
export interface SwapTerms {
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: bigint
  readonly minOut: bigint
  readonly recipient: string
  /** Unix seconds; null where the router knows none. */
  readonly deadline: bigint | null
  /** What was proved of this router beyond the terms. */
  readonly checks: readonly string[]
}
