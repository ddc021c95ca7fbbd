/**
 * One query to the service, polled while a component shows it. The last answer, with
 * its time, stays while the next one fails or is slow. A failure is retried
 * automatically, with backoff and no sooner than the service's Retry-After.
 */
import { type Clock, type Exchange, isSwapgateError, type SwapgateError } from '../../client/index.ts'

/** The backoff after a failure without Retry-After; doubled each time, up to the maximum. */
const PAUSE_MS = 1_000
const MAX_PAUSE_MS = 15_000

/** Whether the page is visible, and when the network returns. A hidden page sends nothing. */
export interface Attention {
  isAwake(): boolean
  /** True while listeners are notified that the network is back. */
  cameBack(): boolean
  /** Calls `listener` when the page's visibility changes or the network is back. @returns stops it */
  watch(listener: () => void): () => void
}

/** The state of a query; a new object for each change. */
export interface QuerySnapshot<T> {
  /** The last answer; null before the first. */
  readonly data: T | null
  /** When the last answer arrived, ms of the wall clock. */
  readonly at: number | null
  /** The error of the last attempt; null if it was answered. */
  readonly error: SwapgateError | null
  /** The last answered request; before the first answer, the failed one. */
  readonly exchange: Exchange | null
  /** When the pending request was sent; null without one. */
  readonly askedAt: number | null
  /** When the next request is due; null if none is. */
  readonly nextAt: number | null
}

export const NOTHING: QuerySnapshot<never> = {
  data: null,
  at: null,
  error: null,
  exchange: null,
  askedAt: null,
  nextAt: null,
}

/** The client's call options that a query sets. */
export interface QueryCallOptions {
  readonly signal: AbortSignal
  /** A query does its own waiting, so that the page can show it. */
  readonly maxWaitMs: 0
  readonly onExchange: (exchange: Exchange) => void
}

export type QueryFunction<T> = (callOptions: QueryCallOptions) => Promise<T>

export interface QueryOptions {
  /** The pause between an answer and the next request; null: no polling. */
  readonly everyMs: number | null
  /** A longer pause when a budget runs low, ms; 0 for none. */
  readonly budgetPauseMs?: (() => number) | undefined
}

export class Query<T> {
  readonly #ask: QueryFunction<T>
  readonly #options: QueryOptions
  readonly #clock: Clock
  readonly #attention: Attention
  readonly #listeners = new Set<() => void>()
  #snapshot: QuerySnapshot<T> = NOTHING
  #failures = 0
  #callOff: (() => void) | null = null
  #abort: AbortController | null = null
  #unwatch: (() => void) | null = null

  /** @param clock  the wall clock */
  constructor(ask: QueryFunction<T>, options: QueryOptions, clock: Clock, attention: Attention) {
    this.#ask = ask
    this.#options = options
    this.#clock = clock
    this.#attention = attention
  }

  get snapshot(): QuerySnapshot<T> {
    return this.#snapshot
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0
  }

  /** Polls while there are listeners. @returns unsubscribes */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) {
      this.#unwatch = this.#attention.watch(() => this.#schedule())
      this.#schedule()
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#unwatch?.()
      this.#callOff?.()
      this.#abort?.abort()
    }
  }

  /** Sends the request now, unless one is pending. */
  refresh(): void {
    if (this.#abort !== null) return
    this.#callOff?.()
    void this.#run()
  }

  #schedule(): void {
    this.#callOff?.()
    this.#callOff = null
    if (!this.isWatched || this.#abort !== null || !this.#attention.isAwake()) return
    const { at, nextAt, error } = this.#snapshot
    if (nextAt === null && (at !== null || error !== null)) return
    // Once the network is back, the backoff no longer applies.
    const waitMs =
      error?.code === 'network' && this.#attention.cameBack() ? 0 : (nextAt ?? 0) - this.#clock.now()
    if (waitMs <= 0) void this.#run()
    else this.#callOff = this.#clock.after(waitMs, () => void this.#run())
  }

  async #run(): Promise<void> {
    const abort = new AbortController()
    this.#abort = abort
    let exchange: Exchange | null = null
    this.#set({ askedAt: this.#clock.now() })
    try {
      const data = await this.#ask({
        signal: abort.signal,
        maxWaitMs: 0,
        onExchange: (one) => (exchange = one),
      })
      this.#failures = 0
      const now = this.#clock.now()
      const { everyMs, budgetPauseMs } = this.#options
      const nextAt = everyMs === null ? null : now + Math.max(everyMs, budgetPauseMs?.() ?? 0)
      this.#abort = null
      this.#set({ data, at: now, error: null, askedAt: null, nextAt, exchange })
    } catch (error) {
      if (!isSwapgateError(error)) throw error
      this.#abort = null
      if (abort.signal.aborted) this.#set({ askedAt: null })
      else this.#fail(error, exchange)
    }
    this.#schedule()
  }

  #fail(error: SwapgateError, exchange: Exchange | null): void {
    const pauseMs = Math.min(PAUSE_MS * 2 ** this.#failures++, MAX_PAUSE_MS)
    const nextAt = mayPass(error) ? this.#clock.now() + Math.max(error.retryAfterMs ?? 0, pauseMs) : null
    const shown = this.#snapshot.data === null ? exchange : this.#snapshot.exchange
    this.#set({ error, askedAt: null, nextAt, exchange: shown })
  }

  #set(change: Partial<QuerySnapshot<T>>): void {
    this.#snapshot = { ...this.#snapshot, ...change }
    for (const listener of this.#listeners) listener()
  }
}

/** Whether a retry may succeed: not if the service refused the request itself. */
function mayPass({ status }: SwapgateError): boolean {
  return status === 0 || status === 429 || status >= 500 || status === 200
}
