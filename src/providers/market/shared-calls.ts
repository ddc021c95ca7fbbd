/**
 * Coalesces calls whose answer serves several parts of a profile, and caches the
 * answer for a short time.
 */
import type { Call } from '../../flow/call.ts'
import type { Clock } from '../../runtime/clock.ts'
import { Coalescer } from '../../upstream/answers/coalescing.ts'
import type { Part, PartSource, Parts } from './market.ts'

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

export interface AskedParts<Name extends Part> {
  /** Null if there is no such token. */
  readonly parts: Pick<Parts, Name> | null
}

/**
 * Sources of the parts that one call gives together.
 * @param ask  called with the token's address
 */
export function sharedParts<Name extends Part>(
  { keepMs, sharedMs, clock }: { readonly keepMs: number; readonly sharedMs: number; readonly clock: Clock },
  ask: (address: string, call: Call) => Promise<AskedParts<Name>>,
): <P extends Name>(name: P) => PartSource<P> {
  const calls = new SharedCalls<AskedParts<Name>>(sharedMs, clock)
  return (name) => ({
    keepMs,
    async ask({ address }, call) {
      const { parts } = await calls.ask(address, call, (shared) => ask(address, shared))
      return parts === null ? null : parts[name]
    },
  })
}
