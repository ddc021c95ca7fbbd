/**
 * How an upstream has done lately, for whoever looks after it: what its last
 * answers were, not whether it is asked; that is the breaker's.
 */

import type { Clock } from '../clock.ts'
import type { Code } from '../errors.ts'

/** Refusals in a row, whatever was asked, after which an upstream counts as one that refuses us. */
const REFUSALS = 3

/** What GET /api/health says about one upstream. */
export interface UpstreamState {
  readonly name: string
  /**
   * `untried`: no call has ended yet. `cooling`: calls are held back after failures or a 429, or one probe is
   * under way. `refused`: it answers, but only to refuse the gateway or its path. `degraded`: it failed last, or
   * limits a part of the calls.
   */
  readonly state: 'ok' | 'degraded' | 'refused' | 'cooling' | 'untried'
  /** Age of the last success in ms, null when there was none. */
  readonly lastSuccessAgoMs: number | null
  /** Calls in a row that it failed, up to now. */
  readonly failures: number
  /** Its last failure, null when there was none. */
  readonly lastError: { readonly code: Code; readonly status: number | null; readonly agoMs: number } | null
}

export class Standing {
  readonly #clock: Clock
  #tried = false
  #successAt = Number.NEGATIVE_INFINITY
  #failures = 0
  #refusals = 0
  #last: { readonly code: Code; readonly status: number | null; readonly at: number } | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  succeeded(): void {
    this.#tried = true
    this.#successAt = this.#clock.now()
    this.#failures = 0
    this.#refusals = 0
  }

  /** @param status  of the answer, null without one */
  failed(code: Code, status: number | null): void {
    this.#tried = true
    this.#failures++
    this.#last = { code, status, at: this.#clock.now() }
  }

  /** It answered as whoever does not know us does: credentials refused, or nothing at this path. */
  refused(code: Code, status: number | null): void {
    this.#tried = true
    this.#refusals++
    this.#last = { code, status, at: this.#clock.now() }
  }

  /** Its own rate limit is reached, which is no failure. */
  limited(code: Code, status: number | null): void {
    this.#tried = true
    this.#last = { code, status, at: this.#clock.now() }
  }

  /** @param isCooling  no call is let through now  @param isLimited  some are not */
  state(name: string, isCooling: boolean, isLimited: boolean): UpstreamState {
    const agoMs = this.#clock.now() - this.#successAt
    return {
      name,
      state: this.#word(isCooling, isLimited),
      lastSuccessAgoMs: Number.isFinite(agoMs) ? Math.round(agoMs) : null,
      failures: this.#failures + this.#refusals,
      lastError: this.#last && {
        code: this.#last.code,
        status: this.#last.status,
        agoMs: Math.round(this.#clock.now() - this.#last.at),
      },
    }
  }

  #word(isCooling: boolean, isLimited: boolean): UpstreamState['state'] {
    if (!this.#tried) return 'untried'
    if (isCooling) return 'cooling'
    if (this.#refusals >= (Number.isFinite(this.#successAt) ? REFUSALS : 1)) return 'refused'
    return isLimited || this.#failures > 0 ? 'degraded' : 'ok'
  }
}
