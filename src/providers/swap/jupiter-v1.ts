/**
 * Jupiter's v1 API: a quote, then the unsigned transaction for it.
 *
 * The quote goes back to Jupiter byte for byte: Jupiter refuses one that lost a
 * field, and JSON.parse would round its large numbers. Where the transaction is
 * too large for a packet, the order is quoted again over fewer accounts, until it
 * fits.
 *
 * Source: jup-ag/docs, OpenAPI of the Swap API v1
 */

import { type Static, Type } from 'typebox'
import { MAX_TRANSACTION_BYTES } from '../../chains/solana/sizes.ts'
import type { Material } from '../../proof/material.ts'
import type { BuildOrder, Order } from '../../proof/order.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import type { Parsed } from '../answer.ts'
import type { CallOptions, Offer } from '../provider.ts'
import {
  isFor,
  JUPITER,
  type JupiterCalls,
  JupiterPrice,
  mostForPriority,
  orderQuery,
  refuse,
  replyReader,
  TOO_LARGE,
  toOffer,
  untilTradable,
} from './jupiter-wire.ts'
import { statedError } from './stated.ts'
import { requireMinimum, slippageToKeep } from './worth.ts'

/** Query parameters for ever smaller routes, tried in this order. The default is 64 accounts. */
const SMALLER: readonly Readonly<Record<string, string>>[] = [
  { maxAccounts: '48' },
  { maxAccounts: '32' },
  { maxAccounts: '24' },
  { onlyDirectRoutes: 'true' },
]

export const V1Quote = Type.Object({
  ...JupiterPrice.properties,
  swapMode: Type.String(),
  /** A fraction, positive is a loss. */
  priceImpactPct: Type.String(),
  contextSlot: Type.Optional(Type.Integer()),
})
export type V1Quote = Static<typeof V1Quote>

export const V1Swap = Type.Object({
  swapTransaction: Type.String({ minLength: 1 }),
  prioritizationFeeLamports: Type.Optional(Type.Integer({ minimum: 0 })),
  simulationError: Type.Optional(Type.Unknown()),
})
export type V1Swap = Static<typeof V1Swap>

const readQuote = replyReader(V1Quote)
const readSwap = replyReader(V1Swap)

export class JupiterV1 implements JupiterCalls {
  readonly #upstream: Upstream
  readonly #clock: Clock

  constructor(upstream: Upstream, clock: Clock) {
    this.#upstream = upstream
    this.#clock = clock
  }

  async quote(order: Order, call: CallOptions): Promise<Offer> {
    const endsAt = this.#clock.now() + call.deadlineMs
    const ask = () => this.#ask(order, {}, call, endsAt)
    return offerOf(await untilTradable(ask, endsAt, this.#clock))
  }

  async build(order: BuildOrder, offer: Offer, call: CallOptions): Promise<Material> {
    const endsAt = this.#clock.now() + call.deadlineMs
    const built = await this.#swap(order, offer, call, endsAt)
    if (fits(built)) return toMaterial(built, null)
    for (const smaller of SMALLER) {
      const quoted = await this.#requote(order, offer, smaller, call, endsAt)
      const rebuilt = await this.#swap(order, quoted, call, endsAt)
      if (fits(rebuilt)) return toMaterial(rebuilt, quoted)
    }
    throw refuse(TOO_LARGE)
  }

  /** A new quote with at least the first offer's minimum, asked for with less slippage where that is needed. */
  async #requote(
    order: Order,
    offer: Offer,
    limits: Readonly<Record<string, string>>,
    call: CallOptions,
    endsAt: number,
  ): Promise<Offer> {
    const quoted = offerOf(await this.#ask(order, limits, call, endsAt))
    const slippageBps = slippageToKeep(quoted, offer, JUPITER)
    if (slippageBps === null) return quoted
    const kept = offerOf(await this.#ask({ ...order, slippageBps }, limits, call, endsAt))
    requireMinimum(kept, offer, JUPITER)
    return kept
  }

  #ask(
    order: Order,
    limits: Readonly<Record<string, string>>,
    call: CallOptions,
    endsAt: number,
  ): Promise<Parsed<V1Quote>> {
    const query = orderQuery(order)
    query.set('swapMode', 'ExactIn')
    query.set('instructionVersion', 'V2')
    query.set('restrictIntermediateTokens', 'true')
    for (const [name, value] of Object.entries(limits)) query.set(name, value)
    const read = (status: number, body: Buffer) =>
      readQuote(status, body, (quote) => isFor(order, quote) && quote.swapMode === 'ExactIn')
    const path = `/swap/v1/quote?${query}`
    const request = { method: 'GET', path, body: null, resend: true, read } as const
    return this.#upstream.ask(request, { ...call, deadlineMs: this.#leftMs(endsAt) })
  }

  async #swap(order: BuildOrder, offer: Offer, call: CallOptions, endsAt: number): Promise<V1Swap> {
    const maxLamports = Number(mostForPriority(order, offer))
    const settings = JSON.stringify({
      userPublicKey: order.from,
      wrapAndUnwrapSol: true,
      useSharedAccounts: false,
      dynamicComputeUnitLimit: true,
      prioritizationFeeLamports: {
        priorityLevelWithMaxLamports: { priorityLevel: 'high', maxLamports },
      },
    })
    const body = `${settings.slice(0, -1)},"quoteResponse":${offer.raw}}`
    const read = (status: number, answer: Buffer) =>
      readSwap(status, answer, () => !this.#upstream.isRevealedBy(answer))
    const request = { method: 'POST', path: '/swap/v1/swap', body, resend: true, read } as const
    const { value } = await this.#upstream.ask(request, { ...call, deadlineMs: this.#leftMs(endsAt) })
    return value
  }

  /** What is left of the deadline, which is over all requests of one call; never below 0. */
  #leftMs(endsAt: number): number {
    return Math.max(endsAt - this.#clock.now(), 0)
  }
}

const offerOf = ({ value, text }: Parsed<V1Quote>): Offer =>
  toOffer(value, Number(value.priceImpactPct) * 100, { contextSlot: value.contextSlot ?? null }, text)

const fits = ({ swapTransaction }: V1Swap): boolean =>
  Buffer.byteLength(swapTransaction, 'base64') <= MAX_TRANSACTION_BYTES

/** @param requoted  the offer that the transaction is for; null where it is for the client's quote */
function toMaterial(built: V1Swap, requoted: Offer | null): Material {
  return {
    kind: 'solana',
    transaction: built.swapTransaction,
    lastValidBlockHeight: null,
    extra: {
      simulationError: statedError(built.simulationError),
      prioritizationFeeLamports: built.prioritizationFeeLamports ?? null,
      ...(requoted !== null && {
        expectedOut: requoted.expectedOut.toString(),
        minOut: requoted.minOut.toString(),
      }),
    },
  }
}
