/**
 * Jupiter's v2 order API, the configured alternative to v1: one request gives
 * the quote and, where it names the wallet, the transaction. So a build quotes
 * again, and holds the new quote to the minimum of the old one.
 *
 * Jupiter takes a fee here, by pair. The order states it as `feeBps`, and its
 * transaction holds it.
 *
 * The router JupiterZ is excluded: its transactions need a market maker's
 * signature, and land only through Jupiter's own submission.
 *
 * Source: jup-ag/docs, OpenAPI of the Swap API v2
 */

import { type Static, Type } from 'typebox'
import { MAX_TRANSACTION_BYTES } from '../../chains/solana/sizes.ts'
import { MAX_JUPITER_FEE_BPS } from '../../proof/fees.ts'
import type { Material } from '../../proof/material.ts'
import type { BuildOrder, Order } from '../../proof/order.ts'
import type { UpstreamRequest } from '../../upstream/call.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { answerReader, type Parsed } from '../answer.ts'
import type { CallOptions, Offer } from '../provider.ts'
import {
  isFor,
  isUntradable,
  JUPITER,
  type JupiterCalls,
  JupiterPrice,
  type JupiterRefusal,
  orderQuery,
  refuse,
  replyReader,
  toOffer,
  UNTRADABLE,
} from './jupiter-wire.ts'
import { statedCount, statedWord } from './stated.ts'
import { requireMinimum, slippageToKeep } from './worth.ts'

/** All routers but Metis: JupiterZ needs a market maker's signature, the programs of the others are not Jupiter's. */
const EXCLUDED_ROUTERS = ['jupiterz', 'dflow', 'okx']

const V2Order = Type.Object({
  ...JupiterPrice.properties,
  router: Type.String(),
  /** Percent, negative is a loss. */
  priceImpact: Type.Optional(Type.Number()),
  /** All that Jupiter takes of the swap. */
  feeBps: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_JUPITER_FEE_BPS })),
  /** Null without a wallet, empty where it could not be built. */
  transaction: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  prioritizationFeeLamports: Type.Optional(Type.Number()),
  errorCode: Type.Optional(Type.Unknown()),
})
type V2Order = Static<typeof V2Order>

/** Why an order has no transaction, by `errorCode`, as all routers but JupiterZ use the numbers. */
const UNBUILT: ReadonlyMap<unknown, JupiterRefusal> = new Map([
  [1, { code: 'amount_too_large', message: 'The wallet holds less than the amount. Try a smaller one.' }],
  [2, { code: 'amount_too_large', message: 'The wallet holds too little SOL for the fees. Add some.' }],
  [3, { code: 'amount_too_small', message: 'The amount is too small for a swap without SOL for the fees.' }],
])

const readOrder = replyReader(V2Order)
const readOffered = answerReader(Type.Object({ feeBps: V2Order.properties.feeBps }))

export class JupiterOrder implements JupiterCalls {
  readonly #upstream: Upstream

  constructor(upstream: Upstream) {
    this.#upstream = upstream
  }

  feeBpsOf({ raw }: Offer): number {
    return readOffered(Buffer.from(raw))?.value.feeBps ?? 0
  }

  async quote(order: Order, call: CallOptions): Promise<Offer> {
    return offerOf(await ask(this.#upstream, order, null, call))
  }

  async build(order: BuildOrder, offer: Offer, call: CallOptions): Promise<Material> {
    const answer = await ask(this.#upstream, order, order.from, call)
    const anew = offerOf(answer)
    const slippageBps = slippageToKeep(anew, offer, JUPITER)
    if (slippageBps === null) return toMaterial(answer.value, anew)
    const second = await ask(this.#upstream, { ...order, slippageBps }, order.from, call)
    const kept = offerOf(second)
    requireMinimum(kept, offer, JUPITER)
    return toMaterial(second.value, kept)
  }
}

function ask(
  upstream: Upstream,
  order: Order,
  taker: string | null,
  options: CallOptions,
): Promise<Parsed<V2Order>> {
  const query = orderQuery(order)
  query.set('excludeRouters', EXCLUDED_ROUTERS.join())
  if (taker !== null) query.set('taker', taker)
  const request: UpstreamRequest<Parsed<V2Order>> = {
    method: 'GET',
    path: `/swap/v2/order?${query}`,
    body: null,
    resend: true,
    readsServerErrors: true,
    read(status, body) {
      if (isUntradable(status, body)) throw refuse(UNTRADABLE)
      return readOrder(
        status,
        body,
        (value) => isFor(order, value) && !EXCLUDED_ROUTERS.includes(value.router),
      )
    },
  }
  return upstream.ask(request, options)
}

function offerOf({ value, text }: Parsed<V2Order>): Offer {
  const { priceImpact = Number.NaN, router, feeBps } = value
  return toOffer(value, -priceImpact, { router: statedWord(router) }, text, feeBps)
}

function toMaterial(value: V2Order, { expectedOut, minOut }: Offer): Material {
  const { transaction } = value
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
    lastValidBlockHeight: null,
    extra: {
      expectedOut: expectedOut.toString(),
      minOut: minOut.toString(),
      prioritizationFeeLamports: statedCount(value.prioritizationFeeLamports),
    },
  }
}
