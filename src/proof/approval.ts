/**
 * The ERC-20 approval that a swap needs before it can take its input.
 *
 * Source: EIP-20 · the tokens' own contracts
 */
import type { ChainDefinition } from '../chains/definition.ts'
import type { Approval } from './material.ts'
import type { Token } from './order.ts'

/** Tokens that refuse to change an allowance from one non-zero amount to another, by chain key: USDT on Ethereum. */
const NEEDS_RESET: Readonly<Record<string, ReadonlySet<string>>> = {
  ethereum: new Set(['0xdac17f958d2ee523a2206206994597c13d831ec7']),
}

/** What is sold, and where. */
interface Sold {
  readonly chain: Pick<ChainDefinition, 'key'>
  readonly tokenIn: Token
  readonly amountIn: bigint
}

/** @returns null for a native coin, which travels with the transaction */
export function approvalFor({ chain, tokenIn, amountIn }: Sold, spender: string): Approval | null {
  if (tokenIn.isNative) return null
  const approval = { token: tokenIn.address, spender, amount: String(amountIn) }
  const needsReset = NEEDS_RESET[chain.key]?.has(tokenIn.address.toLowerCase()) ?? false
  return needsReset ? { ...approval, reset: true } : approval
}
