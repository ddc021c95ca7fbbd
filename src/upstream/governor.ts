/**
 * A provider's published quota, kept on our side of the wire: a bucket that
 * fills at the quota's rate. A call that would overdraw it is refused at once,
 * with the time at which it would not, instead of waiting in a queue or being
 * refused by the provider, which may lock us out for hours.
 *
 * What is asked for last is refused first: research and quotes leave a part of
 * the bucket to builds, whose users have already decided.
 *
 *   0 ........ 20 % ............ 50 % ................... full
 *   builds     builds, quotes    builds, quotes, research
 */
import type { Clock } from '../clock.ts'

/** How urgent a call is: the first keeps its share longest. */
export type Priority = 'build' | 'quote' | 'research'

/** Part of the bucket that a call of this priority leaves to the others, percent. */
const RESERVED_PERCENT: Readonly<Record<Priority, number>> = { build: 0, quote: 20, research: 50 }

/** What sums of thirds and sevenths of a window may be off by. */
const ROUNDING_MS = 1e-3

export interface Quota {
  /** Calls that may be made at once, and in each window. */
  readonly calls: number
  readonly windowMs: number
}

export class Governor {
  // Credit is kept as the time that it took to earn, ms: whole numbers for
  // every quota that is published.
  readonly #fullMs: number
  readonly #costMs: number
  readonly #clock: Clock
  #creditMs: number
  #creditedAt: number

  constructor({ calls, windowMs }: Quota, clock: Clock) {
    this.#fullMs = windowMs
    this.#costMs = windowMs / calls
    this.#clock = clock
    this.#creditMs = windowMs
    this.#creditedAt = clock.now()
  }

  /** Spends a call, or says in how many ms it could. @returns 0 when it was spent */
  admit(priority: Priority): number {
    const nowMs = this.#clock.now()
    this.#creditMs = Math.min(this.#fullMs, this.#creditMs + nowMs - this.#creditedAt)
    this.#creditedAt = nowMs
    // However small the quota, what is reserved for others leaves room for one call.
    const reservedMs = Math.min(
      (this.#fullMs * RESERVED_PERCENT[priority]) / 100,
      this.#fullMs - this.#costMs,
    )
    const missingMs = reservedMs + this.#costMs - this.#creditMs
    if (missingMs > ROUNDING_MS) return Math.ceil(missingMs)
    this.#creditMs -= this.#costMs
    return 0
  }
}
