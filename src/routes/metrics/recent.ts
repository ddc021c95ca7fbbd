/**
 * What the operator's page draws: the last half hour in steps, durations by route and by upstream, and the
 * last errors with their causes. There is no timer: a step ends with the first request or read after its
 * time.
 */
import type { Clock } from '../../runtime/clock.ts'
import type { CallEnd } from '../../upstream/call.ts'
import {
  cellOf,
  countsOf,
  type DurationCount,
  type Durations,
  newDurations,
  quantileOf,
} from './durations.ts'
import type { ObservedExchange } from './requests.ts'

const STEP_MS = 10_000
const STEPS = 180
/** The steps of the last minute. */
const MINUTE_STEPS = 6
/** Different errors that are kept. */
const MAX_ERRORS = 50

/**
 * Replies by the class of their status (2xx, 3xx, 4xx, 5xx), those that a budget refused or that were shed,
 * calls.
 */
const COUNTED = ['ok', 'redirect', 'refused', 'failed', 'budget', 'shed', 'calls', 'failedCalls'] as const
type Counted = (typeof COUNTED)[number]
const BUDGET = COUNTED.indexOf('budget')
const SHED = COUNTED.indexOf('shed')
const CALLS = COUNTED.indexOf('calls')
const FAILED_CALLS = COUNTED.indexOf('failedCalls')
const QUANTILES = { p50Ms: 0.5, p95Ms: 0.95, p99Ms: 0.99 } as const
type Quantiles = Record<keyof typeof QUANTILES, number | null>

/** What was counted in a step. */
export interface RecentStep extends Readonly<Record<Counted, number>>, Readonly<Quantiles> {
  /** When it began, ms epoch. */
  readonly at: number
}

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

type ByName = Readonly<Record<string, readonly DurationCount[]>>

export interface RecentReport {
  /** ms epoch. */
  readonly at: number
  readonly stepMs: number
  /** Oldest first, without empty ones; the last may still be running. */
  readonly steps: readonly RecentStep[]
  readonly lastMinute: Readonly<Quantiles>
  /** Since the start, by route and by upstream. */
  readonly durations: { readonly routes: ByName; readonly upstreams: ByName }
  /** The last first. */
  readonly errors: readonly RecentError[]
}

export class Recent {
  readonly #clock: Clock
  readonly #routes = new Map<string, Durations>()
  readonly #upstreams = new Map<string, Durations>()
  readonly #errors = new Map<string, RecentError>()
  readonly #steps: RecentStep[] = []
  #running = newDurations()
  /** The last minute's steps, the current one last. */
  readonly #minute: Durations[] = [this.#running]
  /** The current step's, in the order of COUNTED. */
  readonly #counts = new Uint32Array(COUNTED.length)
  #startedAt: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#startedAt = clock.now()
  }

  observe(exchange: ObservedExchange, status: number, ms: number): void {
    const { route, timing, isStream } = exchange
    // Reading the clock would cost more than the rest. Shed requests without a time count in the current
    // step.
    if (timing !== undefined) this.#turn(timing.startedAt + ms)
    this.#counts[status < 300 ? 0 : status < 400 ? 1 : status < 500 ? 2 : 3]!++
    // An event stream's duration isn't a latency.
    if (!isStream) {
      const cell = cellOf(ms)
      this.#running[cell]!++
      this.#of(this.#routes, route)[cell]!++
    }
    if (exchange.refusal !== null) this.#counts[BUDGET]!++
    if (status >= 500) this.#fail(exchange)
  }

  observeCall({ upstream, failure, cause, status, requestId, ms }: CallEnd): void {
    if (failure === 'given_up') return
    this.#turn(this.#clock.now())
    this.#counts[CALLS]!++
    this.#of(this.#upstreams, upstream)[cellOf(ms)]!++
    if (failure === null) return
    this.#counts[FAILED_CALLS]!++
    this.#note(upstream, failure, [cause, status && `status ${status}`], requestId)
  }

  report(): RecentReport {
    this.#turn(this.#clock.now())
    const named = (all: ReadonlyMap<string, Durations>): ByName =>
      Object.fromEntries([...all].map(([name, durations]) => [name, countsOf(durations)]))
    return {
      at: this.#clock.date(),
      stepMs: STEP_MS,
      steps: [...this.#steps, ...this.#step()],
      lastMinute: quantilesOf(this.#minute),
      durations: { routes: named(this.#routes), upstreams: named(this.#upstreams) },
      errors: [...this.#errors.values()].reverse(),
    }
  }

  /** Ends the running step if its time is over. */
  #turn(now: number): void {
    if (now < this.#startedAt + STEP_MS) return
    this.#steps.push(...this.#step())
    if (this.#steps.length > STEPS) this.#steps.shift()
    this.#counts.fill(0)
    const steps = Math.floor((now - this.#startedAt) / STEP_MS)
    this.#startedAt += steps * STEP_MS
    for (let i = 0; i < Math.min(steps, MINUTE_STEPS + 1); i++) this.#minute.push(newDurations())
    this.#minute.splice(0, this.#minute.length - MINUTE_STEPS - 1)
    this.#running = this.#minute.at(-1)!
  }

  /** The current step; none if it is empty. */
  #step(): RecentStep[] {
    if (this.#counts.every((count) => count === 0)) return []
    const at = Math.round(this.#clock.date() - (this.#clock.now() - this.#startedAt))
    const counts = Object.fromEntries(COUNTED.map((name, i) => [name, this.#counts[i]!]))
    return [{ at, ...(counts as Record<Counted, number>), ...quantilesOf([this.#running]) }]
  }

  #fail({ route, failure, id }: ObservedExchange): void {
    if (failure?.code === 'overloaded') this.#counts[SHED]!++
    else if (failure !== null) {
      const { provider, upstreamStatus } = failure.fields
      this.#note(route, failure.code, [provider, upstreamStatus && `status ${upstreamStatus}`], id ?? null)
    }
  }

  #of(all: Map<string, Durations>, name: string): Durations {
    let durations = all.get(name)
    if (durations === undefined) all.set(name, (durations = newDurations()))
    return durations
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

function quantilesOf(durations: readonly Durations[]): Quantiles {
  const of = (part: number): number | null => quantileOf(durations, part)
  return { p50Ms: of(QUANTILES.p50Ms), p95Ms: of(QUANTILES.p95Ms), p99Ms: of(QUANTILES.p99Ms) }
}
