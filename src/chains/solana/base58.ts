/**
 * Base58 with Bitcoin's alphabet: one number written in base 58, with a '1'
 * in front for each leading zero byte. Texts are written by @scure/base. They
 * are read here, because whoever submits a transaction chooses how long its
 * text is, and whether it is one: bench/base58.ts compares the two in its rows
 * "decode a transaction" and "is it a key".
 *
 * Reading is long multiplication, quadratic in the length, so every length is
 * bounded first. Four digits meet three bytes in a step, the most for which it
 * is exact in a double:
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
/** A limb of a number in base 256: three bytes. */
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

/** @returns the bytes, or null where the text is not base58 or stands for more than `maxBytes` */
export function decodeBase58(text: string, maxBytes: number): Uint8Array | null {
  let zeros = 0
  while (zeros < text.length && text.charCodeAt(zeros) === ZERO) zeros++
  if (zeros + Math.floor((text.length - zeros) * BYTES_PER_DIGIT) > maxBytes) return null

  // The lowest limb stands first. Four digits add one limb at the most.
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
 * Is this base58 of exactly `length` bytes? 32 are a Solana key, 64 a
 * signature. Nothing is decoded: the alphabet is in ASCII order, so numbers of
 * equally many digits compare as strings do.
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

/** The least number of i + 1 bytes, in base 58: made once it is asked for, as few of them ever are. */
function powerOf256(i: number): string {
  return (POWERS_OF_256[i] ??= encodeBase58(Uint8Array.of(1, ...new Array(i).fill(0))))
}

function isAtLeast(digits: string, bound: string): boolean {
  return digits.length === bound.length ? digits >= bound : digits.length > bound.length
}
