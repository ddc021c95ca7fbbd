/**
 * What an upstream's own rate limit holds back: a 429 pauses what it is about,
 * which is one lane (an RPC method, or everything where an upstream has no
 * lanes), for as long as it asks. Once in a while one call goes through all the
 * same, to see: what an upstream asks for may be far more than it means.
 *
 * Source: RFC 6585 §4, RFC 9110 §10.2.3 (Retry-After)
 */

import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../runtime/clock.ts'
import type { SharedCooldown } from './shared-limits.ts'

/** A pause that was not said how long, and the shortest. */
const MIN_PAUSE_MS = 1_000

/** 2001: no pause is that long, and no clock is that late. */
const OLDEST_EPOCH_SECONDS = 1_000_000_000

interface CooldownOptions {
  /** The longest pause that a 429 may ask for. */
  readonly maxMs: number
  /** How long a pause may last before a call is let through to see. */
  readonly probeMs: number
  /** Told of what a 429 holds back here. */
  readonly onPaused?: (lane: string) => void
  /** Told that a lane that was held back is answered again. */
  readonly onResumed?: (lane: string) => void
}

interface Pause {
  readonly until: number
  probeAt: number
  /** Other instances know of it. */
  isShared: boolean
}

export class Cooldowns {
  readonly #clock: Clock
  readonly #options: CooldownOptions
  /** By lane; lanes are names of ours, so there are few. */
  readonly #pauses = new Map<string, Pause>()

  constructor(clock: Clock, options: CooldownOptions) {
    this.#clock = clock
    this.#options = options
  }

  /** Whether any lane is held back now. */
  get isAny(): boolean {
    if (this.#pauses.size === 0) return false
    const now = this.#clock.now()
    for (const { until } of this.#pauses.values()) if (now < until) return true
    return false
  }

  /** The lanes that are held back now, and for how long at most. */
  get held(): { readonly lane: string; readonly leftMs: number }[] {
    const lanes = [...this.#pauses.keys()].map((lane) => ({ lane, leftMs: this.leftMs(lane) }))
    return lanes.filter(({ leftMs }) => leftMs > 0)
  }

  /** Whether a call in this lane may be made now: it is not paused, or it is time to see. */
  isReady(lane: string): boolean {
    if (this.#pauses.size === 0) return true
    const pause = this.#pauses.get(lane)
    return pause === undefined || this.#clock.now() >= Math.min(pause.probeAt, pause.until)
  }

  /** How long the upstream asked to be left alone in this lane, ms from now; 0 when it did not. */
  leftMs(lane: string): number {
    const pause = this.#pauses.get(lane)
    return pause === undefined ? 0 : Math.max(0, Math.ceil(pause.until - this.#clock.now()))
  }

  /** Notes that a call in this lane is made now: where the lane is paused, it is the probe. */
  begin(lane: string): void {
    const pause = this.#pauses.get(lane)
    if (pause !== undefined) pause.probeAt = this.#clock.now() + this.#options.probeMs
  }

  /** The upstream answered 429. @param askedMs  how long it asked for, null when it did not say */
  limited(lane: string, askedMs: number | null): void {
    const pauseMs = Math.min(Math.max(askedMs ?? 0, MIN_PAUSE_MS), this.#options.maxMs)
    const now = this.#clock.now()
    this.#pauses.set(lane, {
      until: now + pauseMs,
      probeAt: now + this.#options.probeMs,
      isShared: false,
    })
    this.#options.onPaused?.(lane)
  }

  /** The upstream answered in this lane again. */
  succeeded(lane: string): void {
    if (this.#pauses.size > 0 && this.#pauses.delete(lane)) this.#options.onResumed?.(lane)
  }

  /** Whether anything is known to hold this lane back, or to have done so last. */
  has(lane: string): boolean {
    return this.#pauses.size > 0 && this.#pauses.has(lane)
  }

  /** As other instances are told of it; null where there is none. */
  told(lane: string): SharedCooldown | null {
    const pause = this.#pauses.get(lane)
    if (pause === undefined) return null
    return {
      leftMs: this.leftMs(lane),
      probeInMs: Math.max(0, Math.ceil(pause.probeAt - this.#clock.now())),
    }
  }

  /** The other instances know what holds this lane back, and tell when it ends. */
  shared(lane: string): void {
    const pause = this.#pauses.get(lane)
    if (pause !== undefined) pause.isShared = true
  }

  /** What all instances know of a lane. One that was paused here and is not known to them stays so. */
  adopt(lane: string, told: SharedCooldown | null): void {
    const known = this.#pauses.get(lane)
    if (known !== undefined && !known.isShared) return
    if (told === null) {
      if (known !== undefined) this.#pauses.delete(lane)
      return
    }
    const { maxMs, probeMs } = this.#options
    const now = this.#clock.now()
    this.#pauses.set(lane, {
      until: now + Math.min(told.leftMs, maxMs),
      probeAt: now + Math.min(told.probeInMs, probeMs),
      isShared: true,
    })
  }
}

/**
 * How long a 429 asks us to wait, in the dialects that are spoken: Retry-After,
 * `x-ratelimit-reset` in Unix seconds (Jupiter), `ratelimit-reset` in seconds
 * from now (LI.FI).
 * @param nowEpochMs  wall clock, for the forms that are dates
 * @returns ms from now, null when it does not say
 */
export function parseCooldown(headers: IncomingHttpHeaders, nowEpochMs: number): number | null {
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
