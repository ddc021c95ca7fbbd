/**
 * The limits that several instances keep together towards an upstream that they
 * all call under the same key: its quotas, and its cooldowns after a 429. The
 * store of these may be slow or gone, so any question may go unanswered; each
 * instance then decides by itself.
 *
 * Circuit breakers are not shared: one instance may reach what another cannot.
 */
import type { Priority } from '../../flow/call.ts'
import type { Client } from '../../flow/cancellation.ts'
import type { BucketSizes } from './governor.ts'

/** What identifies the same upstream to all instances. */
export interface UpstreamIdentity {
  readonly label: string
  readonly carries: string
  /** A hash of its URL and credentials: instances with other keys share nothing. */
  readonly fingerprint: string
}

/** A quota that a call has to be within. */
export interface SharedQuota {
  /** The lane that has the quota; null for the quota of the whole upstream. */
  readonly lane: string | null
  readonly sizes: BucketSizes
  /** What this instance spent alone, unknown to the others, ms. */
  readonly unbookedMs: number
}

export interface SharedAsk {
  /** The lane that a 429 would put into cooldown. */
  readonly lane: string
  /** Spent in this order, as far as they have room. */
  readonly quotas: readonly SharedQuota[]
  readonly priority: Priority
  readonly client: Client
  /** If this call probes a cooldown: how long no other call may. */
  readonly probeMs: number
}

export interface SharedCooldown {
  readonly leftMs: number
  /** Until a call may probe it; 0 if this call may. */
  readonly probeInMs: number
}

export interface SharedDecision {
  /** Until the quotas have room; 0 if the call is within them, and was spent. */
  readonly waitMs: number
  /** Null without a cooldown. If there is one and no probe is due, nothing was spent. */
  readonly cooldown: SharedCooldown | null
  /** What is left of the quotas that were read, ms. */
  readonly creditsMs: readonly number[]
}

export interface SharedLimits {
  /** Decides whether a call may be made now, and spends it in the same step. @returns null without an answer in time */
  decide(ask: SharedAsk): Promise<SharedDecision | null>
  /** Reads a lane's cooldown; spends nothing. @returns undefined without an answer in time */
  look(lane: string): Promise<SharedCooldown | null | undefined>
  /** Shares a cooldown with the others. @returns whether they can know it now */
  startCooldown(lane: string, cooldown: SharedCooldown): Promise<boolean>
  /** Reports to the others that the lane was answered again. */
  endCooldown(lane: string): void
}

export type ShareLimits = (upstream: UpstreamIdentity) => SharedLimits
