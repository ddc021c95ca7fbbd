/**
 * Base58 with Bitcoin's alphabet: one number in base 58, preceded by a '1' for each leading zero byte.
 * Encoding is done by @scure/base. Decoding is done here, because clients choose the length and content of
 * what they submit: bench/base58.ts compares the two in its rows "decode a transaction" and "is it a key".
 *
 * Decoding is long multiplication, quadratic in the length, so the length is bounded first. Each step
 * combines four digits with limbs of three bytes, the most for which doubles are exact:
 *
 *   limb x 58^4 + carry < 2^24 x 2^23.5 + 2^24 < 2^53
 *
 * Source: bitcoin/bitcoin src/base58.cpp
 */
import { base58 } from '@scure/base'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const ZERO = ALPHABET.charCodeAt(0)
/** Four digits. */
const QUAD = 58 ** 4
/** The base of a limb: three bytes. */
const TRIPLE = 256 ** 3
/** A power of two, so that multiplying by it is exact. */
const PER_TRIPLE = 1 / TRIPLE
/** log(58) / log(256), rounded down. */
const BYTES_PER_DIGIT = 0.732
/** log(256) / log(58), rounded up. */
const DIGITS_PER_BYTE = 1.366

const NO_DIGIT = 255
const DIGIT_OF = new Uint8Array(128).fill(NO_DIGIT)
for (let digit = 0; digit < 58; digit++) DIGIT_OF[ALPHABET.charCodeAt(digit)] = digit

/** @returns the bytes, or null if the text is not base58 or encodes more than `maxBytes` */
export function decodeBase58(text: string, maxBytes: number): Uint8Array | null {
  let zeros = 0
  while (zeros < text.length && text.charCodeAt(zeros) === ZERO) zeros++
  if (zeros + Math.floor((text.length - zeros) * BYTES_PER_DIGIT) > maxBytes) return null

  // Lowest limb first. Four digits add at most one limb.
  const limbs = new Float64Array(Math.ceil((text.length - zeros) / 4))
  let count = 0
  for (let at = zeros; at < text.length; ) {
    let carry = 0
    let scale = 1
    for (; scale < QUAD && at < text.length; at++, scale *= 58) {
      const code = text.charCodeAt(at)
      const digit = code < 128 ? DIGIT_OF[code]! : NO_DIGIT
      if (digit === NO_DIGIT) return null
      carry = carry * 58 + digit
    }
    for (let i = 0; i < count; i++) {
      const sum = limbs[i]! * scale + carry
      carry = Math.floor(sum * PER_TRIPLE)
      limbs[i] = sum - carry * TRIPLE
    }
    if (carry > 0) limbs[count++] = carry
  }

  const length = zeros + byteLength(limbs, count)
  if (length > maxBytes) return null
  const bytes = new Uint8Array(length)
  for (let i = 0, at = length - 1; at >= zeros; i++) {
    const limb = limbs[i]!
    bytes[at--] = limb
    if (at >= zeros) bytes[at--] = limb >>> 8
    if (at >= zeros) bytes[at--] = limb >>> 16
  }
  return bytes
}

function byteLength(limbs: Float64Array, count: number): number {
  if (count === 0) return 0
  const top = limbs[count - 1]!
  return (count - 1) * 3 + (top < 256 ? 1 : top < 65_536 ? 2 : 3)
}

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
