/**
 * DFlow, an aggregator of Solana's markets: one request gives the quote, and with a wallet
 * also the transaction. It takes no fee.
 *
 * A quote names no wallet, so that DFlow does not learn the client's. A build asks again, and holds the new
 * quote to the minimum of the old one. The transaction is DFlow's, with room for the guards that each
 * of its builds gets: see proof/solana/dflow.ts for why.
 *
 * Only orders of one transaction (`sync`) are asked for and accepted; the others take the tokens first, and
 * leave it to DFlow to pay.
 *
 * Source: DFlow's OpenAPI document, GET /order, as of 2026-07 (api-evangelist/dflow
 * openapi/dflow-order-api-openapi.yml) · pond.dflow.net, error codes and priority fees · its answers of 2026-08, which
 * round the threshold up, in public tests of integrators
 */

import { type Static, Type } from 'typebox'
import { MAX_COMPUTE_UNIT_PRICE } from '../../config/defaults.ts'
import type { Call } from '../../flow/call.ts'
import { proveDflow } from '../../proof/solana/dflow.ts'
import { leastOf } from '../../proof/solana/jupiter.ts'
import type { Material } from '../../proof/terms/material.ts'
import type { BuildOrder, Order } from '../../proof/terms/order.ts'
import { refuseMaterial } from '../../proof/terms/verification.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { answerReader } from '../answer.ts'
import { GUARD_BYTES, NONCE_BYTES } from '../guards.ts'
import type { Offer, SwapProvider } from '../provider.ts'
import { refusalOf, throwIf } from '../refusals.ts'
import { getAny } from '../requests.ts'
import { claimOf, FRESH_MS, type JupiterOptions } from './jupiter.ts'
import { isFor, mostForPriority, orderQuery, Priced, percent, solanaMaterial } from './jupiter-wire.ts'
import { statedWord } from './stated.ts'
import { keepingMinimum } from './worth.ts'

const DFLOW = 'dflow'

const DflowAnswer = Type.Object({
  ...Priced.properties,
  /** A fraction, positive is a loss. */
  priceImpactPct: Type.String(),
  executionMode: Type.String(),
  routePlan: Type.Optional(Type.Array(Type.Object({ venue: Type.Optional(Type.String()) }))),
  /** base64; only with a wallet */
  transaction: Type.Optional(Type.String()),
})
type DflowAnswer = Static<typeof DflowAnswer>

const readOrder = answerReader(DflowAnswer)
const readError = answerReader(Type.Object({ code: Type.String() }))

const SYNC = 'sync'

export function dflow({
  upstream,
  maxComputeUnitPrice = MAX_COMPUTE_UNIT_PRICE,
}: JupiterOptions): SwapProvider {
  return {
    label: DFLOW,
    freshMs: FRESH_MS,
    chains: new Set(['solana']),
    reaches: 'simulated',
    needsGuards: true,
    quote: async (order, call) => offerOf(await ask(upstream, order, {}, call)),
    build: (order, offer, call) => build(upstream, order, offer, call),
    prove(order, offer, material) {
      if (material.kind !== 'solana') throw refuseMaterial('kind')
      return proveDflow(material.transaction, claimOf(order, offer), { maxComputeUnitPrice })
    },
  }
}

/** With the room that the wallet is to have, if a route allows it, and else without. */
async function build(upstream: Upstream, order: BuildOrder, offer: Offer, call: Call): Promise<Material> {
  const { headroomBytes = 0, nonce } = order
  const least = GUARD_BYTES + (nonce === undefined ? 0 : NONCE_BYTES)
  const withRoom = (bytes: number) => {
    const more = {
      userPublicKey: order.from,
      reserveTransactionSize: String(least + bytes),
      prioritizationFeeLamports: 'high',
      prioritizationFeeMaxLamports: String(mostForPriority(order, offer)),
    }
    return keepingMinimum(order, offer, DFLOW, (one) => ask(upstream, one, more, call), offerOf)
  }
  const answer = await withRoom(headroomBytes).catch((error) => {
    if (headroomBytes === 0 || !isRefusal(error)) throw error
    return withRoom(0)
  })
  return solanaMaterial(answer.transaction!, offerOf(answer))
}

/** Whether it is about the route, and not a failure of the provider. */
const isRefusal = (error: unknown): boolean => error instanceof GatewayError && error.status < 500

/** @param more  parameters; with a wallet the answer has a transaction */
async function ask(upstream: Upstream, order: Order, more: Readonly<Record<string, string>>, call: Call) {
  const { tokenIn, tokenOut } = order
  const query = orderQuery(order)
  query.set('allowAsyncExec', 'false')
  // Wrapped SOL stays wrapped if the order names it as a token.
  query.set('wrapAndUnwrapSol', String(tokenIn.isNative || tokenOut.isNative))
  for (const [name, value] of Object.entries(more)) query.set(name, value)
  const suits = (value: DflowAnswer): boolean =>
    isFor(order, value) && (more.userPublicKey === undefined || value.transaction !== undefined)
  const request = getAny<DflowAnswer>(`/order?${query}`, (status, body) => {
    if (status === 200) {
      const value = readOrder(body)?.value
      if (value !== undefined && value.executionMode !== SYNC) throw refusalOf(DFLOW, 'async')!
      return value !== undefined && suits(value) && !upstream.isRevealedBy(body) ? value : null
    }
    // By `code`, of a 400. An unlisted code is about the gateway's request; its status is passed through.
    return throwIf(refusalOf(DFLOW, readError(body)?.value.code ?? ''))
  })
  return upstream.ask(request, call)
}

/** @throws GatewayError  amount_too_small */
function offerOf(answer: DflowAnswer): Offer {
  const { inputMint, inAmount, outputMint, outAmount, otherAmountThreshold, slippageBps } = answer
  const { priceImpactPct, routePlan = [] } = answer
  const expectedOut = BigInt(outAmount)
  if (expectedOut === 0n) throw refusalOf(DFLOW, 'zero_out_amount')!
  const priced = { inputMint, inAmount, outputMint, outAmount, otherAmountThreshold, slippageBps }
  return {
    expectedOut,
    minOut: leastOf(expectedOut, slippageBps, 0),
    priceImpactPct: percent(Number(priceImpactPct) * 100),
    details: { fees: [], stated: { hops: routePlan.map(({ venue }) => statedWord(venue)) } },
    raw: JSON.stringify(priced),
  }
}
