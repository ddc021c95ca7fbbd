import type { Clock } from './clock.ts'
import { recorded } from './tape.ts'

/**
 * Makes a value at most once in this many ms; callers in between get the last one. Unlike Renewed it keeps a failure
 * as it keeps a value; unlike a Coalescer it has one value, and no client pays.
 */
export function throttled<T>(ms: number, clock: Clock, make: () => Promise<T>): () => Promise<T> {
  let madeAt = Number.NEGATIVE_INFINITY
  let kept: Promise<T> | null = null
  const current = (): Promise<T> => {
    const nowMs = clock.now()
    if (kept === null || nowMs - madeAt >= ms) {
      madeAt = nowMs
      kept = make()
    }
    return kept
  }
  return () => recorded(clock, 'throttled', current)
}
