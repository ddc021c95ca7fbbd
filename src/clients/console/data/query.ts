/**
 * One question to the service that is asked again and again while somebody looks.
 * What was answered stays when the next answer fails or is slow, with the time
 * that it is of; a failure is followed by another attempt, as far apart as the
 * service asks for, and by itself.
 */
import type { Exchange } from '../../client/index.ts'
import { isSwapgateError, type SwapgateError } from '../../client/index.ts'
import type { Clock } from '../clock.ts'

/** After a failure that does not tell when to come again; doubled each time, up to the longest. */
const PAUSE_MS = 1_000
const MAX_PAUSE_MS = 15_000

/** Whether anybody looks at the page, and whether the machine has a network: without both nothing is asked. */
export interface Attention {
  isAwake(): boolean
  /** True while those are told who watch that the network has come back. */
  cameBack(): boolean
  /** Called when the page is looked at again, or the network is back. @returns ends it */
  watch(listener: () => void): () => void
}

/** What is known at a moment. A new object for each change. */
export interface Snapshot<T> {
  /** The last answer; null before the first. */
  readonly data: T | null
  /** When it came, ms of the wall clock. */
  readonly at: number | null
  /** Of the last attempt; null where it was answered. */
  readonly error: SwapgateError | null
  /** The request that was answered last, or failed where none was yet. */
  readonly exchange: Exchange | null
  /** Since when an answer is waited for; null where none is. */
  readonly askedAt: number | null
  /** When it is asked next; null where that is not known. */
  readonly nextAt: number | null
}

export const NOTHING: Snapshot<never> = {
  data: null,
  at: null,
  error: null,
  exchange: null,
  askedAt: null,
  nextAt: null,
}

/** What a call of the client takes from a query. */
export interface Asking {
  readonly signal: AbortSignal
  /** A query waits by itself, so that the page can tell what it waits for. */
  readonly maxWaitMs: 0
  readonly onExchange: (exchange: Exchange) => void
}

export type Ask<T> = (asking: Asking) => Promise<T>

export interface QueryOptions {
  /** From an answer to the next question; null: asked once. */
  readonly everyMs: number | null
  /** A longer pause, where a budget is nearly used up; 0 for none. */
  readonly budgetPauseMs?: (() => number) | undefined
}

export class Query<T> {
  readonly #ask: Ask<T>
  readonly #options: QueryOptions
  readonly #clock: Clock
  readonly #attention: Attention
  readonly #listeners = new Set<() => void>()
  #snapshot: Snapshot<T> = NOTHING
  #failures = 0
  #callOff: (() => void) | null = null
  #abort: AbortController | null = null
  #unwatch: (() => void) | null = null

  constructor(ask: Ask<T>, options: QueryOptions, clock: Clock, attention: Attention) {
    this.#ask = ask
    this.#options = options
    this.#clock = clock
    this.#attention = attention
  }

  get snapshot(): Snapshot<T> {
    return this.#snapshot
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0
  }

  /** Asks while somebody listens. @returns ends it */
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

  /** Asks now, whatever the pause; not where an answer is under way. */
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
    // Whoever comes back to a line that was gone need not wait for the pause.
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

  #set(change: Partial<Snapshot<T>>): void {
    this.#snapshot = { ...this.#snapshot, ...change }
    for (const listener of this.#listeners) listener()
  }
}

/** Whether the same question may be answered later: not where the service said what is wrong with it. */
function mayPass({ status }: SwapgateError): boolean {
  return status === 0 || status === 429 || status >= 500 || status === 200
}
