/** What the routes for operators have in common. */

import type { Group } from '../http/route.ts'
import type { Clock } from '../runtime/clock.ts'

export const OPERATIONS: Group = {
  name: 'operations',
  summary: 'What this instance does, and how it and its providers fare',
  text: "From the service's own counters: of one instance, since its start, anonymous, and no upstream is asked for it.",
}

const KEPT_MS = 1_000

/** An answer that is made at most once a second, however many ask for it. */
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
