/** The state of the upstreams: calls and their outcomes, breakers, quotas and slots. */
import { STATES } from '../../runtime/resources/health.ts'
import type { ConcurrencyLimiter } from '../../upstream/admission/concurrency.ts'
import type { CallEnd } from '../../upstream/call.ts'
import type { RejectedBy } from '../../upstream/context.ts'
import { type Diagnosable, PHASES } from '../../upstream/diagnosis.ts'
import type { UpstreamState } from '../../upstream/health.ts'
import { CALL_FAILURES } from '../../upstream/request.ts'
import type { QuotaLeft } from '../../upstream/upstream.ts'
import type { Meters } from './meters.ts'

/** How a call can end. */
const OUTCOMES: readonly string[] = ['ok', 'given_up', ...CALL_FAILURES]
const HELD_BACK_BY: readonly RejectedBy[] = ['breaker', 'cooldown', 'quota', 'slots']

export interface UpstreamSources {
  upstreams(): readonly Pick<UpstreamState, 'name' | 'state'>[]
  /** Those that can be asked by now. */
  opened(): Iterable<Diagnosable>
  quotas(): readonly QuotaLeft[]
  slots(): Readonly<Record<'calls' | 'submissions', Pick<ConcurrencyLimiter, 'count'>>>
}

export function measureUpstreams(meters: Meters, sources: UpstreamSources) {
  const calls = meters.counted('swapgate_upstream_calls_total', ['upstream', 'lane', 'outcome'])
  // A node's methods aren't known in advance.
  const outcomes = meters.counted('swapgate_upstream_outcomes_total', ['upstream', 'outcome'], () =>
    sources.upstreams().flatMap(({ name: upstream }) => OUTCOMES.map((outcome) => ({ upstream, outcome }))),
  )
  const durations = meters.durations('swapgate_upstream_call_duration_seconds', 'upstream')
  const rejected = meters.counted('swapgate_upstream_held_back_total', ['upstream', 'by'], () =>
    sources.upstreams().flatMap(({ name: upstream }) => HELD_BACK_BY.map((by) => ({ upstream, by }))),
  )
  meters.gauge('swapgate_upstream_state', ['upstream', 'state'], () =>
    sources
      .upstreams()
      .flatMap(({ name: upstream, state }) =>
        STATES.map((one) => [{ upstream, state: one }, one === state ? 1 : 0] as const),
      ),
  )
  meters.gauge('swapgate_upstream_cooling', ['upstream'], () =>
    sources.upstreams().map(({ name, state }) => [{ upstream: name }, state === 'cooling' ? 1 : 0]),
  )
  meters.gauge('swapgate_upstream_breaker', ['upstream', 'carries', 'phase'], () =>
    [...sources.opened()].flatMap(({ diagnosis: { name: upstream, carries, breaker } }) =>
      PHASES.map((phase) => [{ upstream, carries, phase }, phase === breaker ? 1 : 0] as const),
    ),
  )
  meters.gauge('swapgate_upstream_quota_left_ratio', ['upstream', 'quota'], () =>
    sources.quotas().map(({ left, ...labels }) => [labels, left]),
  )
  meters.gauge('swapgate_upstream_calls_in_flight', ['slot', 'state'], () =>
    Object.entries(sources.slots()).flatMap(([slot, { count }]) => [
      [{ slot, state: 'under_way' }, count.used],
      [{ slot, state: 'waiting' }, count.waiting],
    ]),
  )
  return {
    observeCall({ upstream, lane, failure, ms }: CallEnd): void {
      const outcome = failure ?? 'ok'
      calls.inc({ upstream, lane, outcome })
      outcomes.inc({ upstream, outcome })
      if (failure === 'given_up') return
      durations.observe({ upstream }, ms / 1_000)
    },
    /** Counts a call that was refused before it was made. */
    observeRejected: (upstream: string, by: RejectedBy): void => rejected.inc({ upstream, by }),
  }
}
