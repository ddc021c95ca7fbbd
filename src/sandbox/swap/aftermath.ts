/**
 * The sandbox's Aftermath: its router's trade route, from the market, with
 * integers as text that ends in `n`.
 *
 * Source: AftermathFinance/aftermath-ts-sdk (errors are text; their words are not published)
 */
import type { PoolHop } from '../market/prices.ts'
import type { MarketToken } from '../market/tokens.ts'
import type { ProviderReply, ProviderRequest, ProviderServer } from '../provider-server.ts'
import type { World } from '../world.ts'

const INTEGER = /^([1-9]\d{0,19})n?$/
/** A portion is a fraction of 10^18. */
const WHOLE = '1000000000000000000n'
const HOP_FEE = 0.003

export function aftermath({ market }: Pick<World, 'market'>): ProviderServer {
  function tradeRoute({ body, now }: ProviderRequest): ProviderReply {
    const { coinInType, coinOutType, coinInAmount } = (body ?? {}) as Readonly<Record<string, unknown>>
    const coinIn = typeof coinInType === 'string' ? market.find('sui', coinInType) : null
    const coinOut = typeof coinOutType === 'string' ? market.find('sui', coinOutType) : null
    if (coinIn === null || coinOut === null) return text(400, 'Coin type is not supported')
    const digits = typeof coinInAmount === 'string' ? INTEGER.exec(coinInAmount)?.[1] : undefined
    if (digits === undefined) return text(400, 'coinInAmount must be a positive integer')

    const fill = market.at(now).swap(coinIn, coinOut, BigInt(digits))
    if (fill === null) return text(400, 'No route.')
    const ends = {
      coinIn: coin(coinIn, BigInt(digits), fill.hops[0]!.fee),
      coinOut: coin(coinOut, fill.amountOut, 0n),
      spotPrice: Number(digits) / Number(fill.amountOut),
    }
    return {
      status: 200,
      body: {
        routes: [{ paths: fill.hops.map(path), portion: WHOLE, ...ends }],
        ...ends,
        netTradeFeePercentage: HOP_FEE * fill.hops.length,
      },
    }
  }

  return {
    name: 'aftermath',
    rateLimited: () => ({ ...text(429, 'Too many requests'), headers: { 'retry-after': '10' } }),
    handle(request) {
      if (request.path !== '/api/router/trade-route') return text(404, 'Not Found')
      return request.method === 'POST' ? tradeRoute(request) : text(404, 'No route.')
    },
  }
}

function path({ venue, pool, tokenIn, tokenOut, amountIn, amountOut, fee }: PoolHop) {
  return {
    protocolName: venue,
    poolId: pool,
    poolMetadata: {},
    coinIn: coin(tokenIn, amountIn, fee),
    coinOut: coin(tokenOut, amountOut, 0n),
    spotPrice: Number(amountIn) / Number(amountOut),
  }
}

const coin = ({ address, isNative }: MarketToken, amount: bigint, fee: bigint) => ({
  type: isNative ? '0x2::sui::SUI' : address,
  amount: `${amount}n`,
  tradeFee: `${fee}n`,
})

const text = (status: number, body: string): ProviderReply => ({ status, body })
