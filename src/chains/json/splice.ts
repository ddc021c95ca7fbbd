/**
 * Replaces the `id` of an upstream's reply with the client's. All other bytes stay as they are, because
 * parsing and serializing a reply would round its numbers.
 *
 * Source: JSON-RPC 2.0 §5
 */

import type { Pieces } from '../../flow/pieces.ts'
import type { IdRange } from './scan.ts'

/**
 * @param reply  one JSON object; not changed
 * @param rawId  the client's id as JSON text; null if it sent none, which removes the member and one comma
 * @returns a new buffer
 */
export function spliceId(reply: Buffer, id: IdRange, rawId: Buffer | null): Buffer {
  if (rawId === null) return Buffer.concat([reply.subarray(0, id.cutStart), reply.subarray(id.cutEnd)])
  return Buffer.concat([reply.subarray(0, id.start), rawId, reply.subarray(id.end)])
}

/** Like spliceId for a reply in pieces, and copies nothing: views of the pieces, and the id between them. */
export function splicedPieces(reply: Pieces, id: IdRange, rawId: Buffer | null): readonly Buffer[] {
  if (rawId === null) return [...reply.slice(0, id.cutStart).parts, ...reply.slice(id.cutEnd).parts]
  return [...reply.slice(0, id.start).parts, rawId, ...reply.slice(id.end).parts]
}
