/** The scrapes of the last minutes. A counter's increase needs two of them. */
import type { Samples } from './series.ts'

/** The longest span that can be compared, ms. */
const LONGEST_MS = 300_000

export interface Scrape {
  /** ms of the wall clock. */
  readonly at: number
  readonly samples: Samples
}

export class ScrapeHistory<T extends { readonly at: number } = Scrape> {
  #scrapes: readonly T[] = []

  add(scrape: T): void {
    // The youngest scrape beyond the longest span is the one to compare it with.
    const firstKept = this.#scrapes.findLastIndex(({ at }) => at <= scrape.at - LONGEST_MS)
    this.#scrapes = [...this.#scrapes.slice(Math.max(0, firstKept)), scrape]
  }

  /** The scrape to compare the last one with: as old as the span, or else the oldest; null without a second one. */
  before(spanMs: number): T | null {
    const last = this.#scrapes.at(-1)
    const [oldest] = this.#scrapes
    if (last === undefined || oldest === last) return null
    return this.#scrapes.findLast(({ at }) => at <= last.at - spanMs) ?? oldest!
  }
}
