/**
 * Decodes the text of a transaction as strictly as a validator does: forwarding what a lenient decoder makes of it
 * could send bytes that the client did not write.
 *
 * Source: rules R1 to R3 of codes.json · anza-xyz/agave rpc/src/rpc.rs (decode_and_deserialize), pull
 * request 12597 · RFC 4648 §4
 */

import { decodeBase64 } from '../../runtime/base64.ts'
import { decodeBase58 } from './base58.ts'
import type { EncodingRefusal } from './refusals.ts'
import { MAX_TRANSACTION_BYTES } from './sizes.ts'

/** The longest base58 text of 1,232 bytes, as a node counts it. */
const MAX_BASE58_CHARACTERS = 1_683

/** The number of base64 characters of this many bytes. */
export const base64Characters = (bytes: number): number => Math.ceil(bytes / 3) * 4

/**
 * @param maxBytes  for base64. Base58 is limited to 1,232 bytes, as at a node: decoding it is quadratic in
 * the length.
 * @returns at most `maxBytes` bytes, or the code of the refusal
 */
export function decodeTransaction(
  text: string,
  encoding: 'base58' | 'base64',
  maxBytes: number = MAX_TRANSACTION_BYTES,
): Uint8Array | EncodingRefusal {
  const isBase58 = encoding === 'base58'
  const most = isBase58 ? MAX_BASE58_CHARACTERS : base64Characters(maxBytes)
  if (text.length > most) return 'transaction_too_large' // R1
  const bytes = isBase58 ? decodeBase58(text, most) : decodeBase64(text)
  if (bytes === null) return 'transaction_encoding_invalid' // R3
  return bytes.length > (isBase58 ? MAX_TRANSACTION_BYTES : maxBytes) ? 'transaction_too_large' : bytes // R2
}
