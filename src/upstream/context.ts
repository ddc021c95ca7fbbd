/**
 * What all upstreams of one gateway have in common: the time, the places for
 * calls that they share, and who is told how each call ended.
 */
import { CLOCK, type Clock } from '../runtime/clock.ts'
import type { CallEnd } from './call.ts'
import { ConcurrencyLimiter, type ConcurrencyLimits } from './concurrency.ts'
import type { Diagnosable } from './diagnosis.ts'
import type { ShareLimits } from './shared-limits.ts'

export interface UpstreamContext {
  readonly clock: Clock
  /** For reads, quotes and research. */
  readonly inFlight: ConcurrencyLimiter
  /** For submissions, which reads must not crowd out. */
  readonly submissions: ConcurrencyLimiter
  /** Those that can be asked. */
  readonly opened: Set<Diagnosable>
  readonly onCall: (end: CallEnd) => void
  /** Told of each call that was refused before it was made. */
  readonly onHeldBack: (upstream: string, by: HeldBackBy) => void
  /** Whether upstreams get the trace of the request that they are asked for. */
  readonly passesTrace: boolean
  /** Whether every host is held to what the public one of its kind grants: in tests, which ask none of those. */
  readonly limitsAsPublic: boolean
  /** What keeps limits together with other instances; null where there are none. */
  readonly shareLimits: ShareLimits | null
}

/** The breaker, a pause that a 429 asked for, the quota, or that too many calls are under way. */
export type HeldBackBy = 'breaker' | 'pause' | 'quota' | 'places'

/** A batch of ten goes to each of several nodes. */
export const SUBMISSION_CONCURRENCY: ConcurrencyLimits = { client: 32, global: 256 }

export function createUpstreamContext({
  clock,
  inFlight,
  submissions,
  onCall,
  onHeldBack,
  passesTrace,
  limitsAsPublic,
  shareLimits,
}: Partial<UpstreamContext> = {}): UpstreamContext {
  return {
    clock: clock ?? CLOCK,
    inFlight: inFlight ?? new ConcurrencyLimiter(),
    submissions: submissions ?? new ConcurrencyLimiter(SUBMISSION_CONCURRENCY),
    opened: new Set(),
    onCall: onCall ?? (() => {}),
    onHeldBack: onHeldBack ?? (() => {}),
    passesTrace: passesTrace ?? true,
    limitsAsPublic: limitsAsPublic ?? false,
    shareLimits: shareLimits ?? null,
  }
}
