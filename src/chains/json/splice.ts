/**
 * Put the caller's `id` into an upstream's reply, and nothing else: every other
 * byte stays, because parsing and writing a reply anew would round its numbers.
 *
 * Source: JSON-RPC 2.0 §5
 */

import { joinInPieces, PIECE_BYTES } from '../../runtime/loop-share.ts'
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
  return Buffer.concat(partsOf(reply, id, rawId))
}

/** The same of a reply that may be long. */
export function spliceLongId(reply: Buffer, id: IdRange, rawId: Buffer | null): Buffer | Promise<Buffer> {
  return reply.length > PIECE_BYTES ? joinInPieces(partsOf(reply, id, rawId)) : spliceId(reply, id, rawId)
}

function partsOf(reply: Buffer, id: IdRange, rawId: Buffer | null): readonly Buffer[] {
  return rawId === null ? withoutId(reply, id) : [reply.subarray(0, id.start), rawId, reply.subarray(id.end)]
}

/** The member goes with the comma behind it or, where it is the last one, with the comma before it. */
function withoutId(reply: Buffer, id: IdRange): readonly Buffer[] {
  let from = id.nameStart
  let to = skipSpace(reply, id.end)
  if (reply[to] === COMMA) {
    to = skipSpace(reply, to + 1)
  } else {
    // Only white space can stand between the name and the comma, if there is one.
    const comma = reply.lastIndexOf(COMMA, from)
    if (comma !== -1 && skipSpace(reply, comma + 1) === from) from = comma
  }
  return [reply.subarray(0, from), reply.subarray(to)]
}
