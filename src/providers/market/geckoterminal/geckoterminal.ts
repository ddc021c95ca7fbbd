/**
 * GeckoTerminal's public API, which is CoinGecko's API below /onchain with
 * another base URL: trending and new pools, and the candles and trades of a
 * token's best pool.
 *
 * All clients share thirty calls a minute, so a profile takes at most four: the
 * token's pools, which all parts need, its information, and the candles and the
 * trades of the best pool.
 *
 * Source: CoinGecko's OpenAPI document of its API, the paths below /onchain ·
 * apiguide.geckoterminal.com (limits)
 */

import type { Call } from '../../../flow/call.ts'
import { CLOCK } from '../../../runtime/clock.ts'
import { type AdapterOptions, getAny } from '../../requests.ts'
import { withoutGaps } from '../candles.ts'
import { listedAs } from '../listed-as.ts'
import type {
  ChartSpan,
  Discovered,
  DiscoveredBook,
  Discovery,
  Early,
  MarketProvider,
  TokenId,
  Trade,
} from '../market.ts'
import { choose, earlyFrom, oldestOf, type Pool, poolsWith } from '../pools.ts'
import { sharedCalls } from '../shared-calls.ts'
import { MAX_TRADES, readCandles, readInfo, readTrades, rowOfPools, type TokenInfo } from './parts.ts'
import { NETWORKS, readPools } from './wire.ts'

const CHAINS: ReadonlySet<string> = new Set(NETWORKS.keys())
/** Twenty networks and two lists make eight calls a minute. */
const DISCOVERY_MS = 300_000
/** The provider caches its own answers for as long. */
const MARKET_KEEP_MS = 60_000
const ABOUT_KEEP_MS = 600_000

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** The trades of the past day include a token's first buyers only while the token is younger than a day. */
const YOUNG_MS = 24 * HOUR_MS
const MAX_BUYERS = 20
/** A week of hours; two days of quarter hours for a token younger than two days. */
const HOURS: ChartSpan = { intervalMs: HOUR_MS, count: 168 }
const QUARTER_HOURS: ChartSpan = { intervalMs: HOUR_MS / 4, count: 192 }

/** The value of an answer; null for a 404, whose meaning depends on the request. */
interface GeckoterminalAnswer<T> {
  readonly value: T | null
}

export function geckoterminal({ upstream, clock = CLOCK }: AdapterOptions): MarketProvider {
  const ask = <T>(path: string, call: Call, read: (body: Buffer) => T | null) => {
    const request = getAny<GeckoterminalAnswer<T>>(path, (status, body) => {
      if (status === 404) return { value: null }
      const value = status === 200 ? read(body) : null
      return value === null ? null : { value }
    })
    return upstream.ask(request, call)
  }

  /** Asks once for the parts that need the same answer. @returns null for a 404 */
  const shared = <T>() => {
    const share = sharedCalls<GeckoterminalAnswer<T>>(MARKET_KEEP_MS, clock)
    return async (path: string, call: Call, read: (body: Buffer, askedAt: number) => T | null) => {
      const { value } = await share(path, call, (own) => {
        const at = clock.date()
        return ask(path, own, (body) => read(body, at))
      })
      return value
    }
  }
  const sharedPools = shared<readonly Pool[]>()
  const sharedInfo = shared<TokenInfo>()
  const sharedTrades = shared<readonly Trade[]>()

  /** @returns the token's pools, best first; null if there is no such token */
  const poolsOf = async ({ chain, address }: TokenId, call: Call): Promise<readonly Pool[] | null> => {
    const token = listedAs(chain, address)
    const path = `${tokenPath(chain, token)}/pools?include=base_token,quote_token,dex`
    const pools = await sharedPools(path, call, (body) => readPools(chain, body))
    return pools === null ? null : bestFirst(chain, token, pools)
  }

  /** @returns null if there is no such token */
  const infoOf = ({ chain, address }: TokenId, call: Call): Promise<TokenInfo | null> =>
    sharedInfo(`${tokenPath(chain, listedAs(chain, address))}/info`, call, (body, askedAt) =>
      readInfo(chain, body, askedAt),
    )

  /** @returns newest first */
  const tradesOf = async (id: TokenId, pool: Pool, call: Call): Promise<readonly Trade[]> => {
    const token = listedAs(id.chain, id.address)
    const path = poolPath(id.chain, pool, 'trades?', token)
    return (await sharedTrades(path, call, (body) => readTrades(id.chain, token, body))) ?? []
  }

  /** @returns oldest first; null if there is no such pool */
  const candlesOf = async ({ chain, address }: TokenId, pool: Pool, span: ChartSpan, call: Call) => {
    const path = poolPath(chain, pool, `${chartPath(span)}&currency=usd&`, listedAs(chain, address))
    return (await ask(path, call, readCandles)).value
  }

  /** A list about a token's best pool: empty if the token has no pool, null if there is no such token. */
  const ofBestPool = <Item>(read: (id: TokenId, pool: Pool, call: Call) => Promise<readonly Item[]>) => ({
    keepMs: MARKET_KEEP_MS,
    async ask(id: TokenId, call: Call): Promise<readonly Item[] | null> {
      const pools = await poolsOf(id, call)
      const best = pools?.[0]
      if (best === undefined) return pools === null ? null : []
      return read(id, best, call)
    },
  })

  /** @param list  `trending_pools` or `new_pools` */
  const discovery = (book: DiscoveredBook, list: string, title: string): Discovery => ({
    book,
    title: `geckoterminal ${title}`,
    everyMs: DISCOVERY_MS,
    chains: [...CHAINS],
    async ask(chain, call) {
      const path = `/networks/${NETWORKS.get(chain!)}/${list}?include=base_token`
      const { value } = await ask(path, call, (body) => readPools(chain!, body))
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
    charts: {
      async ask(id, span, call) {
        const best = (await poolsOf(id, call))?.[0]
        if (best === undefined) return null
        const candles = await candlesOf(id, best, span, call)
        return candles === null ? null : { pool: best.address, candles }
      },
    },
    parts: {
      row: {
        keepMs: MARKET_KEEP_MS,
        async ask(id, call) {
          const pools = await poolsOf(id, call)
          if (pools === null) return null
          // Without this answer only the number of holders is missing.
          const info = await infoOf(id, call).catch(() => null)
          return rowOfPools(id, listedAs(id.chain, id.address), pools, info, clock.date())
        },
      },
      about: { keepMs: ABOUT_KEEP_MS, ask: async (id, call) => (await infoOf(id, call))?.about ?? null },
      security: {
        keepMs: ABOUT_KEEP_MS,
        // For a profile it comes with the other parts. For the list it would use up the quota that profiles
        // need.
        isScarce: true,
        ask: async (id, call) => (await infoOf(id, call))?.security ?? null,
      },
      candles: ofBestPool(async (id, pool, call) => {
        const isYoung = clock.date() - (pool.createdAt ?? 0) < 2 * YOUNG_MS
        const span = isYoung ? QUARTER_HOURS : HOURS
        const candles = (await candlesOf(id, pool, span, call)) ?? []
        // A profile's chart ends with the last trade.
        return withoutGaps(candles, span, candles.at(-1)?.ts ?? 0).candles
      }),
      trades: ofBestPool(tradesOf),
      early: {
        keepMs: ABOUT_KEEP_MS,
        async ask(id, call) {
          const pools = await poolsOf(id, call)
          if (pools === null) return null
          const info = await infoOf(id, call).catch(() => null)
          const first = oldestOf(pools)
          const isYoung = first !== null && clock.date() - (first.createdAt ?? 0) < YOUNG_MS
          // Trades of any other pool would take a fifth call.
          const hasTrades = isYoung && first === pools[0]
          const trades = hasTrades ? await tradesOf(id, first, call) : []
          return withBuyers(earlyFrom(pools), info?.creator ?? null, trades)
        },
      },
    },
  }
}

function tokenPath(chain: string, token: string): string {
  return `/networks/${NETWORKS.get(chain)}/tokens/${encodeURIComponent(token)}`
}

function poolPath(chain: string, { address }: Pool, rest: string, token: string): string {
  return `/networks/${NETWORKS.get(chain)}/pools/${encodeURIComponent(address)}/${rest}token=${encodeURIComponent(token)}`
}

function bestFirst(chain: string, token: string, pools: readonly Pool[]): readonly Pool[] {
  const { pool } = choose(chain, token, pools)
  return poolsWith(pools, token).toSorted((a, b) => Number(b === pool) - Number(a === pool))
}

const TIMEFRAMES = [
  ['day', 24 * HOUR_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
] as const

/** A candle spans a day, 1, 4 or 12 hours, or 1, 5 or 15 minutes. */
function chartPath({ intervalMs, count }: ChartSpan): string {
  const [timeframe, unitMs] = TIMEFRAMES.find(([, ms]) => intervalMs >= ms)!
  return `ohlcv/${timeframe}?aggregate=${intervalMs / unitMs}&limit=${count}`
}

/** Each token once, with a row from all of its pools in the list. */
function discoveredIn(chain: string, pools: readonly Pool[], askedAt: number): readonly Discovered[] {
  const tokens = [...new Set(pools.map(({ base }) => base.address))]
  return tokens.map((address) => {
    const token: TokenId = { chain, address }
    const own = pools.filter(({ base }) => base.address === address)
    return { ...token, row: rowOfPools(token, address, own, null, askedAt) }
  })
}

/** @param trades  the first pool's trades, newest first */
function withBuyers(early: Early[], creator: string | null, trades: readonly Trade[]): readonly Early[] {
  if (creator !== null) early.push({ kind: 'creator', address: creator })
  // A full list does not reach back to the first trades.
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
