/**
 * The sandbox's DefiLlama: prices of the market's tokens, keyed as requested, with less
 * confidence for shallow pools. Unknown coins are left out.
 *
 * Source: api-docs.defillama.com, GET /prices/current/{coins}
 */
import { CHAINS } from '../../chains/chains.ts'
import { findListed } from '../../chains/find.ts'
import type { ProviderServer } from '../provider-server.ts'
import type { World } from '../world.ts'
import type { Market } from './market.ts'
import type { MarketToken } from './tokens.ts'

const PATH = '/prices/current/'
/** Liquidity in dollars from which a price has full confidence. */
const DEEP = 1_000_000
/** The age of its prices. */
const AGE_SECONDS = 40

export function defillama({ market }: Pick<World, 'market'>): ProviderServer {
  return {
    name: 'defillama',
    prices: new Set(['price']),
    rateLimited: () => ({ status: 429, body: { message: 'Too many requests' } }),
    handle({ method, path, now }) {
      if (method !== 'GET' || !path.startsWith(PATH)) return { status: 404, body: { message: 'Not Found' } }
      const names = decodeURIComponent(path.slice(PATH.length)).split(',')
      return {
        status: 200,
        body: { coins: Object.fromEntries(names.flatMap((name) => coin(market, name, now))) },
      }
    },
  }
}

function coin(market: Market, name: string, now: number): [string, unknown][] {
  const [, slug = '', address = ''] = /^([^:]+):(.+)$/.exec(name) ?? []
  const isCoingecko = slug === 'coingecko'
  const token = isCoingecko
    ? nativeOf(market, address)
    : market.find(findListed('defillama', slug)?.key ?? '', address)
  if (token === null) return []
  const prices = market.at(now)
  const liquidity = prices.pools(token).reduce((sum, pool) => sum + Number(pool.liquidityUsd), 0)
  const price = {
    ...(!isCoingecko && { decimals: token.decimals }),
    symbol: token.symbol,
    price: Number(prices.usd(token)),
    timestamp: Math.floor(now / 1_000) - AGE_SECONDS,
    confidence: liquidity >= DEEP ? 0.99 : liquidity > 0 ? 0.5 : 0,
  }
  return [[name, price]]
}

function nativeOf(market: Market, id: string): MarketToken | null {
  const chain = CHAINS.find((one) => one.family !== 'evm' && one.coingeckoId === id)
  return chain === undefined ? null : market.native(chain.key)
}
