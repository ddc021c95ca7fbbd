/**
 * What all upstreams of one gateway share: the clock, the concurrency limiters,
 * and the observers of each call.
 */
import type { Dispatcher } from 'undici'
import { HeldBytes } from '../flow/held-bytes.ts'
import { CLOCK, type Clock } from '../runtime/clock.ts'
import { ConcurrencyLimiter, type ConcurrencyLimits, DEFAULT_CONCURRENCY } from './admission/concurrency.ts'
import type { ShareLimits } from './admission/shared-limits.ts'
import type { CallEnd } from './call.ts'
import type { Diagnosable } from './diagnosis.ts'
import { NO_PROXIES, type Proxies } from './tunnel.ts'

export interface UpstreamContext {
  readonly clock: Clock
  /** Limits reads, quotes and research. */
  readonly calls: ConcurrencyLimiter
  /** Limits submissions, which reads must not crowd out. */
  readonly submissions: ConcurrencyLimiter
  /** The bytes held for clients: answers in progress here, bodies and replies elsewhere. */
  readonly held: HeldBytes
  /** The upstreams that are open. */
  readonly opened: Set<Diagnosable>
  readonly onCall: (end: CallEnd) => void
  /** Called for each call that was rejected before it was made. */
  readonly onRejected: (upstream: string, by: RejectedBy) => void
  /** Called once for an upstream that refuses its key, and is called without it from then on. */
  readonly onKeyRefused: (upstream: string) => void
  /** Whether upstreams get the trace context of the request that a call is made for. */
  readonly passesTrace: boolean
  /** Applies the quotas of public hosts to every host; for tests, which call no public host. */
  readonly limitsAsPublic: boolean
  /** Shares quotas and cooldowns with other instances; null for a single instance. */
  readonly shareLimits: ShareLimits | null
  /** Which URLs are reached through a proxy. */
  readonly proxies: Proxies
  /**
   * Replaces the connections to an origin, for tests that call a simulated world thousands of times; null
   * without.
   */
  readonly dispatcherOf: ((origin: string) => Dispatcher) | null
}

/**
 * The circuit breaker, a cooldown after a 429, the quota, or the concurrency limiter; the metric's labels.
 */
export type RejectedBy = 'breaker' | 'cooldown' | 'quota' | 'slots'

/** Each transaction of a batch of ten goes to several nodes. */
export const SUBMISSION_CONCURRENCY: ConcurrencyLimits = { client: 32, global: 256 }

/** @param given  what differs from a single instance without observers */
export function createUpstreamContext(given: Partial<UpstreamContext> = {}): UpstreamContext {
  const { clock = CLOCK } = given
  return {
    clock,
    calls: new ConcurrencyLimiter(DEFAULT_CONCURRENCY, clock),
    submissions: new ConcurrencyLimiter(SUBMISSION_CONCURRENCY, clock),
    held: new HeldBytes(),
    opened: new Set(),
    onCall() {},
    onRejected() {},
    onKeyRefused() {},
    passesTrace: true,
    limitsAsPublic: false,
    shareLimits: null,
    proxies: NO_PROXIES,
    dispatcherOf: null,
    ...given,
  }
}
