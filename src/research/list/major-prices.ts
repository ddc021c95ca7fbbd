/**
 * Prices of majors that no source of rows has told for a while, as when it is
 * down: from one that vouches for prices and is asked for all chains at once.
 */

import { idOf, type MarketProvider, type PriceSource } from '../../providers/market/market.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Entry } from './entry.ts'
import type { Sources } from './sources.ts'

/** A price that is older is asked for; and how long after the last time. */
const OLD_MS = 30_000

type PriceProvider = MarketProvider & { readonly prices: PriceSource }

export class MajorPrices {
  readonly #providers: readonly PriceProvider[]
  readonly #clock: Clock
  /** Monotonic, ms. */
  #askedAt = Number.NEGATIVE_INFINITY

  /** @param providers  of which those are asked that have prices and no rows: they look at more than pools */
  constructor(providers: readonly MarketProvider[], clock: Clock) {
    this.#providers = providers.filter(
      (provider): provider is PriceProvider => provider.prices !== undefined && provider.rows === undefined,
    )
    this.#clock = clock
  }

  /** When they were last asked for; monotonic, ms. */
  get askedAt(): number {
    return this.#askedAt
  }

  /** Another instance has asked for them. */
  adopt(askedAt: number): void {
    this.#askedAt = Math.max(this.#askedAt, askedAt)
  }

  async refresh(entries: readonly Entry[], sources: Sources): Promise<void> {
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
        return batches(tokens, prices.maxTokens).map(async (batch) => {
          const answer = await sources.ask(label, (options) => prices.ask(batch, options))
          for (const price of answer ?? []) {
            if (price.liq === null) byId.get(idOf(price))?.reprice(price, label)
          }
        })
      }),
    )
  }
}

function batches(tokens: readonly Entry[], size: number): readonly (readonly Entry[])[] {
  return Array.from({ length: Math.ceil(tokens.length / size) }, (_, i) =>
    tokens.slice(i * size, (i + 1) * size),
  )
}
