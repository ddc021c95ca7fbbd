/** What keeps one upstream's calls from being made now, and how many are in progress; for operators. */
import type { Breaker } from './admission/breaker.ts'
import type { QuotaState } from './admission/governor.ts'
import type { UpstreamState } from './health.ts'

/** What an upstream is used for, if those of one name have different quotas. */
export type Carries = 'calls' | 'quotes' | 'reads' | 'submissions'

export interface Diagnosis {
  readonly name: string
  readonly carries: Carries
  readonly state: UpstreamState['state']
  readonly breaker: Breaker['phase']
  /** Until the circuit breaker admits a call; 0 if it does now. */
  readonly breakerMs: number
  /** Cooldowns after a 429, by lane. */
  readonly cooldowns: readonly { readonly lane: string; readonly leftMs: number }[]
  /** Null if the upstream publishes none. */
  readonly quota: QuotaState | null
  readonly callsUnderWay: number
}

export interface Diagnosable {
  readonly diagnosis: Diagnosis
}
