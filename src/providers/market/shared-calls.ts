/**
 * Coalesces calls whose answer serves several parts of a profile, and caches the
 * answer for a short time.
 */
import type { Call } from '../../flow/call.ts'
import type { Clock } from '../../runtime/clock.ts'
import { Coalescer } from '../../upstream/answers/coalescing.ts'
import { idOf, PARTIAL_KEEP_MS, type Part, type PartSource, type Parts, type TokenId } from './market.ts'

/** The size of all cached answers as JSON: room for about a hundred large ones. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024

/**
 * A Coalescer whose cache is bounded by bytes; unlike a StaleIfErrorCache it never stands in for a failure.
 * @param keepMs  how long an answer serves later requests, ms
 * @returns asks under a key; `start` gets a call that is cancelled when no request waits for it any more
 */
export function sharedCalls<T extends object>(keepMs: number | ((answer: T) => number), clock: Clock) {
  const bytesOf = (answer: T) => JSON.stringify(answer).length
  const calls = new Coalescer<T>(keepMs, clock, { maxBytes: MAX_KEPT_BYTES, bytesOf })
  return (key: string, call: Call, start: (shared: Call) => Promise<T>): Promise<T> =>
    calls.join(key, call.scope, (shared) => start(call.in(shared)))
}

export interface AskedParts<Name extends Part> {
  /** Null if there is no such token. */
  readonly parts: Pick<Parts, Name> | null
  /** Whether the source has not completed them yet. */
  readonly isPartial?: boolean
}

/** Sources of the parts that one call gives together. */
export function sharedParts<Name extends Part>(
  names: readonly Name[],
  { keepMs, sharedMs, clock }: { readonly keepMs: number; readonly sharedMs: number; readonly clock: Clock },
  ask: (token: TokenId, call: Call) => Promise<AskedParts<Name>>,
) {
  const keptMs = ({ isPartial }: AskedParts<Name>) => (isPartial ? PARTIAL_KEEP_MS : sharedMs)
  const share = sharedCalls(keptMs, clock)
  const partial = new WeakSet<object>()
  const part = (name: Name): PartSource<Name> => ({
    keepMs,
    async ask(token, call) {
      const { parts, isPartial } = await share(idOf(token), call, (shared) => ask(token, shared))
      if (parts === null) return null
      if (isPartial) partial.add(parts[name])
      return parts[name]
    },
    isPartial: (value) => partial.has(value),
  })
  return Object.fromEntries(names.map((name) => [name, part(name)])) as { [P in Name]: PartSource<P> }
}
