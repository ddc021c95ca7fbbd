/** One monotonic time for all threads: performance.now() begins anew in each. */
import { CLOCK, type Clock } from '../../runtime/clock.ts'

const TRIES = 5

/** This thread's monotonic time, less that of the process, ms: of several readings, the one that took least. */
export function sinceMs(): number {
  let best = { tookMs: Infinity, sinceMs: 0 }
  for (let i = 0; i < TRIES; i++) {
    const before = performance.now()
    const processMs = Number(process.hrtime.bigint()) / 1e6
    const after = performance.now()
    if (after - before < best.tookMs)
      best = { tookMs: after - before, sinceMs: (before + after) / 2 - processMs }
  }
  return best.sinceMs
}

/** The clock of the thread that has measured `since`. */
export function clockOf(since: number): Clock {
  const aheadMs = since - sinceMs()
  return { ...CLOCK, now: () => performance.now() + aheadMs }
}
