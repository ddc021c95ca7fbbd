/**
 * Velora's (ParaSwap's) Market API, version 6.2 of its contracts: prices by GET, calldata by POST. The price
 * route goes back byte for byte, because it is signed.
 *
 * The provider's own guards against bad prices are off: they refuse every token whose price in dollars it
 * does not know. The quote shows the impact instead. Its checks of balance and allowance are off too, so that
 * a wallet can review a swap before it approves the token. The API refuses that for routes through makers'
 * orders, so these are excluded from the start.
 *
 * No partner is named, because one has a fee of its own. Velora then takes its default fee of the output,
 * which the price route states in percent as `partnerFee`. `destAmount` is before the fee, and so is a
 * minimum by `slippage`, so the gateway sends the minimum as an amount, high enough that the quote's minimum
 * is left after the fee. Of an exact output (`BUY`) the fee is taken from the input, in addition to `srcAmount`.
 *
 * Source: §4.5, §4.6 · VeloraDEX/paraswap-sdk · developers.velora.xyz
 */

import { type Static, Type } from 'typebox'
import { maxIn, minOut } from '../../chains/amount.ts'
import { namesAt } from '../../chains/find.ts'
import { memberText } from '../../chains/json/member.ts'
import type { Call } from '../../flow/call.ts'
import { approvalFor } from '../../proof/evm/approval.ts'
import { proveEvm, same } from '../../proof/evm/evm.ts'
import { VELORA_ROUTER, veloraRules } from '../../proof/evm/rules.ts'
import { grossOfVelora, netOfVelora, VELORA_PARTNER, veloraFee } from '../../proof/evm/velora-fee.ts'
import { MAX_VELORA_FEE_BPS } from '../../proof/terms/fees.ts'
import type { Material } from '../../proof/terms/material.ts'
import { type BuildOrder, type OrderTerms, receiverOf } from '../../proof/terms/order.ts'
import { CLOCK } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { Amount, answerReader } from '../answer.ts'
import { DEADLINE_SECONDS, FRESH_MS, type Offer, type SwapProvider } from '../provider.ts'
import { notBuilt, throwIf } from '../refusals.ts'
import { type AdapterOptions, getAny, post } from '../requests.ts'
import { meaningOf } from './prose.ts'
import { priceImpactPct, statedDecimal, statedGas, statedInteger, statedWords } from './stated.ts'
import excluded from './velora-excluded.json' with { type: 'json' }

const LABEL = 'velora'
/** Velora's numbers of networks, by chain key. */
const NETWORKS = namesAt('velora')
/** Real calls have 390 to 930 bytes. */
const CALLDATA_BYTES = 900

const PriceRoute = Type.Object({
  network: Type.Integer(),
  version: Type.Literal('6.2'),
  side: Type.Union([Type.Literal('SELL'), Type.Literal('BUY')]),
  srcToken: Type.String(),
  srcAmount: Amount,
  destToken: Type.String(),
  destAmount: Amount,
  srcUSD: Type.String(),
  destUSD: Type.String(),
  /** Percent. */
  partnerFee: Type.Optional(Type.Number()),
  gasCost: Type.String(),
  gasCostUSD: Type.String(),
  contractAddress: Type.String(),
  tokenTransferProxy: Type.String(),
  bestRoute: Type.Array(
    Type.Object({
      swaps: Type.Array(Type.Object({ swapExchanges: Type.Array(Type.Object({ exchange: Type.String() })) })),
    }),
  ),
})
type PriceRoute = Static<typeof PriceRoute>

// A route may come with an `error`: its loss is above what the provider's guard allows.
const readPrices = answerReader(Type.Object({ priceRoute: PriceRoute }))
const readPriceRoute = answerReader(PriceRoute)
const readTransaction = answerReader(
  Type.Object({
    from: Type.String(),
    to: Type.String(),
    value: Amount,
    data: Type.String(),
    chainId: Type.Integer(),
  }),
)
const readRefusal = answerReader(Type.Object({ error: Type.String() }))

/** The side whose amount is exact, and the amount: of the output, with the unit that stays in the router. */
interface Asked {
  readonly side: PriceRoute['side']
  readonly amount: bigint
}

export function velora({ upstream, clock = CLOCK }: AdapterOptions): SwapProvider {
  function ask(order: OrderTerms, asked: Asked, call: Call): Promise<Offer> {
    const path = `/prices?${pricesQuery(order, asked)}`
    const read = (status: number, body: Buffer) => readOffer(order, asked, body) ?? readNoOffer(status, body)
    return upstream.ask(getAny(path, read), call)
  }
  return {
    label: LABEL,
    freshMs: FRESH_MS,
    chains: new Set(NETWORKS.keys()),
    paysOthers: true,

    quote: (order, call) => ask(order, { side: 'SELL', amount: order.amountIn }, call),
    quoteOutput: (order, call) =>
      ask(order, { side: 'BUY', amount: grossOfVelora(order.amountOut, 0) }, call),

    async build(order, offer, options) {
      const route = readPriceRoute(Buffer.from(offer.raw))!.value
      const { tokenTransferProxy: spender } = route
      const least = grossOfVelora(offer.minOut, route.side === 'BUY' ? 0 : (feeBpsOf(route) ?? 0))
      const deadline = Math.floor(clock.date() / 1_000) + DEADLINE_SECONDS
      const path = `/transactions/${NETWORKS.get(order.chain.key)!}?ignoreChecks=true`
      const body = transactionBody(order, offer.raw, least, deadline)
      const request = post<Material>(path, body, (status, reply) => {
        const answer = status === 200 ? readTransaction(reply) : null
        if (answer !== null) {
          const { from, to, value, data, chainId } = answer.value
          return { kind: 'evm', to, data, value, approval: approvalFor(order, spender), from, chainId }
        }
        if (readRefusal(reply) === null) return null
        throw notBuilt(LABEL, 'Velora', status)
      })
      return upstream.ask(request, options)
    },

    prove(order, { expectedOut, minOut, raw }, material) {
      const route = readPriceRoute(Buffer.from(raw))
      const feeBps = (route && feeBpsOf(route.value)) ?? 0
      return proveEvm(material, { order, expectedOut, minOut, feeBps, date: clock.date() }, veloraRules)
    },
  }
}

function pricesQuery({ chain, tokenIn, tokenOut, from }: OrderTerms, { side, amount }: Asked) {
  return new URLSearchParams({
    srcToken: tokenIn.address,
    srcDecimals: String(tokenIn.decimals),
    destToken: tokenOut.address,
    destDecimals: String(tokenOut.decimals),
    amount: String(amount),
    side,
    network: NETWORKS.get(chain.key)!,
    version: '6.2',
    maxImpact: '100',
    ignoreBadUsdPrice: 'true',
    // Functions of the router that the proof does not read: most have their tokens in a part without a known layout.
    excludeContractMethods: excluded.unreadable[side].join(),
    // Makers' orders, with which the API builds nothing for a call without checks.
    excludeDEXS: excluded.makersOrders.join(),
    excludeRFQ: 'true',
    ...(from !== null && { userAddress: from }),
  })
}

/** @param least  of the output before the fee, in base units */
function transactionBody(order: BuildOrder, priceRoute: string, least: bigint, deadline: number): string {
  const { tokenIn, tokenOut, amountIn, from } = order
  const rest = JSON.stringify({
    srcToken: tokenIn.address,
    srcDecimals: tokenIn.decimals,
    destToken: tokenOut.address,
    destDecimals: tokenOut.decimals,
    srcAmount: String(amountIn),
    destAmount: String(least),
    userAddress: from,
    receiver: receiverOf(order),
    deadline,
  })
  return `{"priceRoute":${priceRoute},${rest.slice(1)}`
}

function readOffer(order: OrderTerms, asked: Asked, body: Buffer): Offer | null {
  const answer = readPrices(body)
  if (answer === null || !isFor(order, asked, answer.value.priceRoute)) return null
  const route = answer.value.priceRoute
  const feeBps = feeBpsOf(route)
  if (feeBps === null) return null
  const swaps = route.bestRoute.flatMap((part) => part.swaps)
  const exchanges = swaps.flatMap((swap) => swap.swapExchanges.map(({ exchange }) => exchange))
  return {
    ...amountsOf(order, route, feeBps),
    priceImpactPct: priceImpactPct(route.srcUSD, route.destUSD),
    ...statedGas(route.gasCost, CALLDATA_BYTES),
    details: {
      routerAddress: VELORA_ROUTER,
      fees: feesOf(order, route, feeBps),
      stated: {
        exchanges: statedWords(exchanges),
        gas: statedInteger(route.gasCost),
        gasUsd: statedDecimal(route.gasCostUSD),
      },
    },
    raw: memberText(body, ['priceRoute'])!,
  }
}

/** @throws GatewayError  amount_too_small */
function amountsOf({ slippageBps }: OrderTerms, { side, srcAmount, destAmount }: PriceRoute, feeBps: number) {
  const expectedOut = netOfVelora(BigInt(destAmount), side === 'BUY' ? 0 : feeBps)
  if (expectedOut <= 0n) {
    const message = "The amount buys no more than Velora's fee. Try a larger one."
    throw new GatewayError('amount_too_small', message, { provider: LABEL })
  }
  if (side === 'SELL') return { expectedOut, minOut: minOut(expectedOut, slippageBps) }
  const amountIn = BigInt(srcAmount) + veloraFee(BigInt(srcAmount), feeBps)
  return { expectedOut, minOut: expectedOut, takes: { amountIn, maxIn: maxIn(amountIn, slippageBps) } }
}

/** @returns the fee in bps; null if it is above its bound, or the router cannot take it */
function feeBpsOf({ partnerFee = 0 }: PriceRoute): number | null {
  const bps = Math.round(partnerFee * 100)
  const isWhole = Math.abs(partnerFee * 100 - bps) < 1e-9
  return isWhole && bps >= 0 && bps <= MAX_VELORA_FEE_BPS ? bps : null
}

function feesOf({ tokenIn, tokenOut }: OrderTerms, { side, srcAmount, destAmount }: PriceRoute, bps: number) {
  if (bps === 0) return []
  const [{ address: token }, paid] = side === 'BUY' ? [tokenIn, srcAmount] : [tokenOut, destAmount]
  return [
    {
      bps,
      amount: String(veloraFee(BigInt(paid), bps)),
      token,
      recipient: VELORA_PARTNER,
      whose: 'velora',
    },
  ]
}

function isFor({ chain, tokenIn, tokenOut }: OrderTerms, { side, amount }: Asked, route: PriceRoute) {
  const [exact, other] =
    side === 'BUY' ? [route.destAmount, route.srcAmount] : [route.srcAmount, route.destAmount]
  return (
    route.side === side &&
    route.network === chain.chainId &&
    same(route.srcToken, tokenIn.address) &&
    same(route.destToken, tokenOut.address) &&
    BigInt(exact) === amount &&
    same(route.contractAddress, VELORA_ROUTER) &&
    same(route.tokenTransferProxy, VELORA_ROUTER) &&
    BigInt(other) > 0n
  )
}

/** @returns null for a body whose meaning is not known */
function readNoOffer(status: number, body: Buffer): null {
  const text = status === 200 ? null : readRefusal(body)
  return text && throwIf(meaningOf(text.value.error, 'velora', LABEL))
}
