/**
 * A circuit breaker for one upstream: when calls keep failing, stop calling
 * for a while, then let one call through to see.
 *
 *   closed ──5 failures in a row, or a 429──> open ──time──> half-open
 *     ^                                         ^                │ one probe
 *     │                                         └────failed──────┤
 *     └─────────────────────────succeeded────────────────────────┘
 *
 * Every admitted call holds a pass and hands its verdict in with it. Opening
 * starts a new epoch and voids the passes of the old one, so that the late
 * timeouts of an outage neither prolong the cool-down nor answer for the probe.
 *
 * Source: RFC 9110 §10.2.3 (Retry-After)
 */

import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../clock.ts'

/** Failures in a row that open it. */
const FAILURES_TO_OPEN = 5
/** First cool-down, doubled by each failed probe. Also a 429's that does not say how long. */
const MIN_COOL_DOWN_MS = 1_000
/** No cool-down is longer, whatever an upstream asks for: an hour's pause must not outlive its cause. */
const MAX_COOL_DOWN_MS = 60_000

/** 2001: no pause is that long, and no clock is that late. */
const OLDEST_EPOCH_SECONDS = 1_000_000_000

/** What GET /api/health says about one upstream. */
export interface BreakerState {
  /** `untried`: no call has ended yet. `cooling`: calls are held back, or one probe is under way. */
  readonly state: 'ok' | 'cooling' | 'untried'
  /** Age of the last success in ms, null when there was none. */
  readonly lastSuccessAgoMs: number | null
  /** Failures in a row, up to now. */
  readonly failures: number
}

export class Breaker {
  readonly #clock: Clock
  readonly #maxPauseMs: number
  #phase: 'closed' | 'open' | 'half-open' = 'closed'
  #epoch = 1
  #failures = 0
  #coolDownMs = 0
  #openUntil = 0
  #lastSuccess = Number.NEGATIVE_INFINITY
  #tried = false

  /**
   * @param maxPauseMs  the longest cool-down that a 429 may ask for
   */
  constructor(clock: Clock, maxPauseMs: number = MAX_COOL_DOWN_MS) {
    this.#clock = clock
    this.#maxPauseMs = maxPauseMs
  }

  /** Whether `admit` would let a call through now. */
  get isReady(): boolean {
    return this.#phase === 'closed' || (this.#phase === 'open' && this.#clock.now() >= this.#openUntil)
  }

  /**
   * Ask to make a call. Each pass must be handed in once: to `succeeded`,
   * `failed`, `limited` or `released`.
   * @returns a pass, or 0 for no
   */
  admit(): number {
    if (!this.isReady) return 0
    if (this.#phase === 'open') this.#phase = 'half-open'
    return this.#epoch
  }

  succeeded(pass: number): void {
    this.#tried = true
    this.#lastSuccess = this.#clock.now()
    if (pass !== this.#epoch) return
    this.#phase = 'closed'
    this.#failures = 0
    this.#coolDownMs = 0
  }

  /** The upstream could not be reached, did not answer in time, or answered nonsense or a server error. */
  failed(pass: number): void {
    this.#tried = true
    if (pass !== this.#epoch) return
    this.#failures++
    if (this.#phase === 'closed' && this.#failures < FAILURES_TO_OPEN) return
    this.#coolDownMs = Math.min(Math.max(2 * this.#coolDownMs, MIN_COOL_DOWN_MS), MAX_COOL_DOWN_MS)
    this.#open(this.#coolDownMs)
  }

  /**
   * The upstream answered 429, or said the same in another way.
   * @param retryAfterMs  what it asked for, null when it did not say
   */
  limited(pass: number, retryAfterMs: number | null): void {
    this.#tried = true
    if (pass !== this.#epoch) return
    this.#open(Math.min(Math.max(retryAfterMs ?? 0, MIN_COOL_DOWN_MS), this.#maxPauseMs))
  }

  /** The call was given up for a reason that says nothing about the upstream. */
  released(pass: number): void {
    if (pass === this.#epoch && this.#phase === 'half-open') this.#phase = 'open'
  }

  /** How long until a call is worth trying, in ms; 0 when it is now. */
  get waitMs(): number {
    if (this.isReady) return 0
    // A probe under way has no known end; ask again after the shortest cool-down.
    return this.#phase === 'half-open' ? MIN_COOL_DOWN_MS : Math.ceil(this.#openUntil - this.#clock.now())
  }

  get state(): BreakerState {
    const lastSuccessAgoMs = this.#clock.now() - this.#lastSuccess
    return {
      state: !this.#tried ? 'untried' : this.#phase === 'closed' ? 'ok' : 'cooling',
      lastSuccessAgoMs: Number.isFinite(lastSuccessAgoMs) ? Math.round(lastSuccessAgoMs) : null,
      failures: this.#failures,
    }
  }

  #open(coolDownMs: number): void {
    this.#phase = 'open'
    this.#epoch++
    this.#openUntil = this.#clock.now() + coolDownMs
  }
}

/**
 * How long a 429 asks us to wait, in the dialects that are spoken: Retry-After,
 * `x-ratelimit-reset` in Unix seconds (Jupiter), `ratelimit-reset` in seconds
 * from now (LI.FI).
 * @param nowEpochMs  wall clock, for the forms that are dates
 * @returns ms from now, null when it does not say
 */
export function parsePause(headers: IncomingHttpHeaders, nowEpochMs: number): number | null {
  const retryAfter = headers['retry-after']
  if (retryAfter !== undefined) return parseRetryAfter(retryAfter, nowEpochMs)
  const reset = headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']
  if (typeof reset !== 'string' || !/^\d{1,10}$/.test(reset)) return null
  const seconds = Number(reset)
  return seconds < OLDEST_EPOCH_SECONDS ? seconds * 1_000 : Math.max(seconds * 1_000 - nowEpochMs, 0)
}

/**
 * @param nowEpochMs  wall clock, for the form that is a date
 * @returns ms from now, never negative; null when it is neither delta seconds nor a date
 * Source: RFC 9110 §10.2.3, §5.6.7
 */
export function parseRetryAfter(value: string, nowEpochMs: number): number | null {
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000
  if (!value.endsWith(' GMT')) return null
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(at - nowEpochMs, 0)
}
