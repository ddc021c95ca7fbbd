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
import { CLOCK, type Clock } from '../../../runtime/clock.ts'
import { type AdapterOptions, type AdapterUpstream, getAny } from '../../requests.ts'
import { withoutGaps } from '../candles.ts'
import { listedAs } from '../listed-as.ts'
import type {
  Candle,
  Chart,
  ChartSpan,
  Discovered,
  DiscoveredBook,
  Discovery,
  Early,
  MarketProvider,
  MarketRow,
  TokenId,
  Trade,
} from '../market.ts'
import { choose, oldestOf, type Pool, poolsWith } from '../pools.ts'
import { SharedCalls } from '../shared-calls.ts'
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
  const api = new GeckoterminalApi(upstream, clock)
  return {
    label: 'geckoterminal',
    chains: CHAINS,
    discoveries: [
      api.discovery('trending', 'trending_pools', 'trending pools'),
      api.discovery('new', 'new_pools', 'new pools'),
    ],
    charts: { ask: (id, span, call) => api.chart(id, span, call) },
    parts: {
      row: { keepMs: MARKET_KEEP_MS, ask: (id, call) => api.row(id, call) },
      about: { keepMs: ABOUT_KEEP_MS, ask: async (id, call) => (await api.info(id, call))?.about ?? null },
      security: {
        keepMs: ABOUT_KEEP_MS,
        // For a profile it comes with the other parts. For the list it would use up the quota that profiles
        // need.
        isScarce: true,
        ask: async (id, call) => (await api.info(id, call))?.security ?? null,
      },
      candles: ofBestPool(api, (id, pool, call) => api.profileCandles(id, pool, call)),
      trades: ofBestPool(api, (id, pool, call) => api.trades(id, pool, call)),
      early: { keepMs: ABOUT_KEEP_MS, ask: (id, call) => api.early(id, call) },
    },
  }
}

/** The calls to GeckoTerminal, with the address under which markets list a token. */
class GeckoterminalApi {
  readonly #upstream: AdapterUpstream
  readonly #clock: Clock
  readonly #sharedPools: SharedCalls<GeckoterminalAnswer<readonly Pool[]>>
  readonly #sharedInfo: SharedCalls<GeckoterminalAnswer<TokenInfo>>
  readonly #sharedTrades: SharedCalls<GeckoterminalAnswer<readonly Trade[]>>

  constructor(upstream: AdapterUpstream, clock: Clock) {
    this.#upstream = upstream
    this.#clock = clock
    this.#sharedPools = new SharedCalls(MARKET_KEEP_MS, clock)
    this.#sharedInfo = new SharedCalls(MARKET_KEEP_MS, clock)
    this.#sharedTrades = new SharedCalls(MARKET_KEEP_MS, clock)
  }

  /** @returns the token's pools, best first; null if there is no such token */
  async pools({ chain, address }: TokenId, call: Call): Promise<readonly Pool[] | null> {
    const token = listedAs(chain, address)
    const path = `${tokenPath(chain, token)}/pools?include=base_token,quote_token,dex`
    const { value } = await this.#sharedPools.ask(`${chain} ${token}`, call, (shared) =>
      this.#ask(path, shared, (body) => readPools(chain, body)),
    )
    return value === null ? null : bestFirst(chain, token, value)
  }

  /** @returns null if there is no such token */
  async info({ chain, address }: TokenId, call: Call): Promise<TokenInfo | null> {
    const token = listedAs(chain, address)
    const path = `${tokenPath(chain, token)}/info`
    const { value } = await this.#sharedInfo.ask(`${chain} ${token}`, call, (shared) => {
      const at = this.#clock.date()
      return this.#ask(path, shared, (body) => readInfo(chain, body, at))
    })
    return value
  }

  /** @returns newest first */
  async trades({ chain, address }: TokenId, pool: Pool, call: Call): Promise<readonly Trade[]> {
    const token = listedAs(chain, address)
    const { value } = await this.#sharedTrades.ask(`${chain} ${token} ${pool.address}`, call, (shared) =>
      this.#ask(poolPath(chain, pool, 'trades?', token), shared, (body) => readTrades(chain, token, body)),
    )
    return value ?? []
  }

  async profileCandles(id: TokenId, pool: Pool, call: Call): Promise<readonly Candle[]> {
    const isYoung = this.#clock.date() - (pool.createdAt ?? 0) < 2 * YOUNG_MS
    const span = isYoung ? QUARTER_HOURS : HOURS
    const candles = (await this.#candles(id, pool, span, call)) ?? []
    // A profile's chart ends with the last trade.
    return withoutGaps(candles, span, candles.at(-1)?.ts ?? 0).candles
  }

  async chart(id: TokenId, span: ChartSpan, call: Call): Promise<Chart | null> {
    const best = (await this.pools(id, call))?.[0]
    if (best === undefined) return null
    const candles = await this.#candles(id, best, span, call)
    return candles === null ? null : { pool: best.address, candles }
  }

  async row(id: TokenId, call: Call): Promise<MarketRow | null> {
    const pools = await this.pools(id, call)
    if (pools === null) return null
    // Without this answer only the number of holders is missing.
    const info = await this.info(id, call).catch(() => null)
    return rowOfPools(id, listedAs(id.chain, id.address), pools, info, this.#clock.date())
  }

  async early(id: TokenId, call: Call): Promise<readonly Early[] | null> {
    const pools = await this.pools(id, call)
    if (pools === null) return null
    const info = await this.info(id, call).catch(() => null)
    const first = oldestOf(pools)
    const isYoung = first !== null && this.#clock.date() - (first.createdAt ?? 0) < YOUNG_MS
    // Trades of any other pool would take a fifth call.
    const hasTrades = isYoung && first === pools[0]
    const trades = hasTrades ? await this.trades(id, first, call) : []
    return earlyFrom(first, info?.creator ?? null, trades)
  }

  /** @param list  `trending_pools` or `new_pools` */
  discovery(book: DiscoveredBook, list: string, title: string): Discovery {
    return {
      book,
      title: `geckoterminal ${title}`,
      everyMs: DISCOVERY_MS,
      chains: [...CHAINS],
      ask: async (chain, call) => {
        const path = `/networks/${NETWORKS.get(chain!)}/${list}?include=base_token`
        const { value } = await this.#ask(path, call, (body) => readPools(chain!, body))
        return discoveredIn(chain!, value ?? [], this.#clock.date())
      },
    }
  }

  /** @returns oldest first; null if there is no such pool */
  async #candles({ chain, address }: TokenId, pool: Pool, span: ChartSpan, call: Call) {
    const path = poolPath(chain, pool, `${chartPath(span)}&currency=usd&`, listedAs(chain, address))
    return (await this.#ask(path, call, readCandles)).value
  }

  #ask<T>(path: string, call: Call, read: (body: Buffer) => T | null): Promise<GeckoterminalAnswer<T>> {
    const request = getAny<GeckoterminalAnswer<T>>(path, (status, body) => {
      if (status === 404) return { value: null }
      const value = status === 200 ? read(body) : null
      return value === null ? null : { value }
    })
    return this.#upstream.ask(request, call)
  }
}

function tokenPath(chain: string, token: string): string {
  return `/networks/${NETWORKS.get(chain)}/tokens/${encodeURIComponent(token)}`
}

function poolPath(chain: string, { address }: Pool, rest: string, token: string): string {
  return `/networks/${NETWORKS.get(chain)}/pools/${encodeURIComponent(address)}/${rest}token=${encodeURIComponent(token)}`
}

/**
 * Asks for a list about a token's best pool: empty if the token has no pool, null if there is no such token.
 */
function ofBestPool<Item>(
  api: GeckoterminalApi,
  read: (id: TokenId, pool: Pool, call: Call) => Promise<readonly Item[]>,
) {
  return {
    keepMs: MARKET_KEEP_MS,
    async ask(id: TokenId, call: Call): Promise<readonly Item[] | null> {
      const pools = await api.pools(id, call)
      const best = pools?.[0]
      if (best === undefined) return pools === null ? null : []
      return read(id, best, call)
    },
  }
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
function earlyFrom(first: Pool | null, creator: string | null, trades: readonly Trade[]): readonly Early[] {
  const early: Early[] = []
  if (first !== null) {
    const { address, venue, createdAt } = first
    early.push({ kind: 'pool', address, venue, at: createdAt })
  }
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
