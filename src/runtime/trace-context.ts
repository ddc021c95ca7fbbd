/**
 * A caller's trace, as its `traceparent` names it. It is noted in the log and
 * passed on to upstreams, each call under an id of its own.
 *
 *   00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
 *   version  trace-id, not zero          parent-id, not zero  flags
 *
 * `tracestate` is dropped, as the standard lets a service do: it is free text,
 * and has no place in a request that carries the gateway's own key.
 *
 * Source: W3C Trace Context, level 2, §3.2 (level 1 but for the flag `random`)
 */
import { randomBytes } from 'node:crypto'

export interface TraceContext {
  /** 32 hexadecimal digits, lower case. */
  readonly traceId: string
  /** Two of them. */
  readonly flags: string
}

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-[^,]*)?$/
/** The version whose format is known, and which goes out. */
const VERSION = '00'
const NO_TRACE = '0'.repeat(32)
const NO_PARENT = '0'.repeat(16)
const SAMPLED = 1
const RANDOM = 2

/**
 * @param header  as node has it: several of them are joined with a comma, and then there is no telling which holds
 * @returns null where it is absent, or no traceparent: whoever sends one that cannot be read sends none
 */
export function parseTraceparent(header: string | readonly string[] | undefined): TraceContext | null {
  const fields = typeof header === 'string' ? TRACEPARENT.exec(header) : null
  if (fields === null) return null
  const [, version, traceId, parentId, flags, rest] = fields
  if (version === 'ff' || traceId === NO_TRACE || parentId === NO_PARENT) return null
  // A later version may go on behind the flags, of which only one is known then.
  if (version === VERSION && rest !== undefined) return null
  const known = version === VERSION ? SAMPLED | RANDOM : SAMPLED
  return { traceId: traceId!, flags: `0${Number.parseInt(flags!, 16) & known}` }
}

/** The header of one call, under a new parent-id: 55 characters. */
export function traceparentOf({ traceId, flags }: TraceContext): string {
  return `${VERSION}-${traceId}-${randomBytes(8).toString('hex')}-${flags}`
}
