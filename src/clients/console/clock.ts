/** The wall clock and timer of the console, passed in so that tests can control them. */
import type { Clock } from '../client/index.ts'
import { SYSTEM_CLOCK } from '../client/time.ts'

/** Its time is in milliseconds since the epoch, as in the service's timestamps. */
export const CLOCK: Clock = { ...SYSTEM_CLOCK, now: () => Date.now() }
