/**
 * Aftermath, the second opinion on Sui: its router's best route. It is used for
 * quotes only, because its transactions need Sui's SDK and a node.
 *
 * Integers are text with the suffix `n`, as its SDK writes a BigInt; plain digits
 * are accepted, too.
 *
 * Source: github.com/AftermathFinance/aftermath-ts-sdk
 */
import { Type } from 'typebox'
import type { Order, Token } from '../../proof/terms/order.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { answerReader } from '../answer.ts'
import type { Offer, SwapProvider } from '../provider.ts'
import { proseReader } from './prose.ts'
import { offered, secondOpinion } from './second-opinion.ts'
import { statedWord } from './stated.ts'

const LABEL = 'aftermath'
const NATIVE = '0x2::sui::SUI'

const Coin = Type.Object({
  type: Type.String(),
  amount: Type.String({ pattern: '^[0-9]{1,20}n?$' }),
})

const TradeRoute = Type.Object({
  routes: Type.Array(Type.Object({ paths: Type.Array(Type.Object({ protocolName: Type.String() })) })),
  coinIn: Coin,
  coinOut: Coin,
})

const readTradeRoute = answerReader(TradeRoute)

type ParsedRoute = NonNullable<ReturnType<typeof readTradeRoute>>

export function aftermath({ upstream }: { readonly upstream: Upstream }): SwapProvider {
  return {
    ...secondOpinion('Aftermath'),
    label: LABEL,
    chains: new Set(['sui']),

    async quote(order, options) {
      const request = {
        method: 'POST',
        path: '/api/router/trade-route',
        body: JSON.stringify({
          coinInType: typeOf(order.tokenIn),
          coinOutType: typeOf(order.tokenOut),
          coinInAmount: `${order.amountIn}n`,
        }),
        resend: true,
        read: proseReader(LABEL, readTradeRoute),
      } as const
      return offerOf(order, await upstream.ask(request, options))
    },
  }
}

function offerOf(order: Order, { value, text }: ParsedRoute): Offer {
  if (value.routes.length === 0) {
    const message = 'No route was found for this pair and amount. Try another amount or token.'
    throw new GatewayError('no_route', message, { provider: LABEL })
  }
  const answered = {
    tokenIn: value.coinIn.type,
    tokenOut: value.coinOut.type,
    amountIn: unitsOf(value.coinIn.amount),
    expectedOut: unitsOf(value.coinOut.amount),
  }
  return {
    ...offered(order, answered, LABEL),
    // Aftermath does not document the direction of its spot price.
    priceImpactPct: null,
    details: {
      stated: {
        protocols: value.routes.map(({ paths }) => paths.map(({ protocolName }) => statedWord(protocolName))),
      },
    },
    raw: text,
  }
}

const typeOf = (token: Token): string => (token.isNative ? NATIVE : token.address)

const unitsOf = (text: string): bigint => BigInt(text.endsWith('n') ? text.slice(0, -1) : text)
