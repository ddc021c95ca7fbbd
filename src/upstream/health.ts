/**
 * The health of an upstream, for operators: how its last calls ended. The
 * circuit breaker, not this, decides whether it gets calls.
 */

import type { Static } from 'typebox'
import type { Clock } from '../runtime/clock.ts'
import type { Code } from '../runtime/errors.ts'
import type { Health } from '../runtime/resources/health.ts'
import type { CallEnd } from './call.ts'

/** This many consecutive failures are the upstream's fault, and not the question's. */
const IN_A_ROW = 3

/**
 * What GET /api/health says about one node of Solana. `untried`: no call has ended yet. `cooling`: calls are rejected
 * after failures or a 429, or one probe is in progress. `refused`: it answers, but only refuses the gateway or its path;
 * or it belongs to another cluster. `degraded`: its last call failed, none has succeeded yet, or a part of the calls is
 * in cooldown.
 */
export type NodeState = Static<typeof Health>['providers'][number]
/** The same of an upstream whose calls have one state. */
export type UpstreamState = Omit<NodeState, 'submissions'>

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

  /** Notes how a call ended, unless it was given up. */
  ended({ failure, isFault, status }: Pick<CallEnd, 'failure' | 'isFault' | 'status'>): void {
    if (failure === 'given_up') return
    if (failure === null) {
      this.#tried = true
      this.#successAt = this.#clock.now()
      this.#failures = this.#refusals = this.#doubts = 0
      return
    }
    // It refused the gateway's credentials, or has nothing at this path.
    if (failure === 'upstream_refused' || status === 404) this.#refusals++
    else if (isFault) this.#failures++
    // It could not answer, which may be the question's fault.
    else if (failure === 'upstream_failed') this.#doubts++
    // It declined the question, which is noted only if no other error is. Reaching its rate limit is no failure.
    else if (failure !== 'upstream_rate_limited' && this.#last !== null) return
    this.#note(failure, status)
  }

  /** It gets no more calls; those still running change nothing. @param code  null lifts this */
  barred(code: Code | null): void {
    this.#isBarred = code !== null
    if (code !== null) this.#note(code, null)
  }

  get isBarred(): boolean {
    return this.#isBarred
  }

  /** @param isCooling  no call is admitted now  @param isLimited  some lanes are in cooldown */
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

/** The state of an upstream that has had no call. */
export function untried(name: string): UpstreamState {
  return { name, state: 'untried', lastSuccessAgoMs: null, failures: 0, lastError: null }
}

/**
 * One state per name, for upstreams with the same name, such as one with a separate quota for quotes: the
 * state of those that were tried, or `degraded` if these differ.
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
