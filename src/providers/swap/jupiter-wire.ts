/**
 * Jupiter's wire format: mints, base units, and the refusals, which come as status 400 with an `errorCode`.
 *
 * Source: jup-ag/docs, OpenAPI of the Swap API v2, and its list of error codes
 */

import { type Static, type TSchema, Type } from 'typebox'
import { WRAPPED_SOL_MINT } from '../../chains/solana/programs.ts'
import type { Call } from '../../flow/call.ts'
import { leastOf } from '../../proof/solana/jupiter.ts'
import { within } from '../../proof/terms/fees.ts'
import type { BuildOrder, Order, Token } from '../../proof/terms/order.ts'
import { sleep } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { answerReader, type Parsed } from '../answer.ts'
import type { Offer } from '../provider.ts'
import { refusalOf } from '../refusals.ts'
import { statedWord } from './stated.ts'

export const JUPITER = 'jupiter'

/** The most lamports of priority fee: half of what a proof allows. */
export const MAX_JUPITER_PRIORITY_LAMPORTS = 1_000_000n
/** A token that is seconds old is not tradable yet, and may be a moment later. */
const RETRY_AFTER_MS = 1_000
/** The second attempt needs this much of the deadline. */
const RETRY_NEEDS_MS = 500

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

export const JupiterPrice = Type.Object({
  ...Priced.properties,
  routePlan: Type.Array(Type.Object({ swapInfo: Type.Object({ label: Type.Optional(Type.String()) }) })),
})
export type JupiterPrice = Static<typeof JupiterPrice>

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

const readError = answerReader(Type.Object({ errorCode: Type.String() }))
const readFailure = answerReader(Type.Object({ error: Type.String() }))

/**
 * Whether it failed because the mint is not tradable, for which it has no code here. The
 * token exists, or its decimals would not be known.
 */
export function isUntradable(status: number, body: Buffer): boolean {
  return status === 500 && readFailure(body)?.value.error === 'Something unexpected occurred'
}

/** Retries once, a second later, for a token that is not tradable yet, if the deadline allows. */
export async function untilTradable<Answer>(ask: () => Promise<Answer>, call: Call): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    const isYoung = error instanceof GatewayError && error.code === 'unknown_token'
    if (!isYoung || call.leftMs < RETRY_AFTER_MS + RETRY_NEEDS_MS) throw error
  }
  await sleep(call.clock, RETRY_AFTER_MS)
  return ask()
}

/**
 * @param schema  the body of a 200; compiled at the first one
 * @returns a reader for UpstreamRequest; `suits` checks what the schema cannot express
 */
export function replyReader<const Schema extends TSchema>(
  schema: Schema,
): (
  status: number,
  body: Buffer,
  suits: (value: Static<Schema>) => boolean,
) => Parsed<Static<Schema>> | null {
  const read = answerReader(schema)
  return (status, body, suits) => {
    if (status === 200) {
      const answer = read(body)
      return answer !== null && suits(answer.value) ? answer : null
    }
    // An unlisted code is about the gateway's request; its status is passed through.
    const refusal = refusalOf(JUPITER, readError(body)?.value.errorCode ?? '')
    if (refusal !== null) throw refusal
    return null
  }
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

/**
 * @param impactPct  percent, positive is a loss; NaN when unknown
 * @throws GatewayError  amount_too_small
 */
export function toOffer(
  { outAmount, slippageBps, routePlan }: JupiterPrice,
  impactPct: number,
  raw: string,
): Offer {
  const expectedOut = BigInt(outAmount)
  if (expectedOut === 0n) throw refusalOf(JUPITER, 'zero')!
  const hops = routePlan.map(({ swapInfo }) => statedWord(swapInfo.label))
  return {
    expectedOut,
    // The minimum that the program enforces; the provider's own figure is not part of the transaction.
    minOut: leastOf(expectedOut, slippageBps, 0),
    priceImpactPct: percent(impactPct),
    details: { fees: [], stated: { hops } },
    raw,
  }
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
