/**
 * Counters that the service shows: anonymous, in memory, and without influence on what it does, except for
 * deliveries.
 */
import type { Clock } from '../../runtime/clock.ts'
import { BakeOff } from './bake-off.ts'
import { Deliveries } from './deliveries.ts'
import { Funnel } from './funnel.ts'
import { Promises } from './promises.ts'

export type Counts = Readonly<ReturnType<typeof createCounts>>

/**
 * @param secret  of threads that repeat their counts to each other; null: random
 * @param since   when counting began, ms epoch
 */
export function createCounts(clock: Clock, secret: string | null = null, since: number = clock.date()) {
  const deliveries = new Deliveries(clock, secret)
  const promises = new Promises(secret)
  return {
    funnel: new Funnel(clock, since),
    bakeOff: new BakeOff(clock, deliveries.truth, since, promises),
    deliveries,
    /** What the races of `bakeOff` show of quotes' promises. */
    promises,
  }
}
