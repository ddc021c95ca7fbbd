/** The scrapes of the last minutes: what counters grew by needs two. */
import type { Samples } from './series.ts'

/** How far back a scrape is kept, and a little more. */
export const LONGEST_MS = 300_000

export interface Scrape {
  /** ms of the wall clock. */
  readonly at: number
  readonly samples: Samples
}

export class History {
  #scrapes: readonly Scrape[] = []

  add(scrape: Scrape): void {
    // The last one that is too old is still the nearest to the longest span.
    const firstKept = this.#scrapes.findLastIndex(({ at }) => at <= scrape.at - LONGEST_MS)
    this.#scrapes = [...this.#scrapes.slice(Math.max(0, firstKept)), scrape]
  }

  /** The one to compare the last with: as old as the span, or the oldest; null where there is only the last. */
  before(spanMs: number): Scrape | null {
    const last = this.#scrapes.at(-1)
    const [oldest] = this.#scrapes
    if (last === undefined || oldest === last) return null
    return this.#scrapes.findLast(({ at }) => at <= last.at - spanMs) ?? oldest!
  }
}
