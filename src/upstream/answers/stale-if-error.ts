/**
 * A stale-if-error cache of sources' answers. Requests for the same answer are
 * coalesced. If a source fails, its last answer is served in its place, marked
 * as stale.
 *
 *   answered     keepMs                                    + an hour
 *     ├── fresh ────┼── asked again; stale if that fails ──────┼── dropped
 *
 * Source: §4.2, §4 (internal reuse of results) · RFC 5861 §4 (stale-if-error)
 */

import type { CancellationScope } from '../../flow/cancellation.ts'
import { type BoundedCache, boundedCache } from '../../runtime/bounded-cache.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type Code, GatewayError } from '../../runtime/errors.ts'
import type { Logger } from '../../runtime/log.ts'
import { type CacheState, Coalescer } from './coalescing.ts'

/** How long after it was fresh an answer may be served in place of a failure. */
const STALE_MS = 3_600_000
/**
 * How long an empty answer is cached. It may change at any time, and is never
 * served in place of a failure.
 */
const NONE_KEEP_MS = 60_000

const TOO_MANY: SourceFailure = { code: 'upstream_rate_limited', retryAfterMs: 2_000 }

export interface SourceFailure {
  readonly code: Code
  /** Null if unknown. */
  readonly retryAfterMs: number | null
}

/** One source's answer. `at` is when it answered, ms epoch. */
export type SourceAnswer<T> =
  | {
      readonly kind: 'given'
      readonly value: T
      readonly at: number
      /** Why it is stale; null if it is fresh. */
      readonly staleBy: SourceFailure | null
    }
  | { readonly kind: 'none'; readonly at: number }
  | { readonly kind: 'failed'; readonly failure: SourceFailure }

interface CachedAnswer<T> {
  /** Null for an empty answer. */
  readonly value: T | null
  readonly at: number
  /** Monotonic, ms. */
  readonly freshUntil: number
}

/** One query to one source. */
interface SourceQuery<T> {
  readonly key: string
  /** The source's label. */
  readonly provider: string
  /** How long the answer is fresh, ms. */
  readonly keepMs: number | ((answer: T) => number)
  /** @returns null for an empty answer, such as an unknown token */
  ask(scope: CancellationScope): Promise<T | null>
}

interface StaleIfErrorCacheOptions {
  readonly clock: Clock
  readonly log: Logger
  /** The most answers in the cache. */
  readonly max: number
  /** The most bytes of all of them together, as JSON. */
  readonly maxBytes: number
  /** The most calls in progress: no budget bounds them (§8). */
  readonly maxPending: number
}

/** A Coalescer caches what was answered, a failure never; this keeps each answer for longer, to stand in for one. */
export class StaleIfErrorCache<T> {
  readonly #options: StaleIfErrorCacheOptions
  readonly #cached: BoundedCache<string, CachedAnswer<T>>
  readonly #pending: Coalescer<SourceAnswer<T>>

  constructor(options: StaleIfErrorCacheOptions) {
    const { clock, maxBytes } = options
    this.#options = options
    this.#pending = new Coalescer(0, clock)
    this.#cached = boundedCache({
      max: maxBytes,
      // An answer's JSON is about as long as the memory that it takes.
      sizeOf: (kept, key) => key.length + JSON.stringify(kept).length,
      clock,
    })
  }

  get cache(): CacheState {
    return { ...this.#pending.counts, entries: this.#cached.size, bytes: this.#cached.calculatedSize }
  }

  /** The cached answer, fresh or not, without a call; null if there is none. */
  last(key: string): T | null {
    return this.#cached.get(key)?.value ?? null
  }

  /**
   * Never rejects. A call continues when its client leaves: others may wait for the answer, or ask for it
   * later.
   */
  ask(question: SourceQuery<T>, scope: CancellationScope | null): Promise<SourceAnswer<T>> {
    const { clock, maxPending } = this.#options
    const { key } = question
    const kept = this.#cached.get(key)
    if (kept !== undefined && clock.now() < kept.freshUntil) {
      this.#pending.counts.cached++
      return Promise.resolve(toAnswer(kept, null))
    }
    const isPending = this.#pending.has(key, scope?.client)
    if (!isPending && this.#pending.size >= maxPending) {
      return Promise.resolve(this.#standIn(key, TOO_MANY))
    }
    return this.#pending.join(key, scope?.detached() ?? null, (shared) => this.#fetch(question, shared))
  }

  async #fetch(
    { key, provider, keepMs, ask }: SourceQuery<T>,
    scope: CancellationScope,
  ): Promise<SourceAnswer<T>> {
    const { clock } = this.#options
    try {
      const value = await ask(scope)
      const freshMs = value === null ? NONE_KEEP_MS : typeof keepMs === 'number' ? keepMs : keepMs(value)
      const kept = { value, at: clock.date(), freshUntil: clock.now() + freshMs }
      this.#cached.set(key, kept, { ttl: value === null ? freshMs : freshMs + STALE_MS })
      if (this.#cached.size > this.#options.max) this.#cached.pop()
      return toAnswer(kept, null)
    } catch (error) {
      return this.#standIn(key, this.#failureOf(provider, error))
    }
  }

  /** The last answer, marked as stale, or the failure if there is none. */
  #standIn(key: string, failure: SourceFailure): SourceAnswer<T> {
    const kept = this.#cached.get(key)
    return kept === undefined || kept.value === null ? { kind: 'failed', failure } : toAnswer(kept, failure)
  }

  #failureOf(provider: string, error: unknown): SourceFailure {
    if (error instanceof GatewayError) {
      return { code: error.code, retryAfterMs: error.fields.retryAfterMs ?? null }
    }
    // A bug in one adapter must not take away the other sources' answers.
    this.#options.log.error({ provider, err: error }, 'fault')
    return { code: 'internal_error', retryAfterMs: null }
  }
}

function toAnswer<T>({ value, at }: CachedAnswer<T>, staleBy: SourceFailure | null): SourceAnswer<T> {
  return value === null ? { kind: 'none', at } : { kind: 'given', value, at, staleBy }
}
