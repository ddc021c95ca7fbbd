/**
 * GeckoTerminal's public API, which is CoinGecko's API below /onchain with
 * another base URL: pools worth looking at, and the candles and trades of a
 * token's best pool.
 *
 * Thirty calls a minute are for everybody together, so a profile costs four at
 * most: the token's pools, which all parts need, its information, and the
 * candles and the trades of the best pool.
 *
 * Source: CoinGecko's OpenAPI document of its API, the paths below /onchain ·
 * apiguide.geckoterminal.com (limits)
 */

import { CLOCK, type Clock } from '../../runtime/clock.ts'
import type { CallOptions } from '../provider.ts'
import { withoutGaps } from './candles.ts'
import {
  MAX_TRADES,
  readCandles,
  readInfo,
  readTrades,
  rowFrom,
  type TokenInfo,
} from './geckoterminal-parts.ts'
import { NETWORKS, readPools } from './geckoterminal-wire.ts'
import { type Asking, getAny } from './get.ts'
import { listedAs } from './listed-as.ts'
import type {
  Chart,
  ChartSpan,
  Discovered,
  DiscoveredBook,
  Discovery,
  Early,
  MarketProvider,
  TokenId,
  Trade,
} from './market.ts'
import { choose, firstOf, type Pool, poolsWith } from './pools.ts'
import { inTurn, SharedCalls } from './shared-calls.ts'

const CHAINS: ReadonlySet<string> = new Set(NETWORKS.keys())
/** Twenty networks and two lists make eight calls a minute. */
const DISCOVERY_MS = 300_000
/** What the provider itself keeps its answers for. */
const MARKET_KEEP_MS = 60_000
const ABOUT_KEEP_MS = 600_000

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** A token's first buyers are among the trades of the past day only while it is younger than that. */
const YOUNG_MS = 24 * HOUR_MS
const MAX_BUYERS = 20
/** A week of hours; of a token that is younger than two days, two days of quarter hours. */
const HOURS: ChartSpan = { intervalMs: HOUR_MS, count: 168 }
const QUARTER_HOURS: ChartSpan = { intervalMs: HOUR_MS / 4, count: 192 }

/** What a 404 means is up to who asked. */
interface Found<T> {
  readonly value: T | null
}

export interface GeckoterminalOptions {
  readonly upstream: Asking
  readonly clock?: Clock
}

export function geckoterminal({ upstream, clock = CLOCK }: GeckoterminalOptions): MarketProvider {
  const sharedPools = new SharedCalls<Found<readonly Pool[]>>(MARKET_KEEP_MS, clock)
  const sharedInfo = new SharedCalls<Found<TokenInfo>>(MARKET_KEEP_MS, clock)
  const sharedTrades = new SharedCalls<Found<readonly Trade[]>>(MARKET_KEEP_MS, clock)

  const ask = <T>(path: string, options: CallOptions, read: (body: Buffer) => T | null): Promise<Found<T>> =>
    upstream.ask(
      getAny<Found<T>>(path, (status, body) => {
        if (status === 404) return { value: null }
        const value = status === 200 ? read(body) : null
        return value === null ? null : { value }
      }),
      options,
    )

  const tokenPath = (chain: string, token: string): string =>
    `/networks/${NETWORKS.get(chain)}/tokens/${encodeURIComponent(token)}`

  /** The one to look at first; null where there is no such token. */
  const poolsOf = async (chain: string, token: string, options: CallOptions) => {
    const path = `${tokenPath(chain, token)}/pools?include=base_token,quote_token,dex`
    const { value } = await sharedPools.ask(`${chain} ${token}`, options, (shared) =>
      ask(path, shared, (body) => readPools(chain, body)),
    )
    return value === null ? null : bestFirst(chain, token, value)
  }

  const infoOf = async (chain: string, token: string, options: CallOptions) => {
    const path = `${tokenPath(chain, token)}/info`
    const { value } = await sharedInfo.ask(`${chain} ${token}`, options, (shared) => {
      const at = clock.date()
      return ask(path, shared, (body) => readInfo(chain, body, at))
    })
    return value
  }

  const poolPath = (chain: string, { address }: Pool, rest: string, token: string): string =>
    `/networks/${NETWORKS.get(chain)}/pools/${encodeURIComponent(address)}/${rest}token=${encodeURIComponent(token)}`

  const tradesOf = async (chain: string, token: string, pool: Pool, options: CallOptions) => {
    const { value } = await sharedTrades.ask(`${chain} ${token} ${pool.address}`, options, (shared) =>
      ask(poolPath(chain, pool, 'trades?', token), shared, (body) => readTrades(chain, token, body)),
    )
    return value ?? []
  }

  /** A list about a token's best pool: empty where it has no pool, null where there is no such token. */
  const ofBest = <Item>(
    read: (chain: string, token: string, pool: Pool, options: CallOptions) => Promise<readonly Item[]>,
  ): {
    readonly keepMs: number
    ask(id: TokenId, options: CallOptions): Promise<readonly Item[] | null>
  } => ({
    keepMs: MARKET_KEEP_MS,
    async ask({ chain, address }, options) {
      const token = listedAs(chain, address)
      const turn = inTurn(options, clock)
      const pools = await poolsOf(chain, token, turn())
      const best = pools?.[0]
      if (best === undefined) return pools === null ? null : []
      return read(chain, token, best, turn())
    },
  })

  const candlesOf = async (chain: string, token: string, pool: Pool, options: CallOptions) => {
    const isYoung = clock.date() - (pool.createdAt ?? 0) < 2 * YOUNG_MS
    const span = isYoung ? QUARTER_HOURS : HOURS
    const path = poolPath(chain, pool, `${chartPath(span)}&currency=usd&`, token)
    const candles = (await ask(path, options, readCandles)).value ?? []
    // A profile's chart ends with the last trade.
    return withoutGaps(candles, span, candles.at(-1)?.ts ?? 0).candles
  }

  const chartOf = async (
    { chain, address }: TokenId,
    span: ChartSpan,
    options: CallOptions,
  ): Promise<Chart | null> => {
    const token = listedAs(chain, address)
    const turn = inTurn(options, clock)
    const best = (await poolsOf(chain, token, turn()))?.[0]
    if (best === undefined) return null
    const path = poolPath(chain, best, `${chartPath(span)}&currency=usd&`, token)
    const { value } = await ask(path, turn(), readCandles)
    return value === null ? null : { pool: best.address, candles: value }
  }

  const discovery = (book: DiscoveredBook, list: string, title: string): Discovery => ({
    book,
    title: `geckoterminal ${title}`,
    everyMs: DISCOVERY_MS,
    chains: [...CHAINS],
    async ask(chain, options) {
      const path = `/networks/${NETWORKS.get(chain!)}/${list}?include=base_token`
      const { value } = await ask(path, options, (body) => readPools(chain!, body))
      return discoveredIn(chain!, value ?? [], clock.date())
    },
  })

  return {
    label: 'geckoterminal',
    chains: CHAINS,
    discoveries: [
      discovery('trending', 'trending_pools', 'trending pools'),
      discovery('new', 'new_pools', 'new pools'),
    ],
    charts: { ask: chartOf },

    parts: {
      row: {
        keepMs: MARKET_KEEP_MS,
        async ask(id, options) {
          const token = listedAs(id.chain, id.address)
          const turn = inTurn(options, clock)
          const pools = await poolsOf(id.chain, token, turn())
          if (pools === null) return null
          // Without this answer only the number of holders is missing.
          const info = await infoOf(id.chain, token, turn()).catch(() => null)
          return rowFrom(id, token, pools, info, clock.date())
        },
      },
      about: {
        keepMs: ABOUT_KEEP_MS,
        ask: async ({ chain, address }, options) =>
          (await infoOf(chain, listedAs(chain, address), options))?.about ?? null,
      },
      security: {
        keepMs: ABOUT_KEEP_MS,
        // Of a profile it comes with the rest; the list would spend on it what profiles need.
        isScarce: true,
        ask: async ({ chain, address }, options) =>
          (await infoOf(chain, listedAs(chain, address), options))?.security ?? null,
      },
      candles: ofBest(candlesOf),
      trades: ofBest(tradesOf),
      early: {
        keepMs: ABOUT_KEEP_MS,
        async ask({ chain, address }, options) {
          const token = listedAs(chain, address)
          const turn = inTurn(options, clock)
          const pools = await poolsOf(chain, token, turn())
          if (pools === null) return null
          const info = await infoOf(chain, token, turn()).catch(() => null)
          const first = firstOf(pools)
          const isYoung = first !== null && clock.date() - (first.createdAt ?? 0) < YOUNG_MS
          // Another pool's trades would be a fifth call.
          const hasTrades = isYoung && first === pools[0]
          const trades = hasTrades ? await tradesOf(chain, token, first, turn()) : []
          return earlyFrom(first, info?.creator ?? null, trades)
        },
      },
    },
  }
}

function bestFirst(chain: string, token: string, pools: readonly Pool[]): readonly Pool[] {
  const { pool } = choose(chain, token, pools)
  return poolsWith(pools, token).toSorted((a, b) => Number(b === pool) - Number(a === pool))
}

/** By the hour or the minute: 1, 4 or 12 of the first, 1, 5 or 15 of the other make a candle. */
function chartPath({ intervalMs, count }: ChartSpan): string {
  const isHourly = intervalMs >= HOUR_MS
  const aggregate = intervalMs / (isHourly ? HOUR_MS : MINUTE_MS)
  return `ohlcv/${isHourly ? 'hour' : 'minute'}?aggregate=${aggregate}&limit=${count}`
}

/** A token of several pools comes once, with what the list says of all of them together. */
function discoveredIn(chain: string, pools: readonly Pool[], askedAt: number): readonly Discovered[] {
  const tokens = [...new Set(pools.map(({ base }) => base.address))]
  return tokens.map((address) => {
    const token: TokenId = { chain, address }
    const own = pools.filter(({ base }) => base.address === address)
    return { ...token, row: rowFrom(token, address, own, null, askedAt) }
  })
}

/** @param trades  of the first pool, newest first */
function earlyFrom(first: Pool | null, creator: string | null, trades: readonly Trade[]): readonly Early[] {
  const early: Early[] = []
  if (first !== null) {
    const { address, venue, createdAt } = first
    early.push({ kind: 'pool', address, venue, at: createdAt })
  }
  if (creator !== null) early.push({ kind: 'creator', address: creator })
  // A list that is full begins somewhere in the middle.
  if (trades.length >= MAX_TRADES) return early
  const seen = new Set<string>()
  for (const { ts, kind, tx, trader, amount } of trades.toReversed()) {
    if (kind !== 'buy' || trader === null || seen.has(trader)) continue
    seen.add(trader)
    early.push({ kind: 'buyer', address: trader, at: ts, tx, amount })
    if (seen.size === MAX_BUYERS) break
  }
  return early
}
