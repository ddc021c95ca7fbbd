/**
 * Base58 with Bitcoin's alphabet: one number in base 58, preceded by a '1' for each leading zero byte.
 *
 * Source: bitcoin/bitcoin src/base58.cpp
 */
import { base58 } from '@scure/base'
import { KEY_BYTES } from './sizes.ts'

const ZERO = '1'.charCodeAt(0)
/** log(58) / log(256), rounded down. */
const BYTES_PER_DIGIT = 0.732
/** log(256) / log(58), rounded up. */
const DIGITS_PER_BYTE = 1.366

/** @returns the bytes, or null if the text is not base58, encodes more than `maxBytes` or has over 4,096 digits */
export function decodeBase58(text: string, maxBytes: number): Uint8Array | null {
  let zeros = 0
  while (zeros < text.length && text.charCodeAt(zeros) === ZERO) zeros++
  // Decoding is quadratic in the length, which clients choose.
  if (zeros + Math.floor((text.length - zeros) * BYTES_PER_DIGIT) > maxBytes) return null
  try {
    const bytes = base58.decode(text)
    return bytes.length > maxBytes ? null : bytes
  } catch {
    return null
  }
}

/** @param address  of a key, valid. @returns its 32 bytes */
export const decodeKey = (address: string): Uint8Array => decodeBase58(address, KEY_BYTES)!

export const encodeBase58: (bytes: Uint8Array) => string = base58.encode

/**
 * Whether this is base58 of exactly `length` bytes: 32 for a Solana key, 64 for a signature. Nothing is
 * decoded: the alphabet is in ASCII order, so numbers with equally many digits compare as strings do.
 */
export function isBase58Of(text: string, length: 32 | 64): boolean {
  if (text.length < length || text.length > length * DIGITS_PER_BYTE + 1) return false
  if (!IS_BASE58.test(text)) return false
  let zeros = 0
  while (text.charCodeAt(zeros) === ZERO) zeros++
  if (zeros >= length) return zeros === length && text.length === length
  const digits = zeros === 0 ? text : text.slice(zeros)
  const longest = length - zeros
  return isAtLeast(digits, powerOf256(longest - 1)) && !isAtLeast(digits, powerOf256(longest))
}

const IS_BASE58 = /^[1-9A-HJ-NP-Za-km-z]+$/
const POWERS_OF_256: string[] = []

/** The least number of i + 1 bytes, in base 58. Made on first use, because few of them are ever needed. */
function powerOf256(i: number): string {
  return (POWERS_OF_256[i] ??= encodeBase58(Uint8Array.of(1, ...new Array(i).fill(0))))
}

function isAtLeast(digits: string, bound: string): boolean {
  return digits.length === bound.length ? digits >= bound : digits.length > bound.length
}
