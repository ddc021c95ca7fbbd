/**
 * JSON.parse of what others wrote, which cannot hold the event loop: its time
 * and its memory go by the number of values and by their nesting much more than
 * by bytes (4 MiB of brackets take it half a second), so both are counted in
 * the bytes before anything is made of them.
 *
 * Source: RFC 8259 §9 (an implementation may set limits)
 */
import { isUtf8 } from 'node:buffer'
import { MAX_DEPTH } from './scan.ts'

/**
 * Commas, colons and opening brackets in one document, which are its values and the names of its members,
 * or a few less. The worst of so many, an object with a name of its own for each, take JSON.parse some ten
 * milliseconds.
 */
export const MAX_VALUES = 40_000

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/**
 * @param json  a document, or what passes for one
 * @returns as JSON.parse does
 * @throws SyntaxError  where it is not JSON in UTF-8, nests too deeply or holds too many values
 */
export function parseBounded(json: Buffer | string, maxValues = MAX_VALUES): unknown {
  const bytes = typeof json === 'string' ? Buffer.from(json) : json
  if (!isUtf8(bytes)) throw new SyntaxError('not UTF-8')
  if (!isBounded(bytes, maxValues)) throw new SyntaxError('too deep, or too many values')
  return JSON.parse(typeof json === 'string' ? json : bytes.toString())
}

/** As parseBounded does; undefined for what it refuses, which no document stands for. */
export function parsedOrNone(json: Buffer | string, maxValues = MAX_VALUES): unknown {
  try {
    return parseBounded(json, maxValues)
  } catch {
    return undefined
  }
}

/** Whether a document stays within MAX_DEPTH levels and so many values. */
export function isBounded(bytes: Uint8Array, maxValues = MAX_VALUES): boolean {
  return valuesIn(bytes, maxValues) <= maxValues
}

/**
 * How many values a document has, names counted too. Of what is not JSON this is any number: JSON.parse
 * gets no further than both agree on the tokens.
 * @returns Infinity for more than `maxValues`, or for more than MAX_DEPTH levels
 */
export function valuesIn(bytes: Uint8Array, maxValues: number): number {
  const length = bytes.length
  let depth = 0
  let values = 1
  for (let at = 0; at < length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = closingQuote(bytes, at)
        break
      case OPEN_BRACKET:
      case OPEN_BRACE:
        if (++depth > MAX_DEPTH || ++values > maxValues) return Infinity
        break
      case COMMA:
      case COLON:
        if (++values > maxValues) return Infinity
        break
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth--
        break
    }
  }
  return values
}

/** @returns the offset of the quote that ends the string, or that of the end of the bytes */
function closingQuote(bytes: Uint8Array, opening: number): number {
  const length = bytes.length
  let at = opening + 1
  while (at < length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}
