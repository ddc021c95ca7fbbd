/**
 * What all of a token's pools said of it, kept for a while, and how often that
 * may be asked. A list's call brings one pair a token, which DexScreener
 * chooses; where little is at stake in it, the other pairs are asked for, a
 * call each, within a part of the quota.
 */
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../runtime/clock.ts'
import { Governor } from '../../upstream/governor.ts'
import { idOf, type MarketRow, type TokenId } from './market.ts'
import { isNear } from './pools.ts'

/** A tenth of DexScreener's 300 calls a minute. */
const QUOTA = { calls: 30, windowMs: 60_000 }
/** How long what all pools said holds for the one that is refreshed; and where that one says otherwise. */
const KEEP_MS = 600_000
const DOUBT_MS = 60_000
const MAX_KEPT = 2_000

export class Surveys {
  readonly #clock: Clock
  readonly #governor: Governor
  readonly #kept: LRUCache<string, MarketRow>

  constructor(clock: Clock) {
    this.#clock = clock
    this.#governor = new Governor(QUOTA, clock)
    this.#kept = new LRUCache({ max: MAX_KEPT, ttl: KEEP_MS, ttlResolution: 0, perf: clock })
  }

  /** Whether a token's pools may be asked for now, which spends a call. */
  admit(token: TokenId): boolean {
    const { price, priceTs } = this.#kept.get(idOf(token)) ?? {}
    if (price != null && this.#clock.date() - priceTs! < DOUBT_MS) return false
    return this.#governor.admit('build') === 0
  }

  keep(row: MarketRow): void {
    this.#kept.set(idOf(row), row)
  }

  has(token: TokenId): boolean {
    return this.#kept.has(idOf(token))
  }

  /** @returns what one pair says now, with what all of them hold; null where that was not asked for, or contradicts it */
  confirm(row: MarketRow): MarketRow | null {
    const kept = this.#kept.get(idOf(row))
    if (kept === undefined) return null
    // Where no pool is believed, one alone is not.
    if (kept.price === null) return kept
    if (row.price === null || !isNear(row.price, kept.price)) return null
    const { liqOf, ...now } = row
    return { ...now, liq: kept.liq, vol24: kept.vol24 }
  }
}
