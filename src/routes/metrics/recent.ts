/** What the operator's page shows of the last minute, and the last errors with their causes. No timer runs. */
import { createHistogram } from 'node:perf_hooks'
import type { Clock } from '../../runtime/clock.ts'
import type { CallEnd } from '../../upstream/call.ts'
import type { ObservedExchange } from './requests.ts'

/** The last minute is the running step and the five before it. */
const STEP_MS = 10_000
const STEPS = 6
/** Different errors that are kept. */
const MAX_ERRORS = 50
/** Durations in µs, within 1%; longer ones count as two minutes. */
const DURATIONS = { lowest: 1, highest: 120_000_000, figures: 2 }

/** `failed` counts replies with a 5xx. */
const newStep = () => ({ requests: 0, failed: 0, shed: 0, durations: createHistogram(DURATIONS) })

/** Equal errors as one. */
export interface RecentError {
  /** When it was last seen, ms epoch. */
  readonly at: number
  readonly count: number
  /** A route's pattern, or an upstream. */
  readonly where: string
  readonly code: string
  /** Null if nothing beyond the code is known. */
  readonly cause: string | null
  /** The last one's id, as in the log and in X-Request-Id. */
  readonly requestId: string | null
}

export interface RecentReport {
  readonly lastMinute: ReturnType<Recent['lastMinute']>
  /** The last first. */
  readonly errors: readonly RecentError[]
}

/** What several threads report, as one; of the 95th percentiles, the highest. */
export function mergedReports(reports: readonly RecentReport[]): RecentReport {
  const minutes = reports.map(({ lastMinute }) => lastMinute)
  const sum = (of: 'requests' | 'failed' | 'shed'): number =>
    minutes.reduce((total, minute) => total + minute[of], 0)
  const p95s = minutes.flatMap(({ p95Ms }) => p95Ms ?? [])
  return {
    lastMinute: {
      ms: Math.max(...minutes.map(({ ms }) => ms)),
      requests: sum('requests'),
      failed: sum('failed'),
      shed: sum('shed'),
      p95Ms: p95s.length === 0 ? null : Math.max(...p95s),
    },
    errors: reports
      .flatMap(({ errors }) => errors)
      .sort((a, b) => b.at - a.at)
      .slice(0, MAX_ERRORS),
  }
}

export class Recent {
  readonly #clock: Clock
  readonly #startedAt: number
  readonly #errors = new Map<string, RecentError>()
  /** Oldest first; the running one is last. */
  readonly #steps = [newStep()]
  #index = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#startedAt = clock.now()
  }

  observe(exchange: ObservedExchange, status: number, ms: number): void {
    const { route, failure, timing, isStream, id } = exchange
    // Reading the clock would cost more than all the rest. What was shed without a time counts in the running step.
    if (timing !== undefined) this.#turn(timing.startedAt + ms)
    const step = this.#steps.at(-1)!
    step.requests++
    // An event stream's duration isn't a latency.
    if (!isStream) step.durations.record(Math.min(DURATIONS.highest, Math.max(1, Math.round(ms * 1_000))))
    if (status < 500) return
    step.failed++
    if (failure?.code === 'overloaded') step.shed++
    else if (failure !== null) {
      const { provider, upstreamStatus } = failure.fields
      this.#note(route, failure.code, [provider, upstreamStatus && `status ${upstreamStatus}`], id ?? null)
    }
  }

  observeCall({ upstream, failure, cause, status, requestId }: CallEnd): void {
    if (failure === null || failure === 'given_up') return
    this.#note(upstream, failure, [cause, status && `status ${status}`], requestId)
  }

  lastMinute() {
    const now = this.#clock.now()
    this.#turn(now)
    const sum = (of: 'requests' | 'failed' | 'shed'): number =>
      this.#steps.reduce((total, step) => total + step[of], 0)
    const all = createHistogram(DURATIONS)
    for (const { durations } of this.#steps) all.add(durations)
    return {
      /** The time that the rest is about, ms: a minute at most, less after the start. */
      ms: Math.round(now - this.#startedAt - (this.#index - this.#steps.length + 1) * STEP_MS),
      requests: sum('requests'),
      /** Replies with a 5xx. */
      failed: sum('failed'),
      /** Of those, requests that were shed in an overload. */
      shed: sum('shed'),
      /** Null without requests. */
      p95Ms: all.count === 0 ? null : all.percentile(95) / 1_000,
    }
  }

  /** The last first. */
  errors(): RecentError[] {
    return [...this.#errors.values()].reverse()
  }

  /** Ends the running step if its time is over. */
  #turn(now: number): void {
    const index = Math.floor((now - this.#startedAt) / STEP_MS)
    for (let left = Math.min(index - this.#index, STEPS); left > 0; left--) this.#steps.push(newStep())
    if (this.#steps.length > STEPS) this.#steps.splice(0, this.#steps.length - STEPS)
    this.#index = Math.max(this.#index, index)
  }

  #note(
    where: string,
    code: string,
    causes: readonly (string | 0 | null | undefined)[],
    requestId: string | null,
  ): void {
    const cause = causes.filter(Boolean).join(', ') || null
    const key = `${where} ${code} ${cause}`
    const count = (this.#errors.get(key)?.count ?? 0) + 1
    // The latest one is last in the map.
    this.#errors.delete(key)
    this.#errors.set(key, { at: this.#clock.date(), count, where, code, cause, requestId })
    if (this.#errors.size > MAX_ERRORS) this.#errors.delete(this.#errors.keys().next().value!)
  }
}
