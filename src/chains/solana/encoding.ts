/**
 * Decodes the text of a transaction as strictly as a validator does. The platform's own base64 decoder
 * accepts white space, missing padding and stray bits; forwarding its result could send bytes that the client
 * did not write. `atob` exists in Node and in browsers: the console decodes transactions with this file, too.
 *
 * Source: rules R1 to R3 of errors.ts · anza-xyz/agave rpc/src/rpc.rs (decode_and_deserialize), pull
 * request 12597 · RFC 4648 §4
 */

import { decodeBase58 } from './base58.ts'
import type { EncodingRefusal } from './refusals.ts'
import { MAX_TRANSACTION_BYTES } from './sizes.ts'

/** The longest base58 text of 1,232 bytes, as a node counts it. */
const MAX_BASE58_CHARACTERS = 1_683

/** The characters that so many bytes have in base64. */
export const base64Characters = (bytes: number): number => Math.ceil(bytes / 3) * 4

/**
 * @param maxBytes  for base64. What is longer than 1,232 bytes cannot be sent in base58, at a node neither:
 * decoding it takes time that is quadratic in the length.
 * @returns as many bytes at most, or the code of the refusal
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

/** Strict: the bytes must encode back to the same text. */
function decodeBase64(text: string): Uint8Array | null {
  let binary: string
  try {
    binary = atob(text)
  } catch {
    return null
  }
  if (btoa(binary) !== text) return null
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}
