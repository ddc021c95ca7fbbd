/**
 * Reads GeckoTerminal's answers: JSON:API documents in which nearly every number
 * is a string or null.
 *
 * Source: CoinGecko's OpenAPI document of its API, the paths below /onchain ·
 * JSON:API 1.1
 */

import { Type } from 'typebox'
import { namesAt } from '../../../chains/find.ts'
import { type Fields, fieldsOf } from '../../../chains/json/fields.ts'
import { answerReader } from '../../answer.ts'
import { changesOfPool } from '../changes.ts'
import * as clean from '../clean.ts'
import { AnyObject } from '../fields.ts'
import type { Pool, PoolSide } from '../pools.ts'

/** GeckoTerminal's network ids, by chain key. */
export const NETWORKS = namesAt('geckoterminal')

const MAX_POOLS = 100
const MAX_INCLUDED = 300

const readDocument = answerReader(
  Type.Object({ data: Type.Array(Type.Unknown()), included: Type.Optional(Type.Unknown()) }),
)
const Reference = Type.Object({ data: Type.Object({ id: Type.String() }) })
const readResources = clean.itemsReader(
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
const readIncluded = clean.itemsReader(
  Type.Object({ id: Type.String(), attributes: AnyObject }),
  MAX_INCLUDED,
)

/** @returns pools in the document's order; null if the document is not a list of resources */
export function readPools(chain: string, body: Buffer): readonly Pool[] | null {
  const answer = readDocument(body)
  if (answer === null) return null
  const { data, included } = answer.value
  const named = new Map(readIncluded(included).map(({ id, attributes }) => [id, attributes]))
  const side = (id: string, price: unknown): PoolSide | null => {
    const prefix = `${NETWORKS.get(chain)}_`
    const address = id.startsWith(prefix) ? clean.token(chain, id.slice(prefix.length)) : null
    if (address === null) return null
    const { symbol, name } = fieldsOf(named.get(id))
    return { address, symbol: clean.text(symbol, 32), name: clean.text(name, 64), price: clean.number(price) }
  }
  return readResources(data).flatMap(({ attributes, relationships }): readonly Pool[] => {
    const fields: Fields = attributes
    const address = clean.id(fields.address)
    const base = side(relationships.base_token.data.id, fields.base_token_price_usd)
    const quote = side(relationships.quote_token.data.id, fields.quote_token_price_usd)
    if (address === null || base === null || quote === null) return []
    return [
      {
        address,
        venue: clean.text(fieldsOf(fieldsOf(relationships.dex).data).id, 40),
        base,
        quote,
        mcap: clean.number(fields.market_cap_usd) ?? clean.number(fields.fdv_usd),
        fdv: clean.number(fields.fdv_usd),
        liquidity: clean.number(fields.reserve_in_usd),
        vol24: clean.number(fieldsOf(fields.volume_usd).h24),
        createdAt: clean.time(fields.pool_created_at),
        ...changesOfPool(fields.price_change_percentage, fields.transactions),
      },
    ]
  })
}
