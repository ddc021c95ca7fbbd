/**
 * What sources answer about the parts of a token's profile, each answer kept
 * for as long as it is worth keeping, and asked for once by all who want it at
 * the same time. Where a source cannot answer, the answer of before stands in
 * for it, marked as old.
 *
 *   answered     keepMs                                       + an hour
 *     ├── fresh ────┼── asked again; stale where that fails ──────┼── forgotten
 *
 * Source: §4.2, §4 (internal reuse of results)
 */

import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'
import { type Code, GatewayError } from '../errors.ts'
import { type AnswerCounts, Flights } from '../flights.ts'
import type { Logger } from '../log.ts'
import type { Part, PartSource, Parts, TokenId } from '../providers/market/market.ts'
import type { Caller } from '../upstream/caller.ts'

/** How much longer than fresh an answer may stand in for a failure. */
const STALE_MS = 3_600_000
/**
 * How long it is kept that there is no such token, which may change at any time;
 * it never stands in for a failure.
 */
const NONE_KEEP_MS = 60_000
/** The most answers that are kept: some three hundred tokens'. The longest are the trades, of some 60 KiB. */
const MAX_ANSWERS = 5_000
const MAX_BYTES = 16 * 1024 * 1024
/** The most answers under way: some two hundred profiles', because no budget bounds who asks (§8). */
const MAX_FLIGHTS = 2_000

const TOO_MANY: Failure = { code: 'upstream_rate_limited', retryAfterMs: 2_000 }

export interface Failure {
  readonly code: Code
  /** Null where it is not known. */
  readonly retryAfterMs: number | null
}

/** What one source said of one part. Times are ms epoch, of when it answered. */
export type PartAnswer<P extends Part> =
  | {
      readonly kind: 'given'
      readonly value: Parts[P]
      readonly at: number
      /** Why it is not fresh; null where it is. */
      readonly staleBy: Failure | null
    }
  | { readonly kind: 'none'; readonly at: number }
  | { readonly kind: 'failed'; readonly failure: Failure }

interface Kept {
  /** Null where there is no such token. */
  readonly value: Parts[Part] | null
  readonly at: number
  /** Monotonic, ms. */
  readonly freshUntil: number
}

export interface PartAnswersOptions {
  /** Over each answer, ms. */
  readonly deadlineMs: number
  readonly clock: Clock
  readonly log: Logger
}

export class PartAnswers {
  readonly #options: PartAnswersOptions
  readonly #kept: LRUCache<string, Kept>
  readonly #flights: Flights<PartAnswer<Part>>

  constructor(options: PartAnswersOptions) {
    this.#options = options
    this.#flights = new Flights(0, options.clock)
    this.#kept = new LRUCache({
      max: MAX_ANSWERS,
      maxSize: MAX_BYTES,
      // An answer's JSON is about as long as what it takes in memory.
      sizeCalculation: (kept, key) => key.length + JSON.stringify(kept).length,
      ttlResolution: 0,
      perf: options.clock,
    })
  }

  get counts(): AnswerCounts {
    return this.#flights.counts
  }

  /** Never rejects. Whoever asks may leave: others may wait for the same answer, or come for it later. */
  ask<P extends Part>(
    provider: string,
    part: P,
    source: PartSource<P>,
    token: TokenId,
    caller: Caller | null,
  ): Promise<PartAnswer<P>> {
    const key = `${provider} ${part} ${token.chain} ${token.address}`
    const kept = this.#kept.get(key)
    if (kept !== undefined && this.#options.clock.now() < kept.freshUntil) {
      this.counts.kept++
      return Promise.resolve(toAnswer<P>(kept, null))
    }
    const isUnderWay = this.#flights.has(key, caller?.client)
    if (!isUnderWay && this.#flights.size >= MAX_FLIGHTS) {
      return Promise.resolve(this.#standIn(key, TOO_MANY))
    }
    const flight = this.#flights.join(key, caller?.staying() ?? null, (shared) =>
      this.#fetch(key, provider, source, token, shared),
    )
    // The key names the part, and so the answer's type.
    return flight as Promise<PartAnswer<P>>
  }

  async #fetch<P extends Part>(
    key: string,
    provider: string,
    source: PartSource<P>,
    token: TokenId,
    caller: Caller,
  ): Promise<PartAnswer<P>> {
    const { deadlineMs, clock } = this.#options
    try {
      const value = await source.ask(token, { deadlineMs, priority: 'research', caller })
      const keepMs = value === null ? NONE_KEEP_MS : source.keepMs
      const kept = { value, at: clock.date(), freshUntil: clock.now() + keepMs }
      this.#kept.set(key, kept, { ttl: value === null ? keepMs : keepMs + STALE_MS })
      return toAnswer<P>(kept, null)
    } catch (error) {
      return this.#standIn(key, this.#failureOf(provider, error))
    }
  }

  /** What is known from before, or the failure itself. */
  #standIn<P extends Part>(key: string, failure: Failure): PartAnswer<P> {
    const kept = this.#kept.get(key)
    return kept === undefined || kept.value === null
      ? { kind: 'failed', failure }
      : toAnswer<P>(kept, failure)
  }

  #failureOf(provider: string, error: unknown): Failure {
    if (error instanceof GatewayError) {
      return { code: error.code, retryAfterMs: error.fields.retryAfterMs ?? null }
    }
    // A fault of our own should not take the other sources' answers away.
    this.#options.log.error({ provider, err: error }, 'fault')
    return { code: 'internal_error', retryAfterMs: null }
  }
}

function toAnswer<P extends Part>({ value, at }: Kept, staleBy: Failure | null): PartAnswer<P> {
  return value === null ? { kind: 'none', at } : { kind: 'given', value: value as Parts[P], at, staleBy }
}
