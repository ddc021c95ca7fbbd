/**
 * How an upstream has done lately, for whoever looks after it: what its last
 * answers were, not whether it is asked; that is the breaker's.
 */

import type { Clock } from '../runtime/clock.ts'
import type { Code } from '../runtime/errors.ts'

/** So many in a row, whatever was asked, are the upstream's way and not the question's. */
const IN_A_ROW = 3

/** What GET /api/health says about one upstream. */
export interface UpstreamState {
  readonly name: string
  /**
   * `untried`: no call has ended yet. `cooling`: calls are held back after failures or a 429, or one probe is
   * under way. `refused`: it answers, but only to refuse the gateway or its path; or it is of another cluster.
   * `degraded`: it failed last, never did what it was asked, or limits a part of the calls.
   */
  readonly state: 'ok' | 'degraded' | 'refused' | 'cooling' | 'untried'
  /** Age of the last success in ms, null when there was none. */
  readonly lastSuccessAgoMs: number | null
  /** Calls in a row that it failed, up to now. */
  readonly failures: number
  /** Its last failure, null when there was none. */
  readonly lastError: { readonly code: Code; readonly status: number | null; readonly agoMs: number } | null
}

export class UpstreamHealth {
  readonly #clock: Clock
  #tried = false
  #successAt = Number.NEGATIVE_INFINITY
  #failures = 0
  #refusals = 0
  #doubts = 0
  #isBarred = false
  #last: { readonly code: Code; readonly status: number | null; readonly at: number } | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  succeeded(): void {
    this.#tried = true
    this.#successAt = this.#clock.now()
    this.#failures = 0
    this.#refusals = 0
    this.#doubts = 0
  }

  /** @param status  of the answer, null without one */
  failed(code: Code, status: number | null): void {
    this.#failures++
    this.#note(code, status)
  }

  /** It answered as whoever does not know us does: credentials refused, or nothing at this path. */
  refused(code: Code, status: number | null): void {
    this.#refusals++
    this.#note(code, status)
  }

  /** It could not do what it was asked, which may be the question's fault. */
  doubted(code: Code, status: number | null): void {
    this.#doubts++
    this.#note(code, status)
  }

  /** Its own rate limit is reached, which is no failure. */
  limited(code: Code, status: number | null): void {
    this.#note(code, status)
  }

  /** It refused what it was asked, which is told where nothing else is. */
  declined(code: Code, status: number | null): void {
    if (this.#last === null) this.#note(code, status)
  }

  /** It is asked no more. Calls that still end say nothing new. */
  barred(code: Code): void {
    this.#isBarred = true
    this.#note(code, null)
  }

  get isBarred(): boolean {
    return this.#isBarred
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
    if (this.#isBarred) return 'refused'
    if (!this.#tried) return 'untried'
    if (isCooling) return 'cooling'
    const hasSucceeded = Number.isFinite(this.#successAt)
    if (this.#refusals >= (hasSucceeded ? IN_A_ROW : 1)) return 'refused'
    return hasSucceeded && !isLimited && this.#failures === 0 && this.#doubts < IN_A_ROW ? 'ok' : 'degraded'
  }

  #note(code: Code, status: number | null): void {
    this.#tried = true
    this.#last = { code, status, at: this.#clock.now() }
  }
}

/** The state of what was never asked. */
export function untried(name: string): UpstreamState {
  return { name, state: 'untried', lastSuccessAgoMs: null, failures: 0, lastError: null }
}

/**
 * One state for a name that several upstreams have, such as one that counts its
 * quotes apart: the word that all have that were tried, and `degraded` where
 * some of them do better than others.
 */
export function mergedStates(states: readonly UpstreamState[]): UpstreamState[] {
  const byName = new Map<string, UpstreamState>()
  for (const state of states) {
    const known = byName.get(state.name)
    byName.set(state.name, known === undefined ? state : merged(known, state))
  }
  return [...byName.values()]
}

function merged(one: UpstreamState, other: UpstreamState): UpstreamState {
  return {
    name: one.name,
    state:
      one.state === 'untried'
        ? other.state
        : other.state === 'untried' || other.state === one.state
          ? one.state
          : 'degraded',
    lastSuccessAgoMs: earlier(one.lastSuccessAgoMs, other.lastSuccessAgoMs),
    failures: Math.max(one.failures, other.failures),
    lastError: newerError(one.lastError, other.lastError),
  }
}

function earlier(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other)
}

export function newerError(
  one: UpstreamState['lastError'],
  other: UpstreamState['lastError'],
): UpstreamState['lastError'] {
  return one === null || other === null ? (one ?? other) : other.agoMs < one.agoMs ? other : one
}
