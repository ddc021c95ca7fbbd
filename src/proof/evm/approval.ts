/**
 * The ERC-20 approval that a swap needs before it can take its input, and the calls of both in their order.
 *
 * Source: EIP-20 · EIP-5792 · the tokens' own contracts
 */
import type { ChainDefinition } from '../../chains/definition.ts'
import { quantity } from '../../chains/json/quantity.ts'
import type { Approval } from '../terms/material.ts'
import type { Order } from '../terms/order.ts'

/** Tokens that refuse to change an allowance from one non-zero amount to another, by chain key: USDT on Ethereum. */
const NEEDS_RESET: Readonly<Record<string, ReadonlySet<string>>> = {
  ethereum: new Set(['0xdac17f958d2ee523a2206206994597c13d831ec7']),
}

/** The sold token and amount, and the chain. */
type Sold = Pick<Order, 'tokenIn' | 'amountIn'> & { readonly chain: Pick<ChainDefinition, 'key'> }

/** @returns null for a native coin, which travels with the transaction */
export function approvalFor({ chain, tokenIn, amountIn }: Sold, spender: string): Approval | null {
  if (tokenIn.isNative) return null
  const approval = { token: tokenIn.address, spender, amount: String(amountIn) }
  const needsReset = NEEDS_RESET[chain.key]?.has(tokenIn.address.toLowerCase()) ?? false
  return needsReset ? { ...approval, reset: true } : approval
}

/** A call as EIP-5792's `wallet_sendCalls` takes it. */
export interface BatchedCall {
  readonly to: string
  readonly data: string
  /** Wei, a hex quantity. */
  readonly value: string
}

/** What a wallet is asked to send; its value is decimal or a hex quantity. */
interface Approved extends Omit<BatchedCall, 'value'> {
  readonly value: string | bigint
  readonly approval: Approval | null
}

/** approve(address,uint256) */
const APPROVE = '0x095ea7b3'

/** The approval alone: first to zero if the token needs that. */
function approvalCalls({ token, spender, amount, reset }: Approval): readonly BatchedCall[] {
  const word = (digits: string) => digits.padStart(64, '0')
  const approve = (units: bigint): BatchedCall => {
    const data = `${APPROVE}${word(spender.slice(2).toLowerCase())}${word(units.toString(16))}`
    return { to: token, data, value: '0x0' }
  }
  return [...(reset === true ? [approve(0n)] : []), approve(BigInt(amount))]
}

/**
 * What a wallet sends, in order. Several calls are atomic: nothing may be left of an approval whose swap fails.
 * @param guard  the call that fails unless enough arrived
 */
export function callsOf({ to, data, value, approval }: Approved, guard: BatchedCall | null = null) {
  const before = approval === null ? [] : approvalCalls(approval)
  const calls = [...before, { to, data, value: quantity(BigInt(value)) }, ...(guard === null ? [] : [guard])]
  return { calls, atomicRequired: calls.length > 1 }
}
