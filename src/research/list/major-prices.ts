/**
 * Prices of majors that no row source has refreshed for a while, for example
 * because it is down. They come from price sources that answer for all chains
 * in one call.
 */

import { hasPrices, idOf, type MarketProvider } from '../../providers/market/market.ts'
import type { Clock } from '../../runtime/clock.ts'
import { chunksOf } from '../../runtime/lists.ts'
import type { ListEntry } from './list-entry.ts'
import type { AskMarket } from './market-calls.ts'

/** A price older than this is refreshed, and this long passes between two attempts. */
const OLD_MS = 30_000

/**
 * @param providers  those with prices and without rows are used: their prices come from more than pools
 * @returns a function that refreshes the old prices among these entries
 */
export function majorPrices(
  providers: readonly MarketProvider[],
  askMarket: AskMarket,
  clock: Clock,
): (entries: readonly ListEntry[]) => Promise<void> {
  const sources = providers.filter(hasPrices).filter(({ rows }) => rows === undefined)
  /** Monotonic, ms. */
  let askedAt = Number.NEGATIVE_INFINITY
  return async (entries) => {
    const [now, date] = [clock.now(), clock.date()]
    if (now - askedAt < OLD_MS) return
    const old = entries.filter(
      ({ book, priceTs }) => book === 'majors' && (priceTs === null || date - priceTs > OLD_MS),
    )
    if (old.length === 0) return
    askedAt = now
    const byId = new Map(old.map((entry) => [idOf(entry), entry]))
    await Promise.all(
      sources.flatMap(({ label, chains, prices }) => {
        const tokens = old.filter(({ chain }) => chains.has(chain))
        return chunksOf(tokens, prices.maxTokens).map(async (batch) => {
          const answer = await askMarket(label, (options) => prices.ask(batch, options))
          for (const price of answer ?? []) {
            if (price.liq === null) byId.get(idOf(price))?.reprice(price, label)
          }
        })
      }),
    )
  }
}
