/**
 * Decodes the text of a transaction as strictly as a validator does. The platform's own base64 decoder
 * accepts white space, missing padding and stray bits; forwarding its result could send bytes that the client
 * did not write. `atob` exists in Node and in browsers: the console decodes transactions with this file, too.
 *
 * Source: rules R1 to R3 of errors.ts · anza-xyz/agave rpc/src/rpc.rs (decode_and_deserialize) · RFC
 * 4648 §4
 */

import { decodeBase58 } from './base58.ts'
import type { EncodingRefusal } from './refusals.ts'
import { MAX_TRANSACTION_BYTES } from './wire.ts'

/** The longest text of 1,232 bytes, as a node counts it. */
const MAX_CHARACTERS = { base58: 1_683, base64: 1_644 } as const

/** @returns at most 1,232 bytes, or the code of the refusal */
export function decodeTransaction(text: string, encoding: 'base58' | 'base64'): Uint8Array | EncodingRefusal {
  if (text.length > MAX_CHARACTERS[encoding]) return 'transaction_too_large' // R1
  const bytes = encoding === 'base64' ? decodeBase64(text) : decodeBase58(text, MAX_CHARACTERS.base58)
  if (bytes === null) return 'transaction_encoding_invalid' // R3
  return bytes.length > MAX_TRANSACTION_BYTES ? 'transaction_too_large' : bytes // R2
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
