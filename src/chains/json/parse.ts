/**
 * JSON.parse for untrusted input, which must not block the event loop. Its time and memory depend on the
 * number of values and on their nesting much more than on bytes (4 MiB of brackets take it half a second), so
 * both are counted in the bytes first.
 *
 * Source: RFC 8259 §9 (an implementation may set limits)
 */
import { isUtf8 } from 'node:buffer'
import * as char from './characters.ts'
import { MAX_DEPTH } from './scan.ts'

/**
 * The most commas, colons and opening brackets in one document: about the number of its values and member
 * names. The worst case, an object in which every name differs, takes JSON.parse about ten milliseconds.
 */
export const MAX_VALUES = 40_000

/**
 * @returns the result of JSON.parse
 * @throws SyntaxError  if it is not JSON in UTF-8, nests too deeply or holds too many values
 */
export function parseBounded(json: Buffer | string, maxValues = MAX_VALUES): unknown {
  const bytes = typeof json === 'string' ? Buffer.from(json) : json
  if (!isUtf8(bytes)) throw new SyntaxError('not UTF-8')
  if (!isBounded(bytes, maxValues)) throw new SyntaxError('too deep, or too many values')
  return JSON.parse(typeof json === 'string' ? json : bytes.toString())
}

/** Like parseBounded, but returns undefined instead of throwing. No document parses to undefined. */
export function parsedOrNone(json: Buffer | string, maxValues = MAX_VALUES): unknown {
  try {
    return parseBounded(json, maxValues)
  } catch {
    return undefined
  }
}

/** Whether a document has at most MAX_DEPTH levels and `maxValues` values. */
export function isBounded(bytes: Uint8Array, maxValues = MAX_VALUES): boolean {
  return valuesIn(bytes, maxValues) <= maxValues
}

/**
 * Counts the values of a document, member names included. For bytes that are not JSON the count may be wrong,
 * which is safe: JSON.parse stops at the first token on which the two disagree.
 * @returns Infinity for more than `maxValues` values or MAX_DEPTH levels
 */
export function valuesIn(bytes: Uint8Array, maxValues: number): number {
  const length = bytes.length
  let depth = 0
  let values = 1
  for (let at = 0; at < length; at++) {
    switch (bytes[at]) {
      case char.QUOTE:
        at = closingQuote(bytes, at)
        break
      case char.OPEN_BRACKET:
      case char.OPEN_BRACE:
        if (++depth > MAX_DEPTH || ++values > maxValues) return Infinity
        break
      case char.COMMA:
      case char.COLON:
        if (++values > maxValues) return Infinity
        break
      case char.CLOSE_BRACKET:
      case char.CLOSE_BRACE:
        depth--
        break
    }
  }
  return values
}

/** @returns the offset of the closing quote, or the end of the bytes */
function closingQuote(bytes: Uint8Array, opening: number): number {
  const length = bytes.length
  let at = opening + 1
  while (at < length && bytes[at] !== char.QUOTE) at += bytes[at] === char.BACKSLASH ? 2 : 1
  return at
}
