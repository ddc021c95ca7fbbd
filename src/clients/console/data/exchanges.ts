/** The last hundred requests of this page, with their durations. */
import type { Exchange } from '../../client/index.ts'

const MAX_EXCHANGES = 100

export interface TimedExchange extends Exchange {
  /** When it ended, ms of the wall clock. */
  readonly at: number
}

export class Exchanges {
  #noted: readonly TimedExchange[] = []
  readonly #listeners = new Set<() => void>()

  /** Oldest first. A new array after each request. */
  get all(): readonly TimedExchange[] {
    return this.#noted
  }

  note(exchange: Exchange, at: number): void {
    this.#noted = [...this.#noted.slice(1 - MAX_EXCHANGES), { ...exchange, at }]
    for (const listener of this.#listeners) listener()
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

/**
 * The service's own time for a request, ms, from `Server-Timing`: the total, or the
 * sum of the parts; null without the header.
 */
export function servedMs({ serverTiming }: Pick<Exchange, 'serverTiming'>): number | null {
  if (serverTiming.total !== undefined) return serverTiming.total
  const parts = Object.values(serverTiming)
  return parts.length === 0 ? null : parts.reduce((sum, ms) => sum + ms)
}
