/**
 * Jupiter's v2 order API, the configured alternative to v1: one request gives
 * the quote and, where it names the wallet, the transaction. So a build quotes
 * anew, and holds the new quote to the minimum of the old one.
 *
 * The router JupiterZ is excluded: its transactions need a market maker's
 * signature, and land only through Jupiter's own submission.
 *
 * Source: facts 3.1, 3.4 to 3.6
 */

import { type Static, Type } from 'typebox'
import { GatewayError } from '../../errors.ts'
import { MAX_TRANSACTION_BYTES } from '../../solana/wire.ts'
import type { BuildOrder, CallOptions, Material, Offer, Order, SwapProvider } from '../provider.ts'
import type { Upstream } from '../upstream.ts'
import {
  BaseUnits,
  FRESH_MS,
  JUPITER,
  keepsSlippage,
  mintOf,
  orderQuery,
  percent,
  type Refusal,
  RoutePlan,
  refuse,
  replyReader,
  SERVED,
} from './jupiter-wire.ts'

const EXCLUDED_ROUTER = 'jupiterz'

export const V2Order = Type.Object({
  inputMint: Type.String(),
  inAmount: BaseUnits,
  outputMint: Type.String(),
  outAmount: BaseUnits,
  otherAmountThreshold: BaseUnits,
  slippageBps: Type.Number(),
  router: Type.String(),
  routePlan: RoutePlan,
  /** Percent, negative is a loss. */
  priceImpact: Type.Optional(Type.Number()),
  feeBps: Type.Optional(Type.Number()),
  /** Null without a wallet, empty where it could not be built. */
  transaction: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  lastValidBlockHeight: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$' })),
  prioritizationFeeLamports: Type.Optional(Type.Number()),
  errorCode: Type.Optional(Type.Unknown()),
})
export type V2Order = Static<typeof V2Order>

/** Why an order has no transaction, in the meaning that all routers but JupiterZ give the number. */
const UNBUILT: ReadonlyMap<unknown, Pick<Refusal, 'code' | 'message'>> = new Map([
  [1, { code: 'amount_too_large', message: 'The wallet holds less than the amount. Try a smaller one.' }],
  [2, { code: 'amount_too_large', message: 'The wallet holds too little SOL for the fees. Add some.' }],
  [3, { code: 'amount_too_small', message: 'The amount is too small for a swap without SOL for the fees.' }],
])

const readOrder = replyReader(V2Order)

export function orderProvider(upstream: Upstream): SwapProvider {
  return {
    label: JUPITER,
    canBuild: true,
    freshMs: FRESH_MS,
    chains: SERVED,

    async quote(order, call) {
      const { value, text } = await ask(upstream, order, null, call)
      return toOffer(value, text)
    },

    async build(order: BuildOrder, offer, call) {
      const { value, text } = await ask(upstream, order, order.from, call)
      const { expectedOut, minOut } = toOffer(value, text)
      if (expectedOut < offer.minOut) {
        const message =
          'The market moved: the swap gives less than the minimum of the quote. Ask for a new quote.'
        const fields = { minOut: offer.minOut.toString(), expectedOut: expectedOut.toString() }
        throw new GatewayError('quote_moved', message, { provider: JUPITER, ...fields })
      }
      return toMaterial(value, expectedOut, minOut)
    },
  }
}

async function ask(
  upstream: Upstream,
  order: Order,
  taker: string | null,
  { deadlineMs, priority, cancel }: CallOptions,
): Promise<{ readonly value: V2Order; readonly text: string }> {
  const query = orderQuery(order)
  query.set('excludeRouters', EXCLUDED_ROUTER)
  if (taker !== null) query.set('taker', taker)
  const answer = await upstream.exchange(
    {
      method: 'GET',
      path: `/swap/v2/order?${query}`,
      body: null,
      priority,
      resend: true,
      read: (status, body) => readOrder(status, body, (value) => answers(order, value)),
    },
    deadlineMs,
    cancel,
  )
  if ('refusal' in answer) throw refuse(answer.refusal)
  return answer
}

function answers(order: Order, value: V2Order): boolean {
  return (
    value.inputMint === mintOf(order.tokenIn) &&
    value.outputMint === mintOf(order.tokenOut) &&
    value.inAmount === order.amountIn.toString() &&
    value.slippageBps === order.slippageBps &&
    value.router !== EXCLUDED_ROUTER &&
    keepsSlippage(value.outAmount, value.otherAmountThreshold, order.slippageBps)
  )
}

function toOffer(value: V2Order, raw: string): Offer {
  const expectedOut = BigInt(value.outAmount)
  if (expectedOut === 0n) {
    throw refuse({ code: 'amount_too_small', message: 'The amount buys nothing. Try a larger one.' })
  }
  return {
    expectedOut,
    minOut: BigInt(value.otherAmountThreshold),
    priceImpactPct: value.priceImpact === undefined ? null : percent(-value.priceImpact),
    details: {
      hops: value.routePlan.map(({ swapInfo }) => swapInfo.label ?? null),
      router: value.router,
      feeBps: value.feeBps ?? null,
    },
    raw,
  }
}

function toMaterial(value: V2Order, expectedOut: bigint, minOut: bigint): Material {
  const { transaction, lastValidBlockHeight } = value
  if (!transaction) {
    const known = UNBUILT.get(value.errorCode)
    const message = 'The provider quoted a price and built no transaction for it. Try again later.'
    throw refuse(known ?? { code: 'upstream_unusable', message })
  }
  if (Buffer.byteLength(transaction, 'base64') > MAX_TRANSACTION_BYTES) {
    const message = `The route makes a transaction of more than ${MAX_TRANSACTION_BYTES} bytes. Try another amount.`
    throw refuse({ code: 'no_route', message })
  }
  return {
    kind: 'solana',
    transaction,
    lastValidBlockHeight: lastValidBlockHeight === undefined ? null : Number(lastValidBlockHeight),
    extra: {
      expectedOut: expectedOut.toString(),
      minOut: minOut.toString(),
      prioritizationFeeLamports: value.prioritizationFeeLamports ?? null,
    },
  }
}
