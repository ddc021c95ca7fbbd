/**
 * Coalesces calls whose answer serves several parts of a profile, and caches the
 * answer for a short time.
 */
import type { Call } from '../../flow/call.ts'
import type { Clock } from '../../runtime/clock.ts'
import { Coalescer } from '../../upstream/answers/coalescing.ts'

/** The size of all cached answers as JSON: room for about a hundred large ones. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024

/** A Coalescer whose cache is bounded by bytes; unlike a StaleIfErrorCache it never stands in for a failure. */
export class SharedCalls<T extends object> {
  readonly #calls: Coalescer<T>

  /** @param keepMs  how long an answer serves later requests, ms */
  constructor(keepMs: number | ((answer: T) => number), clock: Clock) {
    this.#calls = new Coalescer(keepMs, clock, {
      maxBytes: MAX_KEPT_BYTES,
      bytesOf: (answer) => JSON.stringify(answer).length,
    })
  }

  /** @param start  its call is cancelled when no request waits for it any more */
  ask(key: string, call: Call, start: (shared: Call) => Promise<T>): Promise<T> {
    return this.#calls.join(key, call.scope, (shared) => start(call.in(shared)))
  }
}
