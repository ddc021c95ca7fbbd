/**
 * The sandbox's STON.fi: its simulation of a swap, from the market. It knows direct pools only, as the real
 * one does, so the two TON providers differ on a route through a second pool.
 *
 * Source: ston-fi/api (the texts of its errors are not published)
 */
import { formatAmount, minOut } from '../../chains/amount.ts'
import { floorUnits } from '../../chains/json/decimal.ts'
import type { PoolHop, Prices } from '../market/prices.ts'
import type { ProviderReply, ProviderRequest, ProviderServer } from '../provider-server.ts'
import type { World } from '../world.ts'
import { contractAddress } from './ton.ts'

const PPB = 1_000_000_000n
const UNITS = /^[1-9]\d{0,38}$/
const FRACTION = /^(0(\.\d{1,4})?|1)$/

export function stonfi({ market }: Pick<World, 'market'>): ProviderServer {
  function simulate({ query, now }: ProviderRequest): ProviderReply {
    const offer = market.find('ton', query.get('offer_address') ?? '')
    const ask = market.find('ton', query.get('ask_address') ?? '')
    const units = query.get('units') ?? ''
    const slippage = query.get('slippage_tolerance') ?? ''
    if (offer === null || ask === null) return text(400, 'Asset not found')
    if (!UNITS.test(units) || !FRACTION.test(slippage)) return text(400, 'Failed to deserialize query string')

    const prices = market.at(now)
    const hop = prices.direct(offer, ask, BigInt(units))
    if (hop === null) return text(400, 'Could not find pool: not found')
    if (hop.amountOut === 0n) return text(400, 'Offer amount is too small')
    const router = contractAddress('router', hop.pool)
    const bps = Number(floorUnits(slippage, 4))
    return {
      status: 200,
      body: {
        offer_address: query.get('offer_address'),
        ask_address: query.get('ask_address'),
        offer_jetton_wallet: contractAddress('wallet', router, offer.address),
        ask_jetton_wallet: contractAddress('wallet', router, ask.address),
        router_address: router,
        pool_address: hop.pool,
        offer_units: units,
        ask_units: hop.amountOut.toString(),
        min_ask_units: minOut(hop.amountOut, bps).toString(),
        recommended_min_ask_units: minOut(hop.amountOut, 100).toString(),
        recommended_slippage_tolerance: '0.01',
        slippage_tolerance: slippage,
        swap_rate: rate(hop.amountOut, ask.decimals, BigInt(units), offer.decimals),
        price_impact: impact(prices, hop),
        fee_address: contractAddress('fee', router),
        fee_units: hop.fee.toString(),
        fee_percent: '0.003',
        gas_params: {
          gas_budget: '300000000',
          forward_gas: '240000000',
          estimated_gas_consumption: '58400000',
        },
        router: {
          address: router,
          major_version: 2,
          minor_version: 1,
          router_type: 'ConstantProduct',
          pton_master_address: contractAddress('pton'),
          pton_wallet_address: contractAddress('pton', router),
          pton_version: '2.1',
          pool_creation_enabled: true,
        },
      },
    }
  }

  function asset(address: string): ProviderReply {
    const token = market.find('ton', address)
    if (token === null) return text(404, 'Asset not found')
    const { symbol, name: display_name, decimals } = token
    return {
      status: 200,
      body: { asset: { contract_address: token.address, symbol, display_name, decimals, kind: 'Jetton' } },
    }
  }

  return {
    name: 'stonfi',
    rateLimited: () => text(429, 'Too Many Requests'),
    handle(request) {
      if (request.method === 'GET' && request.path.startsWith(ASSETS))
        return asset(request.path.slice(ASSETS.length))
      if (request.path !== '/v1/swap/simulate') return text(404, 'Not Found')
      return request.method === 'POST' ? simulate(request) : text(405, 'Method Not Allowed')
    },
  }
}

const ASSETS = '/v1/assets/'

/**
 * The price impact as a fraction: nine tenths of it show compared with the price of a tenth of the amount.
 */
function impact(prices: Prices, { tokenIn, tokenOut, amountIn, amountOut }: PoolHop): string {
  const tenth = prices.direct(tokenIn, tokenOut, amountIn / 10n)
  if (tenth === null || tenth.amountOut === 0n) return '0'
  const kept = (amountOut * tenth.amountIn * PPB) / (tenth.amountOut * amountIn)
  return formatAmount(kept < PPB ? ((PPB - kept) * 10n) / 9n : 0n, 9)
}

/** Nine digits behind the point. */
function rate(out: bigint, outDecimals: number, paid: bigint, paidDecimals: number): string {
  return formatAmount((out * 10n ** BigInt(9 + paidDecimals)) / (paid * 10n ** BigInt(outDecimals)), 9)
}

const text = (status: number, body: string): ProviderReply => ({ status, body })
