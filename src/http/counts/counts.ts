/** Counters that the service shows: anonymous, in memory, and without influence on what it does. */
import type { Clock } from '../../runtime/clock.ts'
import { BakeOff } from './bake-off.ts'
import { Funnel } from './funnel.ts'

export interface Counts {
  readonly funnel: Funnel
  readonly bakeOff: BakeOff
}

export function createCounts(clock: Clock): Counts {
  return { funnel: new Funnel(clock), bakeOff: new BakeOff(clock) }
}
