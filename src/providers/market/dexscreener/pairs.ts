/**
 * Reads DexScreener's pairs and turns them into rows and parts of profiles.
 *
 * Source: docs.dexscreener.com/api/reference
 */

import { Type } from 'typebox'
import { namesAt } from '../../../chains/find.ts'
import { type Fields, fieldsOf } from '../../../chains/json/fields.ts'
import { changesOfPool } from '../changes.ts'
import * as clean from '../clean.ts'
import { cleanLinks, knownOf } from '../fields.ts'
import { listedAs, ownNames } from '../listed-as.ts'
import type { About, RowExtras, TokenId } from '../market.ts'
import { choose, deepestFirst, oldestOf, type Pool, type PoolSide, sumOf } from '../pools.ts'

/** DexScreener's chain ids, by chain key. */
export const CHAIN_IDS = namesAt('dexscreener')

/** More pairs than any observed answer of DexScreener contained. */
const MAX_PAIRS = 100
const MAX_LINKS = 12

/** Hosts of the images that DexScreener serves itself. */
const IMAGE_HOSTS: ReadonlySet<string> = new Set(['cdn.dexscreener.com', 'dd.dexscreener.com'])

/** A pool, with the information that its base token's author submitted. */
export interface DexscreenerPair extends Pool {
  readonly info: Pick<About, 'image' | 'links'> | null
}

const Token = Type.Object({ address: Type.String() })
const readItems = clean.itemsReader(
  Type.Object({
    chainId: Type.String(),
    pairAddress: Type.String(),
    baseToken: Token,
    quoteToken: Token,
  }),
  MAX_PAIRS,
)
const readWebsites = clean.itemsReader(Type.Object({ url: Type.String() }), MAX_LINKS)
const readSocials = clean.itemsReader(Type.Object({ type: Type.String(), url: Type.String() }), MAX_LINKS)

/** @returns the pairs on this chain, deepest first */
export function readPairs(chain: string, items: readonly unknown[]): readonly DexscreenerPair[] {
  const pairs = readItems(items).flatMap(
    ({ baseToken, quoteToken, ...fields }: Fields): readonly DexscreenerPair[] => {
      const address = clean.id(fields.pairAddress)
      const base = readSide(chain, fieldsOf(baseToken), fields.priceUsd)
      const quote = readQuote(chain, fieldsOf(quoteToken), fields)
      if (fields.chainId !== CHAIN_IDS.get(chain) || address === null || base === null || quote === null)
        return []
      return [
        {
          address,
          venue: clean.text(fields.dexId, 40),
          base,
          quote,
          mcap: clean.number(fields.marketCap) ?? clean.number(fields.fdv),
          fdv: clean.number(fields.fdv),
          liquidity: clean.number(fieldsOf(fields.liquidity).usd),
          vol24: clean.number(fieldsOf(fields.volume).h24),
          createdAt: clean.time(fields.pairCreatedAt),
          ...changesOfPool(fields.priceChange, fields.txns),
          info: readInfo(fields.info),
        },
      ]
    },
  )
  return deepestFirst(pairs)
}

function readSide(chain: string, { address: text, symbol, name }: Fields, price: unknown): PoolSide | null {
  const address = clean.token(chain, text)
  if (address === null) return null
  return { address, symbol: clean.text(symbol, 32), name: clean.text(name, 64), price: clean.number(price) }
}

/**
 * The quote token, with the dollars of it in the pool. Its price follows from the
 * base token's prices in dollars and in the quote token. It is not set as the
 * token's price, because a pair prices its base token only.
 */
function readQuote(chain: string, token: Fields, { priceUsd, priceNative, liquidity }: Fields) {
  const side = readSide(chain, token, null)
  const [inDollars, inQuote] = [clean.number(priceUsd), clean.number(priceNative)]
  const amount = clean.number(fieldsOf(liquidity).quote)
  const held = amount === null || !inDollars || !inQuote ? null : clean.number((amount * inDollars) / inQuote)
  return side === null || held === null ? side : { ...side, held }
}

function readInfo(value: unknown): DexscreenerPair['info'] {
  if (typeof value !== 'object' || value === null) return null
  const { imageUrl, websites, socials } = fieldsOf(value)
  const sites = readWebsites(websites).map(({ url }) => ({ type: 'website', url }))
  return {
    image: clean.link(imageUrl, IMAGE_HOSTS),
    links: cleanLinks([...sites, ...readSocials(socials)]),
  }
}

/** @param pairs  at least one pair that has the token on either side */
export function rowOfPairs({ chain, address }: TokenId, pairs: readonly DexscreenerPair[], askedAt: number) {
  const token = listedAs(chain, address)
  const asBase = pairs.filter(({ base }) => base.address === token)
  const { pool, price, liq } = choose(chain, token, asBase)
  const { symbol, name } = ownNames({ chain, address }) ?? pool?.base ?? pairs[0]!.quote
  return {
    chain,
    address,
    symbol,
    name,
    price,
    priceTs: askedAt,
    mcap: price === null ? null : (pool?.mcap ?? null),
    fdv: price === null ? null : (pool?.fdv ?? null),
    liq,
    vol24: sumOf(asBase.map(({ vol24 }) => vol24)),
    holders: null,
    ...knownOf<RowExtras>({
      image: aboutFrom(token, asBase).image,
      firstPoolAt: oldestOf(asBase)?.createdAt ?? null,
      changes: pool?.changes ?? null,
    }),
  }
}

/** @param token  the address under which markets list it: links belong to the base token */
export function aboutFrom(token: string, pairs: readonly DexscreenerPair[]): About {
  const infos = pairs.filter(({ base }) => base.address === token).map(({ info }) => info)
  const info = infos.find((one) => one !== null)
  return {
    description: null,
    image: info?.image ?? null,
    links: info?.links ?? [],
    createdAt: oldestOf(pairs)?.createdAt ?? null,
    mintAuthority: null,
    freezeAuthority: null,
  }
}
