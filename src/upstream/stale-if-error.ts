/**
 * What sources answer, each answer kept for as long as it is worth keeping,
 * and asked for once by all who want it at the same time. Where a source
 * cannot answer, the answer of before stands in for it, marked as old.
 *
 *   answered     keepMs                                       + an hour
 *     ├── fresh ────┼── asked again; stale where that fails ──────┼── forgotten
 *
 * Source: §4.2, §4 (internal reuse of results)
 */

import { LRUCache } from 'lru-cache'
import type { CancellationScope } from '../runtime/cancellation.ts'
import type { Clock } from '../runtime/clock.ts'
import { type Code, GatewayError } from '../runtime/errors.ts'
import type { Logger } from '../runtime/log.ts'
import { type CacheState, Coalescer } from './coalescing.ts'

/** How much longer than fresh an answer may stand in for a failure. */
const STALE_MS = 3_600_000
/**
 * How long it is kept that there is nothing to tell, which may change at any time;
 * it never stands in for a failure.
 */
const NONE_KEEP_MS = 60_000

const TOO_MANY: SourceFailure = { code: 'upstream_rate_limited', retryAfterMs: 2_000 }

export interface SourceFailure {
  readonly code: Code
  /** Null where it is not known. */
  readonly retryAfterMs: number | null
}

/** What one source said. Times are ms epoch, of when it answered. */
export type SourceAnswer<T> =
  | {
      readonly kind: 'given'
      readonly value: T
      readonly at: number
      /** Why it is not fresh; null where it is. */
      readonly staleBy: SourceFailure | null
    }
  | { readonly kind: 'none'; readonly at: number }
  | { readonly kind: 'failed'; readonly failure: SourceFailure }

interface CachedAnswer<T> {
  /** Null where there is nothing to tell. */
  readonly value: T | null
  readonly at: number
  /** Monotonic, ms. */
  readonly freshUntil: number
}

/** One question to one source. */
interface SourceQuery<T> {
  readonly key: string
  /** Of the source. */
  readonly provider: string
  /** How long its answer is worth keeping, ms. */
  readonly keepMs: number | ((answer: T) => number)
  /** @returns null where the source says that there is nothing to tell */
  ask(scope: CancellationScope): Promise<T | null>
}

interface StaleIfErrorCacheOptions {
  readonly clock: Clock
  readonly log: Logger
  /** Answers that are kept. */
  readonly max: number
  /** Of all of them together, as JSON. */
  readonly maxBytes: number
  /** Answers under way, because no budget bounds who asks (§8). */
  readonly maxPending: number
}

export class StaleIfErrorCache<T> {
  readonly #options: StaleIfErrorCacheOptions
  readonly #kept: LRUCache<string, CachedAnswer<T>>
  readonly #flights: Coalescer<SourceAnswer<T>>

  constructor(options: StaleIfErrorCacheOptions) {
    const { clock, max, maxBytes } = options
    this.#options = options
    this.#flights = new Coalescer(0, clock)
    this.#kept = new LRUCache({
      max,
      maxSize: maxBytes,
      // An answer's JSON is about as long as what it takes in memory.
      sizeCalculation: (kept, key) => key.length + JSON.stringify(kept).length,
      ttlResolution: 0,
      perf: clock,
    })
  }

  get cache(): CacheState {
    return { ...this.#flights.counts, entries: this.#kept.size, bytes: this.#kept.calculatedSize }
  }

  /** Never rejects. Whoever asks may leave: others may wait for the same answer, or come for it later. */
  ask(question: SourceQuery<T>, scope: CancellationScope | null): Promise<SourceAnswer<T>> {
    const { clock, maxPending } = this.#options
    const { key } = question
    const kept = this.#kept.get(key)
    if (kept !== undefined && clock.now() < kept.freshUntil) {
      this.#flights.counts.kept++
      return Promise.resolve(toAnswer(kept, null))
    }
    const isUnderWay = this.#flights.has(key, scope?.client)
    if (!isUnderWay && this.#flights.size >= maxPending) {
      return Promise.resolve(this.#standIn(key, TOO_MANY))
    }
    return this.#flights.join(key, scope?.staying() ?? null, (shared) => this.#fetch(question, shared))
  }

  async #fetch({ key, provider, keepMs, ask }: SourceQuery<T>, scope: CancellationScope): Promise<SourceAnswer<T>> {
    const { clock } = this.#options
    try {
      const value = await ask(scope)
      const freshMs = value === null ? NONE_KEEP_MS : typeof keepMs === 'number' ? keepMs : keepMs(value)
      const kept = { value, at: clock.date(), freshUntil: clock.now() + freshMs }
      this.#kept.set(key, kept, { ttl: value === null ? freshMs : freshMs + STALE_MS })
      return toAnswer(kept, null)
    } catch (error) {
      return this.#standIn(key, this.#failureOf(provider, error))
    }
  }

  /** What is known from before, or the failure itself. */
  #standIn(key: string, failure: SourceFailure): SourceAnswer<T> {
    const kept = this.#kept.get(key)
    return kept === undefined || kept.value === null ? { kind: 'failed', failure } : toAnswer(kept, failure)
  }

  #failureOf(provider: string, error: unknown): SourceFailure {
    if (error instanceof GatewayError) {
      return { code: error.code, retryAfterMs: error.fields.retryAfterMs ?? null }
    }
    // A fault of our own should not take the other sources' answers away.
    this.#options.log.error({ provider, err: error }, 'fault')
    return { code: 'internal_error', retryAfterMs: null }
  }
}

function toAnswer<T>({ value, at }: CachedAnswer<T>, staleBy: SourceFailure | null): SourceAnswer<T> {
  return value === null ? { kind: 'none', at } : { kind: 'given', value, at, staleBy }
}
