/**
 * The tokens of JSON, as offsets into bytes. Each function takes the offset at which a token begins and
 * returns the offset after its end, or -1 if it is malformed.
 *
 * Source: RFC 8259 §2, §3, §6, §7
 */
import * as char from './characters.ts'

const MINUS = 0x2d
const ZERO = 0x30

/** After this many bytes without an escape, a string is read a word at a time. */
const PLAIN_BYTES = 64
const WORD_BYTES = 4

const TRUE = Buffer.from('true')
const FALSE = Buffer.from('false')
const NULL = Buffer.from('null')

/** The most digits of one number. No double and no u64 has more than about twenty significant digits. */
export const MAX_DIGITS = 65_536

/** @returns the offset of the first byte from `at` on that is not white space; at most `end` */
export function skipSpace(bytes: Uint8Array, at: number, end = bytes.length): number {
  while (at < end) {
    const byte = bytes[at]!
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break
    at++
  }
  return at
}

/**
 * @param quote  offset of the opening quote
 * @returns the offset after the closing quote, or -1
 */
export function stringEnd(bytes: Uint8Array, quote: number): number {
  const end = restOfString(bytes, quote + 1, bytes.length)
  return end < 0 ? -1 : end
}

/**
 * Reads a part of a string, so that a long string can be read in pieces.
 * @param from   the offset after the opening quote, or where the last piece stopped
 * @param until  where to stop; an escape that has begun is read to its end
 * @returns the offset after the closing quote; -1 if malformed; `-2 - at` if it stopped at `at`
 */
export function restOfString(bytes: Uint8Array, from: number, until: number): number {
  const near = Math.min(until, from + PLAIN_BYTES)
  let at = from
  for (; at < near; at++) {
    const byte = bytes[at]!
    if (byte === char.QUOTE) return at + 1
    if (byte < 0x20) return -1
    if (byte === char.BACKSLASH && (at = escapeEnd(bytes, at + 1)) === -1) return -1
  }
  if (at < until) return restOfLongString(bytes, at, until)
  return at < bytes.length ? -2 - at : -1
}

/** The same for a string that is already long: unescaped bytes are read a word at a time. */
function restOfLongString(bytes: Uint8Array, from: number, until: number): number {
  let at = from
  for (let near = from; at < until; ) {
    if (at >= near) {
      // Up to where a word begins, or from there.
      const unaligned = -(bytes.byteOffset + at) & 3
      if (unaligned === 0) at = plainEnd(bytes, at, until)
      near = Math.min(until, at + (unaligned || WORD_BYTES))
      continue
    }
    const byte = bytes[at]!
    if (byte === char.QUOTE) return at + 1
    if (byte < 0x20) return -1
    if (byte === char.BACKSLASH) {
      if ((at = escapeEnd(bytes, at + 1)) === -1) return -1
      near = at + 1 + PLAIN_BYTES
    }
    at++
  }
  return at < bytes.length ? -2 - at : -1
}

/**
 * Skips the unescaped bytes of a string, a word at a time: accounts of megabytes are one string (bench:
 * Pieces).
 * @param from  where a word of the memory begins
 * @returns at most three bytes before the first quote, backslash or control character, or before `until`
 */
function plainEnd(bytes: Uint8Array, from: number, until: number): number {
  const count = (until - from) >> 2
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + from, count)
  let i = 0
  for (; i < count; i++) {
    const word = words[i]!
    // The top bit of each byte that is below 0x20, a quote or a backslash, and of no byte outside ASCII.
    const control = (word - 0x20202020) | 0
    const quote = ((word ^ 0x22222222) - 0x01010101) | 0
    const backslash = ((word ^ 0x5c5c5c5c) - 0x01010101) | 0
    if (((control | quote | backslash) & ~word & 0x80808080) !== 0) break
  }
  return from + WORD_BYTES * i
}

/** @returns the offset of an escape's last byte, or -1 */
function escapeEnd(bytes: Uint8Array, at: number): number {
  switch (bytes[at]) {
    case char.QUOTE:
    case char.BACKSLASH:
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return at
    case 0x75: // u
      for (let digit = at + 1; digit <= at + 4; digit++) if (!isHex(bytes[digit])) return -1
      return at + 4
    default:
      return -1
  }
}

/** @returns the offset after the number or literal that begins at `at`, or -1 */
export function scalarEnd(bytes: Uint8Array, at: number): number {
  switch (bytes[at]) {
    case 0x74:
      return literalEnd(bytes, at, TRUE)
    case 0x66:
      return literalEnd(bytes, at, FALSE)
    case 0x6e:
      return literalEnd(bytes, at, NULL)
    default:
      return numberEnd(bytes, at)
  }
}

function literalEnd(bytes: Uint8Array, at: number, literal: Uint8Array): number {
  for (let i = 1; i < literal.length; i++) if (bytes[at + i] !== literal[i]) return -1
  return at + literal.length
}

function numberEnd(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start
  // No digit may follow a leading zero.
  at = bytes[at] === ZERO ? at + 1 : digitsEnd(bytes, at)
  if (at !== -1 && bytes[at] === 0x2e) at = digitsEnd(bytes, at + 1)
  if (at !== -1 && (bytes[at] === 0x65 || bytes[at] === 0x45)) {
    const sign = bytes[at + 1]
    at = digitsEnd(bytes, sign === 0x2b || sign === MINUS ? at + 2 : at + 1)
  }
  return at
}

/** @returns the offset after one or more digits, or -1; also -1 for more than MAX_DIGITS */
function digitsEnd(bytes: Uint8Array, start: number): number {
  let at = start
  const longest = start + MAX_DIGITS
  while (at <= longest && isDigit(bytes[at])) at++
  return at === start || at > longest ? -1 : at
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= 0x39
}

function isHex(byte: number | undefined): boolean {
  return isDigit(byte) || (byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)
}
