/**
 * Turns GeckoTerminal's answers about a token and its pools into parts of a profile.
 *
 * Source: CoinGecko's OpenAPI document of its API, the paths below /onchain
 */

import { Type } from 'typebox'
import { type Fields, fieldsOf } from '../../../chains/json/fields.ts'
import { answerReader } from '../../answer.ts'
import * as clean from '../clean.ts'
import { AnyObject, cleanLinks, findingIn, keepFields, knownOf } from '../fields.ts'
import { ownNames } from '../listed-as.ts'
import * as market from '../market.ts'
import { choose, oldestOf, type Pool, sumOf } from '../pools.ts'
import members from './members.json' with { type: 'json' }

const MAX_CANDLES = 200
/** The provider's own limit: a pool's last 300 trades of the past day. */
export const MAX_TRADES = 300
const MAX_WEBSITES = 5

/** Hosts of the provider's images. */
const IMAGE_HOSTS: ReadonlySet<string> = new Set(members.imageHosts)
/** Booleans or `yes` and `no`; `unknown` if it was not tested. */
const finding = findingIn([true, 'yes', 'true'], [false, 'no', 'false'])
const HANDLE = /^\w{1,64}$/

/** What GeckoTerminal knows about a token apart from its pools. */
export type TokenInfo = NonNullable<ReturnType<typeof readInfo>>

type Shares = Pick<market.RowExtras, 'creatorPct' | 'topTenPct'>

const readInfoDocument = answerReader(Type.Object({ data: Type.Object({ attributes: AnyObject }) }))
const readWebsites = clean.itemsReader(Type.String(), MAX_WEBSITES)
const readCandleDocument = answerReader(
  Type.Object({
    data: Type.Object({ attributes: Type.Object({ ohlcv_list: Type.Array(Type.Unknown()) }) }),
  }),
)
const readCandleItems = clean.itemsReader(Type.Array(Type.Unknown(), { minItems: 6 }), MAX_CANDLES)
const readTradeDocument = answerReader(Type.Object({ data: Type.Array(Type.Unknown()) }))
const readTradeItems = clean.itemsReader(
  Type.Object({
    attributes: Type.Object({ from_token_address: Type.String(), to_token_address: Type.String() }),
  }),
  MAX_TRADES,
)

/** @param token  the address under which the market lists it */
export function rowOfPools(
  id: market.TokenId,
  token: string,
  pools: readonly Pool[],
  info: TokenInfo | null,
  askedAt: number,
): market.MarketRow {
  const { pool, price, agreeing, liq } = choose(id.chain, token, pools)
  const side = pool?.base.address === token ? pool.base : pool?.quote
  const names = ownNames(id)
  const asBase = agreeing.find(({ base }) => base.address === token)
  return {
    chain: id.chain,
    address: id.address,
    symbol: names?.symbol ?? side?.symbol ?? info?.symbol ?? null,
    name: names?.name ?? side?.name ?? info?.name ?? null,
    price,
    priceTs: askedAt,
    // A pool's figure belongs to its base token.
    mcap: asBase?.mcap ?? null,
    fdv: asBase?.fdv ?? null,
    liq,
    vol24: sumOf(pools.map(({ vol24 }) => vol24)),
    holders: info?.holders ?? null,
    ...knownOf<market.RowExtras>({
      image: info?.about.image ?? null,
      firstPoolAt: oldestOf(pools)?.createdAt ?? null,
      // A pool's changes are those of its base token.
      changes: pool?.base.address === token ? (pool.changes ?? null) : null,
    }),
    ...info?.shares,
  }
}

/** @param at  the time of the request, ms epoch */
export function readInfo(chain: string, body: Buffer, at: number) {
  const fields = readInfoDocument(body)?.value.data.attributes
  if (fields === undefined) return null
  return {
    about: {
      description: clean.text(fields.description, 1_000),
      image: clean.link(fields.image_url, IMAGE_HOSTS),
      links: linksIn(fields),
      createdAt: null,
      mintAuthority: authorityIn(chain, fields.mint_authority),
      freezeAuthority: authorityIn(chain, fields.freeze_authority),
    },
    symbol: clean.text(fields.symbol, 32),
    name: clean.text(fields.name, 64),
    holders: clean.number(fieldsOf(fields.holders).count) || null,
    creator: clean.address(chain, fields.developer_address),
    security: {
      at,
      facts: keepFields(fields, members.securityFacts),
      flags: {
        ...market.UNKNOWN_FLAGS,
        honeypot: finding(fields.is_honeypot),
        mintable: finding(fields.mint_authority),
        freezable: finding(fields.freeze_authority),
      },
      ...(typeof fields.gt_verified === 'boolean' && { verified: fields.gt_verified }),
    },
    shares: knownOf<Shares>({
      creatorPct: clean.percent(fields.developer_holding_percentage),
      topTenPct: clean.percent(fieldsOf(fieldsOf(fields.holders).distribution_percentage).top_10),
    }),
  }
}

function linksIn(fields: Fields): market.About['links'] {
  const accounts = members.accounts.map(({ type, handle: name, site }) => {
    const handle = fields[name]
    return { type, url: typeof handle === 'string' && HANDLE.test(handle) ? site + handle : null }
  })
  return cleanLinks([
    ...readWebsites(fields.websites).map((url) => ({ type: 'website', url })),
    { type: 'discord', url: fields.discord_url },
    { type: 'farcaster', url: fields.farcaster_url },
    ...accounts,
  ])
}

/** GeckoTerminal writes `no` if there is no authority, and `yes` without its address if there is one. */
function authorityIn(chain: string, value: unknown): string | null {
  return value === 'no' ? 'none' : clean.address(chain, value)
}

/** @returns oldest first */
export function readCandles(body: Buffer): readonly market.Candle[] | null {
  const answer = readCandleDocument(body)
  if (answer === null) return null
  const candles = readCandleItems(answer.value.data.attributes.ohlcv_list).flatMap((item) => {
    const ts = clean.time(item[0], 's')
    const [open, high, low, close, volume] = item.slice(1).map(clean.number)
    return ts === null || open == null || high == null || low == null || close == null || volume == null
      ? []
      : [{ ts, open, high, low, close, volume }]
  })
  return candles.sort((a, b) => a.ts - b.ts)
}

/**
 * Whether a trade buys or sells the token follows from the token's side: `kind` in
 * the answer refers to the pool's base token.
 *
 * @param token  the address under which the market lists it
 * @returns newest first
 */
export function readTrades(chain: string, token: string, body: Buffer): readonly market.Trade[] | null {
  const answer = readTradeDocument(body)
  if (answer === null) return null
  const trades = readTradeItems(answer.value.data).flatMap(({ attributes }): readonly market.Trade[] => {
    const fields: Fields = attributes
    const isBuy = clean.token(chain, attributes.to_token_address) === token
    if (!isBuy && clean.token(chain, attributes.from_token_address) !== token) return []
    const side = isBuy ? 'to' : 'from'
    const ts = clean.time(fields.block_timestamp)
    const tx = clean.id(fields.tx_hash)
    const amount = clean.decimal(fields[`${side}_token_amount`])
    if (ts === null || tx === null || amount === null) return []
    return [
      {
        ts,
        kind: isBuy ? 'buy' : 'sell',
        tx,
        trader: clean.address(chain, fields.tx_from_address),
        amount,
        priceUsd: clean.number(fields[`price_${side}_in_usd`]),
        volumeUsd: clean.number(fields.volume_in_usd),
      },
    ]
  })
  return trades.sort((a, b) => b.ts - a.ts)
}
