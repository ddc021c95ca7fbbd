/**
 * Replaces the `id` of an upstream's reply with the client's. All other bytes stay as they are, because
 * parsing and serializing a reply would round its numbers.
 *
 * Source: JSON-RPC 2.0 §5
 */

import { skipSpace } from './tokens.ts'

const COMMA = 0x2c

/** The position of the `id` member in a document that an EnvelopeScan accepted. */
export interface IdRange {
  /** Offset of the opening quote of its name. */
  readonly nameStart: number
  /** Offsets of its value: the first byte, and the byte after the last one. */
  readonly start: number
  readonly end: number
}

/**
 * @param reply  one JSON object; not changed
 * @param rawId  the client's id as JSON text; null if it sent none, which removes the member
 * @returns a new buffer
 */
export function spliceId(reply: Buffer, id: IdRange, rawId: Buffer | null): Buffer {
  return Buffer.concat(splicedParts(reply, id, rawId))
}

/** Like spliceId, but copies nothing: views of the reply, and the id between them. */
export function splicedParts(reply: Buffer, id: IdRange, rawId: Buffer | null): readonly Buffer[] {
  return rawId === null ? withoutId(reply, id) : [reply.subarray(0, id.start), rawId, reply.subarray(id.end)]
}

/** Removes the member and the comma after it; if it is the last member, the comma before it. */
function withoutId(reply: Buffer, id: IdRange): readonly Buffer[] {
  let from = id.nameStart
  let to = skipSpace(reply, id.end)
  if (reply[to] === COMMA) {
    to = skipSpace(reply, to + 1)
  } else {
    // Only white space can be between the comma, if there is one, and the name.
    const comma = reply.lastIndexOf(COMMA, from)
    if (comma !== -1) from = comma
  }
  return [reply.subarray(0, from), reply.subarray(to)]
}
