/** The last hundred requests of this page, and how long they took. */
import type { Exchange } from '../../client/index.ts'

const KEPT = 100

export interface Noted extends Exchange {
  /** When it ended, ms of the wall clock. */
  readonly at: number
}

export class Exchanges {
  #noted: readonly Noted[] = []
  readonly #listeners = new Set<() => void>()

  /** The oldest first; a new list after each. */
  get all(): readonly Noted[] {
    return this.#noted
  }

  note(exchange: Exchange, at: number): void {
    this.#noted = [...this.#noted.slice(1 - KEPT), { ...exchange, at }]
    for (const listener of this.#listeners) listener()
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

/**
 * How long the service had a request, ms: what it says itself in `Server-Timing`,
 * as a total or as the sum of its parts; null where it says nothing.
 */
export function servedMs({ serverTiming }: Pick<Exchange, 'serverTiming'>): number | null {
  if (serverTiming.total !== undefined) return serverTiming.total
  const parts = Object.values(serverTiming)
  return parts.length === 0 ? null : parts.reduce((sum, ms) => sum + ms)
}
