/** What holds back one upstream's calls now, and what is under way there, for whoever looks after it. */
import type { Breaker } from './breaker.ts'
import type { QuotaState } from './governor.ts'
import type { UpstreamState } from './health.ts'

/** What goes through an upstream, where those of one name have different quotas. */
export type Carries = 'calls' | 'quotes' | 'reads' | 'submissions'

export interface Diagnosis {
  readonly name: string
  readonly carries: Carries
  readonly state: UpstreamState['state']
  readonly breaker: Breaker['phase']
  /** How long until the breaker lets a call through; 0 where it does. */
  readonly breakerMs: number
  /** What a 429 holds back, by lane. */
  readonly pauses: readonly { readonly lane: string; readonly leftMs: number }[]
  /** Null where the upstream publishes none. */
  readonly quota: QuotaState | null
  readonly callsUnderWay: number
}

export interface Diagnosable {
  readonly diagnosis: Diagnosis
}
