/**
 * The wire format that Jupiter and DFlow share: mints, base units, the order in a query and the price in an answer.
 *
 * Source: jup-ag/docs, OpenAPI of the Swap API v2, and its list of error codes
 */

import { type Static, Type } from 'typebox'
import { WRAPPED_SOL_MINT } from '../../chains/solana/programs.ts'
import { within } from '../../proof/terms/fees.ts'
import type { Material } from '../../proof/terms/material.ts'
import type { BuildOrder, Order, Token } from '../../proof/terms/order.ts'
import type { Offer } from '../provider.ts'

/** The most lamports of priority fee: half of what a proof allows. */
export const MAX_JUPITER_PRIORITY_LAMPORTS = 1_000_000n
/** Base units: a u64 in decimal. */
const BaseUnits = Type.String({ pattern: '^(0|[1-9][0-9]{0,19})$' })

/** The price in an answer; DFlow's has the same members. */
export const Priced = Type.Object({
  inputMint: Type.String(),
  inAmount: BaseUnits,
  outputMint: Type.String(),
  outAmount: BaseUnits,
  otherAmountThreshold: BaseUnits,
  slippageBps: Type.Number(),
})

/** The most lamports of priority fee, which the wallet pays in SOL: less for an order that is worth little. */
export function mostForPriority(
  { tokenIn, tokenOut, amountIn, worth = null }: Order & Pick<BuildOrder, 'worth'>,
  { minOut }: Pick<Offer, 'minOut'>,
): bigint {
  const isSol = (token: Token) => mintOf(token) === WRAPPED_SOL_MINT
  return within(MAX_JUPITER_PRIORITY_LAMPORTS, isSol(tokenIn) ? amountIn : isSol(tokenOut) ? minOut : worth)
}

export const mintOf = (token: Token): string => (token.isNative ? WRAPPED_SOL_MINT : token.address)

/** The order in a query. Slippage is always given: the default would be Jupiter's, not the client's. */
export function orderQuery(order: Order): URLSearchParams {
  return new URLSearchParams({
    inputMint: mintOf(order.tokenIn),
    outputMint: mintOf(order.tokenOut),
    amount: order.amountIn.toString(),
    slippageBps: order.slippageBps.toString(),
  })
}

/** Whether the answer is for this order. */
export function isFor(order: Order, priced: Static<typeof Priced>): boolean {
  return (
    priced.inputMint === mintOf(order.tokenIn) &&
    priced.outputMint === mintOf(order.tokenOut) &&
    priced.inAmount === order.amountIn.toString() &&
    priced.slippageBps === order.slippageBps &&
    keepsSlippage(priced.outAmount, priced.otherAmountThreshold, order.slippageBps)
  )
}

/** Whether the provider's minimum is within the slippage; one unit below is, because the provider may round differently. */
export function keepsSlippage(expectedOut: string, minOut: string, slippageBps: number): boolean {
  const expected = BigInt(expectedOut)
  const floor = (expected * BigInt(10_000 - slippageBps)) / 10_000n
  return BigInt(minOut) <= expected && BigInt(minOut) >= floor - 1n
}

/** @returns null if the value is not a finite number; never -0 */
export function percent(value: number): number | null {
  return Number.isFinite(value) ? value + 0 : null
}

/** The unsigned transaction of an offer. @param transaction  base64 */
export const solanaMaterial = (
  transaction: string,
  { expectedOut, minOut }: Pick<Offer, 'expectedOut' | 'minOut'>,
  more: Readonly<Record<string, unknown>> = {},
): Material => {
  const extra = { expectedOut: String(expectedOut), minOut: String(minOut), ...more }
  return { kind: 'solana', transaction, lastValidBlockHeight: null, extra }
}
