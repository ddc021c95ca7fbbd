/**
 * Coalesces calls whose answer serves several parts of a profile, and caches the
 * answer for a short time.
 */
import type { Clock } from '../../runtime/clock.ts'
import { Coalescer } from '../../upstream/coalescing.ts'
import type { CallOptions } from '../provider.ts'

/** The size of all cached answers as JSON: room for about a hundred large ones. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024

export class SharedCalls<T extends object> {
  readonly #calls: Coalescer<T>

  /** @param keepMs  how long an answer serves later requests, ms */
  constructor(keepMs: number | ((answer: T) => number), clock: Clock) {
    this.#calls = new Coalescer(keepMs, clock, {
      maxBytes: MAX_KEPT_BYTES,
      bytesOf: (answer) => JSON.stringify(answer).length,
    })
  }

  /** @param call  cancelled when no request waits for it any more */
  ask(key: string, options: CallOptions, call: (options: CallOptions) => Promise<T>): Promise<T> {
    return this.#calls.join(key, options.scope, (shared) => call({ ...options, scope: shared }))
  }
}

/** Shares one deadline among sequential calls: each gets the time that is left. */
export function inTurn(options: CallOptions, clock: Clock): () => CallOptions {
  const endsAt = clock.now() + options.deadlineMs
  return () => ({ ...options, deadlineMs: Math.max(1, endsAt - clock.now()) })
}
