/**
 * Counters that the service shows: anonymous, in memory, and without influence on what it does, except for
 * deliveries.
 */
import type { Clock } from '../../runtime/clock.ts'
import { BakeOff } from './bake-off.ts'
import { Deliveries } from './deliveries.ts'
import { Funnel } from './funnel.ts'

export type Counts = Readonly<ReturnType<typeof createCounts>>

/** @param secret  of threads that repeat their counts to each other; null: random */
export function createCounts(clock: Clock, secret: string | null = null) {
  const deliveries = new Deliveries(clock, secret)
  return { funnel: new Funnel(clock), bakeOff: new BakeOff(clock, deliveries.truth), deliveries }
}
