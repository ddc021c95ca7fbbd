/**
 * The sandbox's DexScreener: pairs from the market, and lists of promoted tokens: the odd
 * ones, and memes with little in their pools. Like the real one it answers 200 with an empty list for unknown
 * tokens. A call for many tokens has one pair for each, the busiest rather than the
 * deepest; a call for one token has up to thirty pairs, with the token on either side.
 *
 * Source: docs.dexscreener.com/api/reference
 */
import { CHAINS } from '../../chains/chains.ts'
import { findChain, findListed } from '../../chains/find.ts'
import type { ProviderReply, ProviderRequest, ProviderServer } from '../provider-server.ts'
import type { World } from '../world.ts'
import { tradedIn } from './activity.ts'
import type { Market } from './market.ts'
import type { Prices } from './prices.ts'
import { changesOf, factsOf, mapped, pairsOf, type SandboxPair, tradedAs } from './research.ts'
import { LISTINGS, type MarketToken, PRICES } from './tokens.ts'

const MAX_TOKENS = 30
const MAX_PAIRS = 30
const MAX_LISTED = 30
/** Memes with less than this on each side of their pool are promoted. */
const PROMOTED_BELOW_USD = 100_000

const IMAGES = 'https://cdn.dexscreener.com/cms/images'

const LISTS: Readonly<Record<string, (token: MarketToken, place: number) => object>> = {
  '/token-boosts/top/v1': boost,
  '/token-boosts/latest/v1': boost,
  '/token-profiles/latest/v1': (token) => ({ ...attention(token), icon: `${IMAGES}/${token.address}` }),
}

export function dexscreener({ market }: Pick<World, 'market'>): ProviderServer {
  return {
    name: 'dexscreener',
    prices: new Set(['priceUsd']),
    rateLimited: () => ({ status: 429, body: { error: 'Too Many Requests' } }),
    handle(request) {
      if (request.method !== 'GET') return notFound
      const listed = LISTS[request.path]
      if (listed !== undefined) return { status: 200, body: attended(market, request).map(listed) }
      if (request.path === '/latest/dex/search') return search(market, request)
      const [, call, chainId = '', addresses = ''] = TOKENS.exec(request.path) ?? []
      if (addresses === '') return notFound
      const asked = decodeURIComponent(addresses).split(',')
      if (asked.length > (call === 'tokens' ? MAX_TOKENS : 1)) return tooMany
      return pairs(market, request, chainId, asked, call === 'tokens' ? busiest : all)
    },
  }
}

const TOKENS = /^\/(tokens|token-pairs)\/v1\/([^/]+)\/([^/]+)$/
const tooMany: ProviderReply = { status: 400, body: { error: 'Too many token addresses' } }
const notFound: ProviderReply = { status: 404, body: { error: 'Not Found' } }

function pairs(
  market: Market,
  { now }: ProviderRequest,
  chainId: string,
  addresses: readonly string[],
  pick: (pairs: readonly SandboxPair[], token: MarketToken) => readonly SandboxPair[],
): ProviderReply {
  const prices = market.at(now)
  const chain = findListed('dexscreener', chainId)
  const tokens = addresses.flatMap((address) => (chain && market.find(chain.key, address)) ?? [])
  const found = tokens.flatMap((token) => pick(pairsOf(prices, token), token))
  const distinct = [...new Map(found.map((pair) => [pair.address, pair])).values()]
  return { status: 200, body: distinct.slice(0, MAX_PAIRS).map((pair) => shown(pair, prices, market)) }
}

/**
 * Its own pick of a token's pairs, by volume; if the token is no pair's base, one in which it is the quote.
 */
function busiest(pairs: readonly SandboxPair[], token: MarketToken): readonly SandboxPair[] {
  const { address } = tradedAs(token)
  const asBase = pairs.filter(({ base }) => tradedAs(base).address === address)
  const candidates = asBase.length === 0 ? pairs : asBase
  const dailyUsd = ({ turnover, usualUsd }: SandboxPair) => turnover * usualUsd
  return candidates.toSorted((a, b) => dailyUsd(b) - dailyUsd(a)).slice(0, 1)
}

const all = (pairs: readonly SandboxPair[]): readonly SandboxPair[] => pairs

/** By address or symbol, on every chain. */
function search(market: Market, { query, now }: ProviderRequest): ProviderReply {
  const text = query.get('q') ?? ''
  const prices = market.at(now)
  const tokens = CHAINS.flatMap(({ key }) => {
    const known = market.find(key, text)
    return known === null ? market.tokens(key).filter(({ symbol }) => symbol === text) : [known]
  })
  const found = new Map(tokens.flatMap((token) => pairsOf(prices, token)).map((pair) => [pair.address, pair]))
  const pairs = [...found.values()].slice(0, MAX_PAIRS).map((pair) => shown(pair, prices, market))
  return { status: 200, body: { schemaVersion: '1.0.0', pairs } }
}

function shown(pair: SandboxPair, prices: Prices, market: Market) {
  const { base, quote, address, venue, createdAt } = pair
  const traded = tradedIn(market, pair, prices.at)
  const { supply, website, twitter, telegram } = factsOf(base, prices.at)
  const price = Number(prices.usd(base))
  const worth = Math.round((Number(supply) / 10 ** base.decimals) * price)
  const side = (token: MarketToken) => {
    const { address, name, symbol } = tradedAs(token)
    return { address, name, symbol }
  }
  return {
    chainId: idOf(base.chain),
    dexId: venue.toLowerCase(),
    url: `https://dexscreener.com/${idOf(base.chain)}/${address.toLowerCase()}`,
    pairAddress: address,
    baseToken: side(base),
    quoteToken: side(quote),
    priceNative: String(price / Number(prices.usd(quote))),
    priceUsd: prices.usd(base),
    txns: mapped(traded, ({ buys, sells }) => ({ buys, sells })),
    volume: mapped(traded, ({ volume }) => volume),
    priceChange: changesOf(prices, pair),
    liquidity: {
      usd: Number(pair.liquidityUsd),
      base: Number(pair.baseReserve) / 10 ** base.decimals,
      quote: Number(pair.quoteReserve) / 10 ** quote.decimals,
    },
    fdv: worth,
    marketCap: worth,
    pairCreatedAt: createdAt,
    info: {
      imageUrl: `${IMAGES}/${tradedAs(base).address}`,
      websites: [{ label: 'Website', url: website }],
      socials: [
        { type: 'twitter', url: `https://x.com/${twitter}` },
        { type: 'telegram', url: `https://t.me/${telegram}` },
      ],
    },
  }
}

/**
 * The odd tokens, the youngest first, then memes. One of them is on an unknown chain. The gateway checks
 * tokens for risks in the order of its lists, a few at a time: further down, these would be checked only
 * after minutes.
 */
function attended(market: Market, { now }: ProviderRequest): readonly MarketToken[] {
  const tokens = CHAINS.flatMap(({ key }) => market.tokens(key))
  const paying = tokens.filter(({ trait }) => trait !== null && trait !== 'quote-only')
  const youngest = paying.sort((a, b) => factsOf(b, now).createdAt - factsOf(a, now).createdAt)
  return [...youngest, ...MEMES, { ...youngest[0]!, chain: 'atlantis' }].slice(0, MAX_LISTED)
}

const MEMES = LISTINGS.filter(
  ({ token, depthUsd }) => PRICES[token.asset]!.kind === 'meme' && depthUsd < PROMOTED_BELOW_USD,
).map(({ token }) => token)

function boost(token: MarketToken, place: number) {
  const amount = 500 - 10 * place
  return { ...attention(token), icon: 'Wm8x0rjYxAr', amount, totalAmount: 2 * amount }
}

function attention(token: MarketToken) {
  const chainId = idOf(token.chain)
  return {
    url: `https://dexscreener.com/${chainId}/${token.address.toLowerCase()}`,
    chainId,
    tokenAddress: token.address,
    header: `${IMAGES}/header`,
    description: `${token.name} is a token of the sandbox's market.`,
    links: [{ label: 'Website', url: 'https://sandbox.example/' }],
  }
}

const idOf = (chain: string): string => findChain(chain)?.listedAs.dexscreener ?? chain
