/**
 * Cooldowns: a 429 stops the calls that it is about for as long as the upstream
 * asks, and so does a refusal of the gateway's key, for the shortest time. Those are the calls of one lane: an RPC method, or everything at an
 * upstream without lanes. Every so often one call goes through as a probe,
 * because an upstream may ask for far longer than it needs.
 *
 * Source: RFC 6585 §4, RFC 9110 §10.2.3 (Retry-After)
 */

import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../../runtime/clock.ts'
import type { Code } from '../../runtime/errors.ts'
import type { SharedCooldown } from './shared-limits.ts'

/** The shortest cooldown, and that of a 429 that does not say how long. */
const MIN_COOLDOWN_MS = 1_000

/** Whole by the RFC; servers that count in milliseconds write a fraction. */
const SECONDS = /^\d{1,9}(\.\d{1,9})?$/
/** 2001: no cooldown is that long, and no clock that wrong. */
const OLDEST_EPOCH_SECONDS = 1_000_000_000

interface CooldownOptions {
  /** The longest cooldown that a 429 may ask for. */
  readonly maxMs: number
  /** How long a cooldown lasts before a call may probe it. */
  readonly probeMs: number
  /** Called when a 429 starts a cooldown here. */
  readonly onStarted?: (lane: string) => void
  /** Called when a lane in cooldown is answered again. */
  readonly onEnded?: (lane: string) => void
}

/** Why a lane is in cooldown. */
type CooldownCode = Extract<Code, 'upstream_rate_limited' | 'upstream_refused'>

interface Cooldown {
  readonly code: CooldownCode
  readonly until: number
  probeAt: number
  /** Whether the other instances know of it. */
  isShared: boolean
}

export class Cooldowns {
  readonly #clock: Clock
  readonly options: CooldownOptions
  /** By lane; lanes are our own names, so there are few. */
  readonly #byLane = new Map<string, Cooldown>()

  constructor(clock: Clock, options: CooldownOptions) {
    this.#clock = clock
    this.options = options
  }

  /** Whether any lane is in cooldown now. */
  get isAny(): boolean {
    if (this.#byLane.size === 0) return false
    const now = this.#clock.now()
    for (const { until } of this.#byLane.values()) if (now < until) return true
    return false
  }

  /** The lanes that are in cooldown now, and for how long at most. */
  get active(): { readonly lane: string; readonly leftMs: number }[] {
    const lanes = [...this.#byLane.keys()].map((lane) => ({ lane, leftMs: this.leftMs(lane) }))
    return lanes.filter(({ leftMs }) => leftMs > 0)
  }

  /** Whether a call in this lane may be made now: it isn't in cooldown, or a probe is due. */
  isReady(lane: string): boolean {
    if (this.#byLane.size === 0) return true
    const cooldown = this.#byLane.get(lane)
    return cooldown === undefined || this.#clock.now() >= Math.min(cooldown.probeAt, cooldown.until)
  }

  /** The rest of this lane's cooldown, ms; 0 if it has none. */
  leftMs(lane: string): number {
    const cooldown = this.#byLane.get(lane)
    return cooldown === undefined ? 0 : Math.max(0, Math.ceil(cooldown.until - this.#clock.now()))
  }

  /** Records that a call in this lane is made now: during a cooldown it is the probe. */
  begin(lane: string): void {
    const cooldown = this.#byLane.get(lane)
    if (cooldown !== undefined) cooldown.probeAt = this.#clock.now() + this.options.probeMs
  }

  /**
   * Starts a cooldown: the upstream answered 429. @param askedMs  the requested time; null if it did not say
   */
  limited(lane: string, askedMs: number | null): void {
    this.#start(lane, askedMs, 'upstream_rate_limited')
  }

  /** The same for an answer that refuses the gateway's credentials. */
  denied(lane: string): void {
    this.#start(lane, null, 'upstream_refused')
  }

  #start(lane: string, askedMs: number | null, code: CooldownCode): void {
    const cooldownMs = Math.min(Math.max(askedMs ?? 0, MIN_COOLDOWN_MS), this.options.maxMs)
    const now = this.#clock.now()
    this.#byLane.set(lane, {
      code,
      until: now + cooldownMs,
      probeAt: now + this.options.probeMs,
      isShared: false,
    })
    this.options.onStarted?.(lane)
  }

  /** Why the lane is in cooldown; if another instance noted it, the rate limit. */
  codeOf(lane: string): CooldownCode {
    return this.#byLane.get(lane)?.code ?? 'upstream_rate_limited'
  }

  /** Ends the lane's cooldown: the upstream answered in it again. */
  succeeded(lane: string): void {
    if (this.#byLane.size > 0 && this.#byLane.delete(lane)) this.options.onEnded?.(lane)
  }

  /** Whether this lane is in cooldown, or was and hasn't been answered since. */
  has(lane: string): boolean {
    return this.#byLane.size > 0 && this.#byLane.has(lane)
  }

  /** The lane's cooldown as other instances get it; null if it has none. */
  toShare(lane: string): SharedCooldown | null {
    const cooldown = this.#byLane.get(lane)
    if (cooldown === undefined) return null
    return {
      leftMs: this.leftMs(lane),
      probeInMs: Math.max(0, Math.ceil(cooldown.probeAt - this.#clock.now())),
    }
  }

  /** Records that the other instances know of the lane's cooldown, and will report its end. */
  markShared(lane: string): void {
    const cooldown = this.#byLane.get(lane)
    if (cooldown !== undefined) cooldown.isShared = true
  }

  /**
   * Takes over what all instances know of a lane; this one's own cooldown stays if they do not know it yet.
   */
  adopt(lane: string, shared: SharedCooldown | null): void {
    const known = this.#byLane.get(lane)
    if (known !== undefined && !known.isShared) return
    if (shared === null) {
      if (known !== undefined) this.#byLane.delete(lane)
      return
    }
    const { maxMs, probeMs } = this.options
    const now = this.#clock.now()
    this.#byLane.set(lane, {
      code: known?.code ?? 'upstream_rate_limited',
      until: now + Math.min(shared.leftMs, maxMs),
      probeAt: now + Math.min(shared.probeInMs, probeMs),
      isShared: true,
    })
  }
}

/**
 * How long a 429 asks us to wait, in the dialects of providers: Retry-After,
 * `x-ratelimit-reset` in Unix seconds (Jupiter), `ratelimit-reset` (LI.FI) and
 * `x-ratelimit-reset-after` (KyberSwap) in seconds from now.
 * @param nowEpochMs  wall clock, for the forms that are dates
 * @returns ms from now; null if it does not say
 */
export function parseCooldown(headers: IncomingHttpHeaders, nowEpochMs: number): number | null {
  const retryAfter = headers['retry-after']
  if (retryAfter !== undefined) return parseRetryAfter(retryAfter, nowEpochMs)
  const after = headers['x-ratelimit-reset-after'] ?? headers['ratelimit-reset-after']
  if (typeof after === 'string' && SECONDS.test(after)) return Math.ceil(Number(after) * 1_000)
  const reset = headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']
  if (typeof reset !== 'string' || !/^\d{1,10}(\.\d{1,9})?$/.test(reset)) return null
  const seconds = Math.ceil(Number(reset))
  return seconds < OLDEST_EPOCH_SECONDS ? seconds * 1_000 : Math.max(seconds * 1_000 - nowEpochMs, 0)
}

/**
 * @param nowEpochMs  wall clock, for the form that is a date
 * @returns ms from now, never negative; null if it is neither delta seconds nor a date
 * Source: RFC 9110 §10.2.3, §5.6.7
 */
export function parseRetryAfter(value: string, nowEpochMs: number): number | null {
  if (SECONDS.test(value)) return Math.ceil(Number(value) * 1_000)
  if (!value.endsWith(' GMT')) return null
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(at - nowEpochMs, 0)
}
