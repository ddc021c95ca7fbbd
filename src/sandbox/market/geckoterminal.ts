/**
 * The sandbox's GeckoTerminal: pools from the market, with candles and trades derived
 * from its past prices. As in the real API numbers are strings, and missing facts are
 * `unknown` or null.
 *
 * Source: CoinGecko's OpenAPI document of its API, the paths below /onchain ·
 * JSON:API 1.1 (errors)
 */
import { findChain, findListed } from '../../chains/find.ts'
import type { ProviderReply, ProviderRequest, ProviderServer } from '../provider-server.ts'
import type { World } from '../world.ts'
import { tradedIn, tradesOf } from './activity.ts'
import { candlesOf, shownTrade, spelled } from './geckoterminal-charts.ts'
import type { Market } from './market.ts'
import type { Prices } from './prices.ts'
import {
  changesOf,
  factsOf,
  mapped,
  pairsOf,
  type SandboxPair,
  topTenPct,
  tradedAs,
  WINDOWS,
} from './research.ts'
import { isCase, type MarketToken } from './tokens.ts'

const PAGE = 20
const MAX_TRADES = 300
const DEFAULT_CANDLES = 100
const MAX_CANDLES = 1_000

const SECONDS: Readonly<Record<string, { readonly unit: number; readonly aggregates: readonly number[] }>> = {
  day: { unit: 86_400, aggregates: [1] },
  hour: { unit: 3_600, aggregates: [1, 4, 12] },
  minute: { unit: 60, aggregates: [1, 5, 15] },
}

export function geckoterminal({ market }: Pick<World, 'market'>): ProviderServer {
  return {
    name: 'geckoterminal',
    prices: new Set(['base_token_price_usd', 'quote_token_price_usd']),
    rateLimited: () => ({
      status: 429,
      body: { status: { error_code: 429, error_message: "You've exceeded the Rate Limit." } },
    }),
    handle(request) {
      const [, network, kind, rest = ''] = PATH.exec(request.path) ?? []
      const chain = findListed('geckoterminal', network ?? '')?.key
      if (request.method !== 'GET' || chain === undefined) return notFound
      const prices = market.at(request.now)
      const [id = '', what, timeframe = ''] = rest.split('/').slice(1)
      const address = decodeURIComponent(id)
      if (kind === 'trending_pools') return poolList(request, market, prices, trending(market, prices, chain))
      if (kind === 'new_pools') return poolList(request, market, prices, newest(market, prices, chain))
      if (kind === 'tokens') {
        const token = market.find(chain, address)
        if (token === null) return notFound
        if (what === 'pools') return poolList(request, market, prices, pairsOf(prices, token))
        return what === 'info' ? info(token, request.now) : notFound
      }
      const pair = allPairs(market, prices, chain).find(
        (one) => addressOf(one) === addressOf({ ...one, address }),
      )
      if (pair === undefined) return notFound
      if (what === 'trades') return trades(market, request, pair)
      return what === 'ohlcv' ? candles(market, request, pair, timeframe) : notFound
    },
  }
}

const PATH = /^\/networks\/([^/]+)\/(trending_pools|new_pools|tokens|pools)((?:\/[^/]+)*)$/

const failure = (status: number, title: string): ProviderReply => ({
  status,
  body: { errors: [{ status: String(status), title }] },
})
const notFound = failure(404, 'Not Found')

/** The pairs that its lists rank. */
function ranked(market: Market, prices: Prices, chain: string): readonly SandboxPair[] {
  return allPairs(market, prices, chain).filter(({ base, quote }) => !isCase(base) && !isCase(quote))
}

function allPairs(market: Market, prices: Prices, chain: string): readonly SandboxPair[] {
  const pairs = market.tokens(chain).flatMap((token) => pairsOf(prices, token))
  return [...new Map(pairs.map((pair) => [pair.address, pair])).values()]
}

/** Most traded first for its depth. */
function trending(market: Market, prices: Prices, chain: string): readonly SandboxPair[] {
  return ranked(market, prices, chain).toSorted((a, b) => b.turnover - a.turnover)
}

function newest(market: Market, prices: Prices, chain: string): readonly SandboxPair[] {
  return ranked(market, prices, chain).toSorted((a, b) => b.createdAt - a.createdAt)
}

function poolList(
  { query }: ProviderRequest,
  market: Market,
  prices: Prices,
  pairs: readonly SandboxPair[],
): ProviderReply {
  const page = Number(query.get('page') ?? 1)
  const shown = pairs.slice((page - 1) * PAGE, page * PAGE)
  const include = (query.get('include') ?? '').split(',')
  const tokens = shown.flatMap(({ base, quote }) => [
    ...(include.includes('base_token') ? [base] : []),
    ...(include.includes('quote_token') ? [quote] : []),
  ])
  const venues = include.includes('dex') ? shown.map(({ venue }) => venue) : []
  const included = [
    ...[...new Set(tokens)].map((token) => ({
      id: idOf(token),
      type: 'token',
      attributes: described(token),
    })),
    ...[...new Set(venues)].map((venue) => ({ id: venue, type: 'dex', attributes: { name: venue } })),
  ]
  const data = shown.map((pair) => poolOf(pair, prices, market))
  return { status: 200, body: included.length === 0 ? { data } : { data, included } }
}

/** The site's windows, in hours. */
const GECKO_WINDOWS = { ...WINDOWS, m15: 1 / 4, m30: 1 / 2 } as const

function poolOf(pair: SandboxPair, prices: Prices, market: Market) {
  const { base, quote, venue, createdAt, liquidityUsd } = pair
  const [basePrice, quotePrice] = [Number(prices.usd(base)), Number(prices.usd(quote))]
  const nativePrice = Number(prices.usd(market.native(base.chain)))
  const traded = tradedIn(market, pair, prices.at, GECKO_WINDOWS)
  const name = `${base.symbol} / ${quote.symbol}`
  return {
    id: `${networkOf(base.chain)}_${addressOf(pair)}`,
    type: 'pool',
    attributes: {
      base_token_price_usd: prices.usd(base),
      base_token_price_native_currency: dotted(basePrice / nativePrice),
      quote_token_price_usd: prices.usd(quote),
      quote_token_price_native_currency: dotted(quotePrice / nativePrice),
      base_token_price_quote_token: dotted(basePrice / quotePrice),
      quote_token_price_base_token: dotted(quotePrice / basePrice),
      address: addressOf(pair),
      name: `${name} 0.3%`,
      pool_name: name,
      pool_fee_percentage: '0.3',
      pool_created_at: isoTime(createdAt),
      fdv_usd: dotted((Number(factsOf(base, prices.at).supply) / 10 ** base.decimals) * basePrice),
      // Only for tokens that have been reviewed.
      market_cap_usd: null,
      price_change_percentage: mapped(changesOf(prices, pair, GECKO_WINDOWS), dotted),
      transactions: mapped(traded, ({ volume: _, ...counts }) => counts),
      volume_usd: mapped(traded, ({ volume }) => dotted(volume)),
      reserve_in_usd: liquidityUsd,
      locked_liquidity_percentage: '0.0',
    },
    relationships: {
      base_token: { data: { id: idOf(base), type: 'token' } },
      quote_token: { data: { id: idOf(quote), type: 'token' } },
      dex: { data: { id: venue, type: 'dex' } },
    },
  }
}

function described(token: MarketToken) {
  const { name, symbol, decimals } = tradedAs(token)
  return {
    address: spelled(token),
    name,
    symbol,
    decimals,
    image_url: 'missing.png',
    coingecko_coin_id: null,
  }
}

function info(token: MarketToken, now: number): ProviderReply {
  const facts = factsOf(token, now)
  const isSolana = token.chain === 'solana'
  const authority = (holder: string | null) => (isSolana ? (holder === null ? 'no' : 'yes') : null)
  const image = `https://coin-images.coingecko.com/coins/images/1/large/${encodeURIComponent(token.address)}.png`
  const attributes = {
    ...described(token),
    image_url: image,
    image: { thumb: image, small: image, large: image },
    banner_image_url: null,
    websites: [facts.website],
    discord_url: null,
    farcaster_url: null,
    zora_url: null,
    telegram_handle: facts.telegram,
    twitter_handle: facts.twitter,
    description: facts.description,
    gt_score: 61.2,
    gt_score_details: { pool: 75.0, transaction: 50.0, creation: 60.0, info: 40.0, holders: 81.0 },
    gt_verified: false,
    categories: [],
    gt_category_ids: [],
    holders: {
      count: facts.holderCount,
      distribution_percentage: {
        top_10: String(topTenPct(facts)),
        rest: (100 - topTenPct(facts)).toFixed(2),
      },
      last_updated: isoTime(now),
    },
    mint_authority: authority(facts.mintAuthority),
    freeze_authority: authority(facts.freezeAuthority),
    is_honeypot: isSolana ? 'unknown' : facts.isHoneypot,
    developer_address: facts.creator,
    developer_holding_percentage: '0.0',
  }
  return { status: 200, body: { data: { id: idOf(token), type: 'token', attributes } } }
}

function trades(market: Market, request: ProviderRequest, pair: SandboxPair): ProviderReply {
  const isInverted = isQuote(request, pair)
  const least = Number(request.query.get('trade_volume_in_usd_greater_than') ?? 0)
  const list = tradesOf(market, pair, request.now, MAX_TRADES / 2).filter(({ worth }) => worth > least)
  return { status: 200, body: { data: list.map((trade) => shownTrade(market, pair, trade, isInverted)) } }
}

function candles(
  market: Market,
  request: ProviderRequest,
  pair: SandboxPair,
  timeframe: string,
): ProviderReply {
  const { query, now } = request
  const scale = SECONDS[timeframe]
  const aggregate = Number(query.get('aggregate') ?? 1)
  const limit = Number(query.get('limit') ?? DEFAULT_CANDLES)
  if (scale === undefined || !scale.aggregates.includes(aggregate)) return failure(400, 'Invalid timeframe')
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_CANDLES) return failure(400, 'Invalid limit')
  const token = isQuote(request, pair) ? pair.quote : pair.base
  const before = Math.min(now, Number(query.get('before_timestamp') ?? Infinity) * 1_000)
  const intervalMs = scale.unit * aggregate * 1_000
  const ohlcv_list = candlesOf(market, pair, token, { before, intervalMs, limit })
  const meta = (side: MarketToken) => ({
    name: side.name,
    symbol: side.symbol,
    coingecko_coin_id: null,
    address: spelled(side),
  })
  return {
    status: 200,
    body: {
      data: { id: pair.address, type: 'ohlcv_request_response', attributes: { ohlcv_list } },
      meta: { base: meta(pair.base), quote: meta(pair.quote) },
    },
  }
}

/** Whether the request is for the pair's quote token. */
function isQuote({ query }: ProviderRequest, { quote }: SandboxPair): boolean {
  const token = query.get('token') ?? 'base'
  return token === 'quote' || token.toLowerCase() === spelled(quote).toLowerCase()
}

/** The site spells addresses of EVM chains in lower case. */
const addressOf = ({ base, address }: Pick<SandboxPair, 'base' | 'address'>): string =>
  findChain(base.chain)!.family === 'evm' ? address.toLowerCase() : address

/** With a point, and without an exponent. */
const dotted = (value: number): string => value.toFixed(20).replace(/(\.\d+?)0+$/, '$1')

const networkOf = (chain: string): string => findChain(chain)!.listedAs.geckoterminal ?? chain
const idOf = (token: MarketToken): string => `${networkOf(token.chain)}_${spelled(token)}`
const isoTime = (ms: number): string =>
  new Date(Math.floor(ms / 1_000) * 1_000).toISOString().replace('.000', '')
