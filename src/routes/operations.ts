/** What the routes for operators have in common. */

import type { Group } from '../http/route.ts'
import type { Clock } from '../runtime/clock.ts'

export const OPERATIONS: Group = {
  name: 'operations',
  summary: 'Statistics and state of this instance and its providers',
  text: 'From the counters of one instance since its start, anonymous. No upstream is asked.',
}

const KEPT_MS = 1_000

/** An answer that is built at most once a second. */
export function eachSecond(clock: Clock, make: () => object | Promise<object>): () => Promise<Buffer> {
  let madeAt = Number.NEGATIVE_INFINITY
  let kept: Promise<Buffer> | null = null
  return () => {
    const nowMs = clock.now()
    if (kept === null || nowMs - madeAt >= KEPT_MS) {
      madeAt = nowMs
      kept = (async () => Buffer.from(JSON.stringify(await make())))()
    }
    return kept
  }
}
