/**
 * GeckoTerminal's answers: JSON:API documents in which nearly every number is
 * a string, and may be null.
 *
 * Source: CoinGecko's OpenAPI document of its API, the paths below /onchain ·
 * JSON:API 1.1
 */
import { Type } from 'typebox'
import { answerReader } from '../swap/answer.ts'
import {
  cleanNumber,
  cleanText,
  cleanTime,
  cleanToken,
  cleanTransactionId,
  itemsReader,
  memberOf,
} from './clean.ts'

/** Its network ids, by chain key. */
export const NETWORKS: Readonly<Record<string, string>> = {
  ethereum: 'eth',
  bsc: 'bsc',
  base: 'base',
  arbitrum: 'arbitrum',
  optimism: 'optimism',
  polygon: 'polygon_pos',
  avalanche: 'avax',
  linea: 'linea',
  mantle: 'mantle',
  sonic: 'sonic',
  unichain: 'unichain',
  berachain: 'berachain',
  hyperevm: 'hyperevm',
  monad: 'monad',
  plasma: 'plasma',
  scroll: 'scroll',
  gnosis: 'xdai',
  solana: 'solana',
  sui: 'sui-network',
  ton: 'ton',
}

const MAX_POOLS = 100
const MAX_INCLUDED = 300

/** One side of a pool. */
export interface Side {
  /** Canonical. */
  readonly address: string
  readonly symbol: string | null
  readonly name: string | null
  readonly price: number | null
}

export interface PoolInfo {
  /** As its chain writes it: an address, or an id of 32 bytes. */
  readonly address: string
  readonly venue: string | null
  readonly base: Side
  readonly quote: Side
  /** Of the base token. */
  readonly mcap: number | null
  /** Dollars on both sides. */
  readonly liquidity: number | null
  readonly vol24: number | null
  readonly createdAt: number | null
}

const readDocument = answerReader(
  Type.Object({ data: Type.Array(Type.Unknown()), included: Type.Optional(Type.Unknown()) }),
)
const Reference = Type.Object({ data: Type.Object({ id: Type.String() }) })
const readResources = itemsReader(
  Type.Object({
    attributes: Type.Object({ address: Type.String() }),
    relationships: Type.Object({
      base_token: Reference,
      quote_token: Reference,
      dex: Type.Optional(Type.Unknown()),
    }),
  }),
  MAX_POOLS,
)
const readIncluded = itemsReader(
  Type.Object({ id: Type.String(), attributes: Type.Object({ name: Type.Optional(Type.Unknown()) }) }),
  MAX_INCLUDED,
)

/** @returns pools in the document's order; null for what is no list of resources */
export function readPools(chain: string, body: Buffer): readonly PoolInfo[] | null {
  const answer = readDocument(body)
  if (answer === null) return null
  const { data, included } = answer.value
  const named = new Map(readIncluded(included).map(({ id, attributes }) => [id, attributes]))
  const side = (id: string, price: unknown): Side | null => {
    const prefix = `${NETWORKS[chain]}_`
    const address = id.startsWith(prefix) ? cleanToken(chain, id.slice(prefix.length)) : null
    if (address === null) return null
    const attributes = named.get(id)
    return {
      address,
      symbol: cleanText(memberOf(attributes, 'symbol'), 32),
      name: cleanText(memberOf(attributes, 'name'), 64),
      price: cleanNumber(price),
    }
  }
  return readResources(data).flatMap(({ attributes, relationships }): readonly PoolInfo[] => {
    const of = (name: string): unknown => memberOf(attributes, name)
    const address = cleanTransactionId(attributes.address)
    const base = side(relationships.base_token.data.id, of('base_token_price_usd'))
    const quote = side(relationships.quote_token.data.id, of('quote_token_price_usd'))
    if (address === null || base === null || quote === null) return []
    return [
      {
        address,
        venue: cleanText(memberOf(memberOf(relationships.dex, 'data'), 'id'), 40),
        base,
        quote,
        mcap: cleanNumber(of('market_cap_usd')) ?? cleanNumber(of('fdv_usd')),
        liquidity: cleanNumber(of('reserve_in_usd')),
        vol24: cleanNumber(memberOf(of('volume_usd'), 'h24')),
        createdAt: cleanTime(of('pool_created_at')),
      },
    ]
  })
}
