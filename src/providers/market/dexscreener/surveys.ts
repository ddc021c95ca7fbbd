/**
 * Caches rows that were computed from all of a token's pools, and limits how often
 * all pools are requested. A call for many tokens returns one pair per token, of
 * DexScreener's choice. If little is at stake in that pair, the other pairs are
 * requested with one call per token, within a part of the quota.
 */

import { type BoundedCache, boundedCache } from '../../../runtime/bounded-cache.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { Governor } from '../../../upstream/admission/governor.ts'
import { idOf, type MarketRow, type TokenId } from '../market.ts'
import { isNear } from '../pools.ts'

/** A tenth of DexScreener's 300 calls a minute. */
const QUOTA = { calls: 30, windowMs: 60_000 }
/**
 * How long a row from all pools supports the refreshed pair, and how long it does so if that pair disagrees.
 */
const KEEP_MS = 600_000
const DOUBT_MS = 60_000
const MAX_KEPT = 2_000

export class Surveys {
  readonly #clock: Clock
  readonly #governor: Governor
  readonly #kept: BoundedCache<string, MarketRow>

  constructor(clock: Clock) {
    this.#clock = clock
    this.#governor = new Governor(QUOTA, clock)
    this.#kept = boundedCache({ max: MAX_KEPT, ttlMs: KEEP_MS, clock })
  }

  /** @returns whether a token's pools may be requested now; true spends a call of the quota */
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

  /**
   * @returns the pair's current row with the liquidity and volume of all pools; null if all pools are not
   * cached, or contradict the pair
   */
  confirm(row: MarketRow): MarketRow | null {
    const kept = this.#kept.get(idOf(row))
    if (kept === undefined) return null
    // If all pools together gave no reliable price, a single pair gives none either.
    if (kept.price === null) return kept
    if (row.price === null || !isNear(row.price, kept.price)) return null
    const { liqOf, ...now } = row
    return { ...now, liq: kept.liq, vol24: kept.vol24 }
  }
}
