/**
 * Calls whose answer several parts of a profile are made of: they are made once
 * for all that ask within a while.
 */
import type { Clock } from '../../runtime/clock.ts'
import { Coalescer } from '../../upstream/coalescing.ts'
import type { CallOptions } from '../provider.ts'

/** What is kept at once, as JSON: some hundred large answers. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024

export class SharedCalls<T extends object> {
  readonly #flights: Coalescer<T>

  /** @param keepMs  how long an answer serves those who come later */
  constructor(keepMs: number | ((answer: T) => number), clock: Clock) {
    this.#flights = new Coalescer(keepMs, clock, {
      maxBytes: MAX_KEPT_BYTES,
      bytesOf: (answer) => JSON.stringify(answer).length,
    })
  }

  /** @param call  is given up when all who wait for it have gone */
  ask(key: string, options: CallOptions, call: (options: CallOptions) => Promise<T>): Promise<T> {
    return this.#flights.join(key, options.scope, (shared) => call({ ...options, scope: shared }))
  }
}

/** Splits a deadline over calls in a row: each gets what the ones before it left. */
export function inTurn(options: CallOptions, clock: Clock): () => CallOptions {
  const endsAt = clock.now() + options.deadlineMs
  return () => ({ ...options, deadlineMs: Math.max(1, endsAt - clock.now()) })
}
