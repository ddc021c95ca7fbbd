/**
 * KyberSwap's aggregator: a route by GET, its calldata by POST. The route's summary goes back byte for byte,
 * because it carries a checksum.
 *
 * A route has no minimum. The build simulates again, states what the route now gives, and computes the
 * calldata's minimum from that: one base unit less than the route's `amountOut` in every pair seen since
 * November 2025. No fee is asked for, so a summary with one isn't an offer. Gas estimation stays off, or a
 * wallet without funds or approval would get an error instead of calldata.
 *
 * Source: §4.5, §4.6 · KyberSwap Aggregator OpenAPI 2.12.1 · KyberNetwork/kyberswap-skills (api-reference,
 * error-handling)
 */

import { type Static, Type } from 'typebox'
import { minOut } from '../../chains/amount.ts'
import { namesAt } from '../../chains/find.ts'
import { memberText } from '../../chains/json/member.ts'
import { INTEGRATOR } from '../../config/providers.ts'
import type { Call } from '../../flow/call.ts'
import { approvalFor } from '../../proof/evm/approval.ts'
import { proveEvm, same } from '../../proof/evm/evm.ts'
import { KYBERSWAP_ROUTER, kyberswapRules } from '../../proof/evm/rules.ts'
import type { Material } from '../../proof/terms/material.ts'
import { type BuildOrder, type Order, receiverOf } from '../../proof/terms/order.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import type { GatewayError } from '../../runtime/errors.ts'
import type { RequestFailed, UpstreamRequest } from '../../upstream/request.ts'
import { Amount, answerReader } from '../answer.ts'
import { DEADLINE_SECONDS, FRESH_MS, type Offer, type SwapProvider } from '../provider.ts'
import { notBuilt, refusalOf } from '../refusals.ts'
import { type AdapterOptions, getAny, post } from '../requests.ts'
import { priceImpactPct, statedDecimal, statedGas, statedInteger, statedWords } from './stated.ts'
import { slippageToKeep } from './worth.ts'

const LABEL = 'kyberswap'
/** The chain's name in the path, by chain key. */
const SLUGS = namesAt('kyberswap')
/** Above it, the provider takes a slippage only with `ignoreCappedSlippage`. */
const CAPPED_SLIPPAGE_BPS = 2_000
/** Real calls have 1,700 bytes over one pool, and 4,200 over several. */
const CALLDATA_BYTES = 2_500
/**
 * How much less a build gives than its route, in base units; a quote expects what its build will give. It was
 * exactly one in each of 312 pairs. If the market fell further, the build is repeated for the quote's
 * minimum.
 */
const BUILD_FALL = 1n
const NO_ROUTE = 4008
/** A market maker in the route no longer gives what it promised. */
const RFQ_BELOW_ESTIMATE = 4222
/** This file's own code: KyberSwap's front end answers a 404 without one. */
const UNKNOWN_CHAIN = 404

const Route = Type.Object({
  code: Type.Literal(0),
  data: Type.Object({
    routeSummary: Type.Object({
      tokenIn: Type.String(),
      amountIn: Amount,
      amountInUsd: Type.String(),
      tokenOut: Type.String(),
      amountOut: Amount,
      amountOutUsd: Type.String(),
      gas: Type.String(),
      gasUsd: Type.String(),
      extraFee: Type.Optional(Type.Object({ feeAmount: Type.String(), feeReceiver: Type.String() })),
      route: Type.Array(Type.Array(Type.Object({ exchange: Type.String() }))),
    }),
    routerAddress: Type.String(),
  }),
})
const Build = Type.Object({
  code: Type.Literal(0),
  data: Type.Object({
    amountIn: Amount,
    amountOut: Type.Optional(Amount),
    data: Type.String(),
    routerAddress: Type.String(),
    transactionValue: Amount,
  }),
})
/** KyberSwap's front end refuses an unknown chain in a form of its own, without a code and with a path. */
const Refusal = Type.Object({
  code: Type.Optional(Type.Integer({ minimum: 1 })),
  message: Type.String(),
  path: Type.Optional(Type.String()),
})

const readRoute = answerReader(Route)
const readBuild = answerReader(Build)
const readRefusalBody = answerReader(Refusal)

/** The result of a first build if a market maker backs out. */
const BACKED_OUT = Symbol('backed out')

export function kyberswap({ upstream, clock = CLOCK }: AdapterOptions): SwapProvider {
  const buildFor = <T>(
    order: BuildOrder,
    summary: string,
    slippageBps: number,
    call: Call,
    read: UpstreamRequest<T>['read'],
  ): Promise<T> => {
    const path = `/${SLUGS.get(order.chain.key)!}/api/v1/route/build`
    return upstream.ask(post(path, buildBody(order, summary, slippageBps, clock), read), call)
  }
  return {
    label: LABEL,
    freshMs: FRESH_MS,
    chains: new Set(SLUGS.keys()),
    paysOthers: true,

    quote: (order, call) => upstream.ask(routeRequest(order, false), call),

    async build(order, offer, call) {
      const built = await buildFor(order, offer.raw, order.slippageBps, call, (status, body) =>
        readCode(status, body) === RFQ_BELOW_ESTIMATE ? BACKED_OUT : readBuilt(order, status, body),
      )
      if (built !== BACKED_OUT && isKept(built, order, offer)) return material(order, built)

      // Tries again for at least the quote's minimum: without market makers if one backed out, and with less
      // slippage if the market fell.
      const again =
        built === BACKED_OUT
          ? await upstream.ask(routeRequest(order, true), call)
          : { expectedOut: BigInt(built.amountOut!), minOut: 0n, raw: offer.raw }
      const slippageBps = slippageToKeep(again, offer, LABEL) ?? order.slippageBps
      const rebuilt = await buildFor(order, again.raw, slippageBps, call, (status, body) =>
        readBuilt(order, status, body),
      )
      return material(order, rebuilt)
    },

    prove: (order, { expectedOut, minOut }, material) =>
      proveEvm(material, { order, expectedOut, minOut, date: clock.date() }, kyberswapRules),
  }
}

function routeRequest(order: Order, noRfq: boolean): UpstreamRequest<Offer> {
  const { chain, tokenIn, tokenOut, amountIn, from } = order
  const query = new URLSearchParams({
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    amountIn: String(amountIn),
    gasInclude: 'true',
    ...(from !== null && { origin: from }),
    ...(noRfq && { excludeRFQSources: 'true' }),
  })
  const path = `/${SLUGS.get(chain.key)!}/api/v1/routes?${query}`
  return getAny(path, (status, body) => readOffer(order, status, body))
}

function buildBody(order: BuildOrder, summary: string, slippageBps: number, clock: Clock): string {
  const rest = JSON.stringify({
    sender: order.from,
    recipient: receiverOf(order),
    origin: order.from,
    slippageTolerance: slippageBps,
    ...(slippageBps > CAPPED_SLIPPAGE_BPS && { ignoreCappedSlippage: true }),
    deadline: Math.floor(clock.date() / 1_000) + DEADLINE_SECONDS,
    enableGasEstimation: false,
    source: INTEGRATOR,
  })
  return `{"routeSummary":${summary},${rest.slice(1)}`
}

function readOffer(order: Order, status: number, body: Buffer): Offer | null {
  const route = status === 200 ? readRoute(body) : null
  if (route === null) return readRefusal(status, body)
  const { routeSummary: summary, routerAddress } = route.value.data
  const isForOrder =
    same(summary.tokenIn, order.tokenIn.address) &&
    same(summary.tokenOut, order.tokenOut.address) &&
    BigInt(summary.amountIn) === order.amountIn
  if (!isForOrder || hasFee(summary.extraFee)) return null
  const expectedOut = BigInt(summary.amountOut) - BUILD_FALL
  // Material for another router would be refused, so its route isn't an offer.
  if (!same(routerAddress, KYBERSWAP_ROUTER)) throw refusal(NO_ROUTE, status)
  if (expectedOut <= 0n) throw refusal(NO_ROUTE, status)
  return {
    expectedOut,
    minOut: minOut(expectedOut, order.slippageBps),
    priceImpactPct: priceImpactPct(summary.amountInUsd, summary.amountOutUsd),
    ...statedGas(summary.gas, CALLDATA_BYTES),
    details: {
      routerAddress: KYBERSWAP_ROUTER,
      stated: {
        exchanges: statedWords(summary.route.flat().map(({ exchange }) => exchange)),
        gas: statedInteger(summary.gas),
        gasUsd: statedDecimal(summary.gasUsd),
      },
    },
    raw: memberText(body, ['data', 'routeSummary'])!,
  }
}

function readBuilt(order: BuildOrder, status: number, body: Buffer): KyberswapBuild | null {
  const build = status === 200 ? readBuild(body) : null
  if (build === null) return readRefusal(status, body)
  const { data } = build.value
  return BigInt(data.amountIn) === order.amountIn ? data : null
}

/** @returns null if the body is not a refusal either */
function readRefusal(status: number, body: Buffer): null {
  const code = readCode(status, body)
  if (code !== null) throw refusal(code, status)
  return null
}

/** The client can correct what is listed; every other code is the provider's failure or the gateway's. */
const refusal = (code: number, status: number): GatewayError | RequestFailed =>
  refusalOf(LABEL, String(code)) ?? notBuilt(LABEL, 'KyberSwap', status)

/** `amountOut` is what the route gives now; the calldata's minimum is computed from it. */
type KyberswapBuild = Static<typeof Build>['data']

/** Whether the minimum that follows from the build's figures is at least the quote's. */
function isKept({ amountOut }: KyberswapBuild, { slippageBps }: BuildOrder, offer: Offer): boolean {
  return amountOut === undefined || minOut(BigInt(amountOut), slippageBps) >= offer.minOut
}

function material(order: BuildOrder, built: KyberswapBuild): Material {
  const { data, routerAddress: to, transactionValue: value, amountOut } = built
  const approval = approvalFor(order, to)
  return { kind: 'evm', to, data, value, approval, ...(amountOut && { expectedOut: amountOut }) }
}

/** The code in a refusal's body; the HTTP status does not matter. @returns null if there is none */
function readCode(status: number, body: Buffer): number | null {
  const refusal = readRefusalBody(body)
  if (refusal === null) return null
  const { code, path } = refusal.value
  if (code !== undefined) return code
  return status === 404 && path !== undefined ? UNKNOWN_CHAIN : null
}

/** The amounts and receivers of fees are lists, separated by commas. */
function hasFee(fee: { readonly feeAmount: string; readonly feeReceiver: string } | undefined): boolean {
  return fee !== undefined && (!/^0?$/.test(fee.feeAmount) || fee.feeReceiver !== '')
}
