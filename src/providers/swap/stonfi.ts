/**
 * STON.fi, the second opinion on TON: its exchange simulates a swap. It is used for
 * quotes only, because its messages would have to be built here, cell by cell.
 *
 * Source: github.com/ston-fi/api
 */
import { Type } from 'typebox'
import { parseAddress, parseToken } from '../../chains/address.ts'
import { formatAmount } from '../../chains/amount.ts'
import type { Order } from '../../proof/terms/order.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { answerReader } from '../answer.ts'
import type { DecimalsSource, Offer, SwapProvider } from '../provider.ts'
import { proseReader } from './prose.ts'
import { offered, secondOpinion } from './second-opinion.ts'

const LABEL = 'stonfi'

const Units = Type.String({ pattern: '^[0-9]{1,39}$' })
const Fraction = Type.String({ pattern: '^-?[0-9]+(\\.[0-9]+)?$', maxLength: 40 })

const Simulation = Type.Object({
  offer_address: Type.String(),
  ask_address: Type.String(),
  offer_units: Units,
  ask_units: Units,
  price_impact: Type.Optional(Fraction),
  pool_address: Type.String(),
  router_address: Type.String(),
})

const readSimulation = answerReader(Simulation)

type ParsedSimulation = NonNullable<ReturnType<typeof readSimulation>>

export function stonfi({ upstream }: { readonly upstream: Upstream }): SwapProvider {
  return {
    ...secondOpinion('STON.fi'),
    label: LABEL,
    chains: new Set(['ton']),

    async quote(order, options) {
      const request = {
        method: 'POST',
        path: `/v1/swap/simulate?${queryOf(order)}`,
        body: null,
        resend: true,
        read: proseReader(LABEL, readSimulation),
      } as const
      return offerOf(order, await upstream.ask(request, options))
    },
  }
}

const Asset = Type.Object({
  asset: Type.Object({
    contract_address: Type.String(),
    decimals: Type.Integer({ minimum: 0, maximum: 255 }),
  }),
})
const readAsset = answerReader(Asset)

/** A jetton's decimals. @throws GatewayError  unknown_token, upstream_* */
export function stonfiDecimals(upstream: Upstream): DecimalsSource {
  return async (chain, address, options) => {
    const path = `/v1/assets/${address}`
    const request = {
      method: 'GET',
      path,
      body: null,
      resend: true,
      read: proseReader(LABEL, readAsset),
    } as const
    const { asset } = (await upstream.ask(request, options)).value
    if (parseToken(chain, asset.contract_address)?.address === address) return asset.decimals
    const message = 'The provider described another token than the one it was asked for. Try again later.'
    throw new GatewayError('upstream_unusable', message, { provider: LABEL, scope: 'provider' })
  }
}

/** STON.fi takes its parameters in the query, although the method is POST. */
function queryOf({ tokenIn, tokenOut, amountIn, slippageBps }: Order): URLSearchParams {
  return new URLSearchParams({
    // The canonical spelling of TON itself is the zero address, which is STON.fi's.
    offer_address: tokenIn.address,
    ask_address: tokenOut.address,
    units: String(amountIn),
    // A fraction: 300 bps are 0.03.
    slippage_tolerance: formatAmount(BigInt(slippageBps), 4),
    dex_v2: 'true',
  })
}

function offerOf(order: Order, { value, text }: ParsedSimulation): Offer {
  const { chain } = order
  const answered = {
    tokenIn: value.offer_address,
    tokenOut: value.ask_address,
    amountIn: BigInt(value.offer_units),
    expectedOut: BigInt(value.ask_units),
  }
  return {
    ...offered(order, answered, LABEL),
    priceImpactPct: value.price_impact === undefined ? null : Number(value.price_impact) * 100,
    details: {
      stated: {
        pool: parseAddress(chain, value.pool_address),
        router: parseAddress(chain, value.router_address),
      },
    },
    raw: text,
  }
}
