/**
 * DexScreener's pairs, and what a row and a profile show of them.
 *
 * Source: docs.dexscreener.com/api/reference
 */
import { type Static, Type } from 'typebox'
import {
  cleanLink,
  cleanNumber,
  cleanText,
  cleanTime,
  cleanToken,
  cleanTransactionId,
  itemsReader,
  memberOf,
} from './clean.ts'
import { listedAs, ownNames } from './listed-as.ts'
import type { About, Early, MarketRow, TokenId } from './market.ts'

/** Its chain ids, by chain key. */
export const CHAIN_IDS: Readonly<Record<string, string>> = {
  ethereum: 'ethereum',
  bsc: 'bsc',
  base: 'base',
  arbitrum: 'arbitrum',
  optimism: 'optimism',
  polygon: 'polygon',
  avalanche: 'avalanche',
  linea: 'linea',
  mantle: 'mantle',
  sonic: 'sonic',
  unichain: 'unichain',
  berachain: 'berachain',
  hyperevm: 'hyperevm',
  monad: 'monad',
  plasma: 'plasma',
  scroll: 'scroll',
  gnosis: 'gnosischain',
  solana: 'solana',
  sui: 'sui',
  ton: 'ton',
}

const MAX_PAIRS = 500
const MAX_LINKS = 12

/** Where it keeps the images that it has looked at. */
const IMAGE_HOSTS: ReadonlySet<string> = new Set(['cdn.dexscreener.com', 'dd.dexscreener.com'])

const Side = Type.Object({
  address: Type.String(),
  name: Type.Optional(Type.Unknown()),
  symbol: Type.Optional(Type.Unknown()),
})
const Pair = Type.Object({
  chainId: Type.String(),
  pairAddress: Type.String(),
  baseToken: Side,
  quoteToken: Side,
  dexId: Type.Optional(Type.Unknown()),
  priceUsd: Type.Optional(Type.Unknown()),
  volume: Type.Optional(Type.Unknown()),
  liquidity: Type.Optional(Type.Unknown()),
  fdv: Type.Optional(Type.Unknown()),
  marketCap: Type.Optional(Type.Unknown()),
  pairCreatedAt: Type.Optional(Type.Unknown()),
  info: Type.Optional(Type.Unknown()),
})
export type Pair = Static<typeof Pair>

export const readPairs = itemsReader(Pair, MAX_PAIRS)
const readWebsites = itemsReader(Type.Object({ url: Type.String() }), MAX_LINKS)
const readSocials = itemsReader(Type.Object({ type: Type.String(), url: Type.String() }), MAX_LINKS)

/** A pair of our token, with what is compared of it. */
export interface Listed {
  readonly pair: Pair
  readonly isBase: boolean
  /** Zero where it is not told. */
  readonly liquidity: number
}

/** @param token  as the market lists it. @returns pairs on this chain with the token on either side, deepest first */
export function listedPairs(chain: string, token: string, pairs: readonly Pair[]): readonly Listed[] {
  return pairs
    .filter(({ chainId }) => chainId === CHAIN_IDS[chain])
    .flatMap((pair): readonly Listed[] => {
      const isBase = cleanToken(chain, pair.baseToken.address) === token
      if (!isBase && cleanToken(chain, pair.quoteToken.address) !== token) return []
      return [{ pair, isBase, liquidity: cleanNumber(memberOf(pair.liquidity, 'usd')) ?? 0 }]
    })
    .sort((a, b) => b.liquidity - a.liquidity)
}

export function isIn(pairs: readonly Pair[], { chain, address }: TokenId): boolean {
  return listedPairs(chain, listedAs(chain, address), pairs).length > 0
}

/** @returns null where it is the base of no pair: it may be known, and its price is not */
export function rowOf(token: TokenId, pairs: readonly Pair[], askedAt: number): MarketRow | null {
  const listed = listedPairs(token.chain, listedAs(token.chain, token.address), pairs)
  return listed.some(({ isBase }) => isBase) ? rowFrom(token, listed, askedAt) : null
}

export function rowFrom(token: TokenId, listed: readonly Listed[], askedAt: number): MarketRow {
  const asBase = listed.filter(({ isBase }) => isBase)
  const best = asBase[0]?.pair
  const { symbol, name } = ownNames(token) ?? best?.baseToken ?? listed[0]!.pair.quoteToken
  const { chain, address } = token
  return {
    chain,
    address,
    symbol: cleanText(symbol, 32),
    name: cleanText(name, 64),
    price: cleanNumber(best?.priceUsd),
    priceTs: askedAt,
    mcap: cleanNumber(best?.marketCap) ?? cleanNumber(best?.fdv),
    liq: sumOf(asBase.map(({ pair }) => memberOf(pair.liquidity, 'usd'))),
    vol24: sumOf(asBase.map(({ pair }) => memberOf(pair.volume, 'h24'))),
    holders: null,
  }
}

/** @returns null where none of them is told */
function sumOf(values: readonly unknown[]): number | null {
  const numbers = values.map(cleanNumber).filter((value) => value !== null)
  return numbers.length === 0 ? null : cleanNumber(numbers.reduce((sum, value) => sum + value, 0))
}

/** The links are the base token's. */
export function aboutFrom(listed: readonly Listed[]): About {
  const infos = listed.filter(({ isBase }) => isBase).map(({ pair }) => pair.info)
  const info = infos.find((one) => typeof one === 'object' && one !== null)
  const websites = readWebsites(memberOf(info, 'websites')).map(({ url }) => ({ type: 'website', url }))
  const socials = readSocials(memberOf(info, 'socials'))
  return {
    description: null,
    image: cleanLink(memberOf(info, 'imageUrl'), IMAGE_HOSTS),
    links: [...websites, ...socials].flatMap((link) => {
      const [type, url] = [cleanText(link.type, 20), cleanLink(link.url)]
      return type === null || url === null ? [] : [{ type, url }]
    }),
    createdAt: firstOf(listed)?.at ?? null,
    mintAuthority: null,
    freezeAuthority: null,
  }
}

export function earlyFrom(listed: readonly Listed[]): readonly Early[] {
  const first = firstOf(listed)
  const address = cleanTransactionId(first?.pair.pairAddress)
  if (first === null || address === null) return []
  return [{ kind: 'pool', address, venue: cleanText(first.pair.dexId, 40), at: first.at }]
}

/** The oldest pair whose age is told. */
function firstOf(listed: readonly Listed[]): { readonly pair: Pair; readonly at: number } | null {
  const dated = listed.flatMap(({ pair }) => {
    const at = cleanTime(pair.pairCreatedAt)
    return at === null ? [] : [{ pair, at }]
  })
  return dated.sort((a, b) => a.at - b.at)[0] ?? null
}
