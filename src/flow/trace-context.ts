/**
 * The trace of a request, from its `traceparent` header. It is logged, and passed
 * on to upstreams, where each call has its own id.
 *
 *   00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
 *   version  trace-id, not zero          parent-id, not zero  flags
 *
 * `tracestate` is dropped, as the standard lets a service do: it is free text,
 * and has no place in a request that carries the gateway's own key.
 *
 * Source: W3C Trace Context, level 2, §3.2 (level 1 except for the flag `random`)
 */
import { randomBytes } from 'node:crypto'

/** Hexadecimal digits in lower case: 32, and two of flags. */
export type TraceContext = Readonly<NonNullable<ReturnType<typeof parseTraceparent>>>

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-[^,]*)?$/
/** The version that is known, and that is sent. */
const VERSION = '00'
const NO_TRACE = '0'.repeat(32)
const NO_PARENT = '0'.repeat(16)
const SAMPLED = 1
const RANDOM = 2

/**
 * @param header  as node gives it: several headers are joined with a comma, and none of them counts then
 * @returns null if it is absent or invalid
 */
export function parseTraceparent(header: string | readonly string[] | undefined) {
  const fields = typeof header === 'string' ? TRACEPARENT.exec(header) : null
  if (fields === null) return null
  const [, version, traceId, parentId, flags, rest] = fields
  if (version === 'ff' || traceId === NO_TRACE || parentId === NO_PARENT) return null
  // A later version may have more fields, and only its `sampled` flag is known.
  if (version === VERSION && rest !== undefined) return null
  const known = version === VERSION ? SAMPLED | RANDOM : SAMPLED
  return { traceId: traceId!, flags: `0${Number.parseInt(flags!, 16) & known}` }
}

/** The header of one call, under a new parent-id: 55 characters. */
export function traceparentOf({ traceId, flags }: TraceContext): string {
  return `${VERSION}-${traceId}-${randomBytes(8).toString('hex')}-${flags}`
}
