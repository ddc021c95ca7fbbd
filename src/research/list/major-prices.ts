/**
 * Prices of majors that no row source has refreshed for a while, for example
 * because it is down. They come from price sources that answer for all chains
 * in one call.
 */

import { hasPrices, idOf, type MarketProvider, type PriceProvider } from '../../providers/market/market.ts'
import type { Clock } from '../../runtime/clock.ts'
import { chunksOf } from '../../runtime/lists.ts'
import type { ListEntry } from './list-entry.ts'
import type { AskMarket } from './market-calls.ts'

/** A price older than this is refreshed, and this long passes between two attempts. */
const OLD_MS = 30_000

export class MajorPrices {
  readonly #providers: readonly PriceProvider[]
  readonly #askMarket: AskMarket
  readonly #clock: Clock
  /** Monotonic, ms. */
  #askedAt = Number.NEGATIVE_INFINITY

  /** @param providers  those with prices and without rows are used: their prices come from more than pools */
  constructor(providers: readonly MarketProvider[], askMarket: AskMarket, clock: Clock) {
    this.#providers = providers.filter(hasPrices).filter(({ rows }) => rows === undefined)
    this.#askMarket = askMarket
    this.#clock = clock
  }

  async refresh(entries: readonly ListEntry[]): Promise<void> {
    const [now, date] = [this.#clock.now(), this.#clock.date()]
    if (now - this.#askedAt < OLD_MS) return
    const old = entries.filter(
      ({ book, priceTs }) => book === 'majors' && (priceTs === null || date - priceTs > OLD_MS),
    )
    if (old.length === 0) return
    this.#askedAt = now
    const byId = new Map(old.map((entry) => [idOf(entry), entry]))
    await Promise.all(
      this.#providers.flatMap(({ label, chains, prices }) => {
        const tokens = old.filter(({ chain }) => chains.has(chain))
        return chunksOf(tokens, prices.maxTokens).map(async (batch) => {
          const answer = await this.#askMarket(label, (options) => prices.ask(batch, options))
          for (const price of answer ?? []) {
            if (price.liq === null) byId.get(idOf(price))?.reprice(price, label)
          }
        })
      }),
    )
  }
}
