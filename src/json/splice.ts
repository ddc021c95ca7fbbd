/**
 * Put the caller's `id` into an upstream's reply, and nothing else: every other
 * byte stays, because parsing and writing a reply anew would round its numbers.
 *
 * Source: JSON-RPC 2.0 §5
 */

import { skipSpace } from './tokens.ts'

const COMMA = 0x2c

/** Where the `id` member stands in a document that an EnvelopeScan accepted. */
export interface IdRange {
  /** Offset of the opening quote of its name. */
  readonly nameStart: number
  /** Offsets of its value: first byte, and behind the last one. */
  readonly start: number
  readonly end: number
}

/**
 * @param reply  one JSON object; not changed
 * @param rawId  the caller's id as JSON text, or null when the caller sent none: the member goes
 * @returns a new buffer
 */
export function spliceId(reply: Buffer, id: IdRange, rawId: Buffer | null): Buffer {
  if (rawId === null) return withoutId(reply, id)
  const spliced = Buffer.allocUnsafe(reply.length - (id.end - id.start) + rawId.length)
  reply.copy(spliced, 0, 0, id.start)
  rawId.copy(spliced, id.start)
  reply.copy(spliced, id.start + rawId.length, id.end)
  return spliced
}

/** The member goes with the comma behind it or, where it is the last one, with the comma before it. */
function withoutId(reply: Buffer, id: IdRange): Buffer {
  let from = id.nameStart
  let to = skipSpace(reply, id.end)
  if (reply[to] === COMMA) {
    to = skipSpace(reply, to + 1)
  } else {
    // Only white space can stand between the name and the comma, if there is one.
    const comma = reply.lastIndexOf(COMMA, from)
    if (comma !== -1 && skipSpace(reply, comma + 1) === from) from = comma
  }
  const spliced = Buffer.allocUnsafe(reply.length - (to - from))
  reply.copy(spliced, 0, 0, from)
  reply.copy(spliced, from, to)
  return spliced
}
