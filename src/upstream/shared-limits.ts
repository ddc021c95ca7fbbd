/**
 * What several instances keep together towards an upstream that they all ask
 * under the same key: its quotas, and what its own rate limit holds back. It is
 * kept somewhere that may be slow or gone, so every question may go without an
 * answer, and then each instance decides by itself.
 *
 * Breakers are not among it: what one instance cannot reach, another may.
 */
import type { Client } from '../runtime/cancellation.ts'
import type { BucketSizes, Priority } from './governor.ts'

/** An upstream, as instances recognize it. */
export interface UpstreamIdentity {
  readonly label: string
  readonly carries: string
  /** A hash of where it is and how it is paid for: instances with other keys share nothing. */
  readonly fingerprint: string
}

/** A quota that a call has to be within. */
export interface SharedQuota {
  /** The lane whose own it is; null for that of the whole upstream. */
  readonly lane: string | null
  readonly sizes: BucketSizes
  /** What was spent here alone, and the others do not know of, ms. */
  readonly unbookedMs: number
}

export interface SharedAsk {
  /** The lane that a 429 would pause. */
  readonly lane: string
  /** Spent in this order, as far as they have room. */
  readonly quotas: readonly SharedQuota[]
  readonly priority: Priority
  readonly client: Client
  /** How long no other call goes through a pause to see, where this one does. */
  readonly probeMs: number
}

export interface SharedCooldown {
  readonly leftMs: number
  /** Until a call goes through to see; 0 where this one may. */
  readonly probeInMs: number
}

export interface SharedDecision {
  /** Until the quotas have room; 0 where the call is within them, and was spent. */
  readonly waitMs: number
  /** Null where nothing is held back. Where it is, and it is not time to see, nothing was spent. */
  readonly pause: SharedCooldown | null
  /** What is left of the quotas, as far as they were looked at, ms. */
  readonly creditsMs: readonly number[]
}

export interface SharedLimits {
  /** May a call be made now? What lets it through is spent in the same step. @returns null where it cannot be told in time */
  decide(ask: SharedAsk): Promise<SharedDecision | null>
  /** What holds a lane back; spends nothing. @returns undefined where it cannot be told in time */
  look(lane: string): Promise<SharedCooldown | null | undefined>
  /** @returns whether the others can know it */
  pause(lane: string, pause: SharedCooldown): Promise<boolean>
  /** The lane was answered again. */
  resume(lane: string): void
}

export type ShareLimits = (upstream: UpstreamIdentity) => SharedLimits
