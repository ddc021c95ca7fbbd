/**
 * Validates a JSON document and finds the members of a JSON-RPC envelope, in one pass over the bytes. Nothing
 * is decoded, so every number keeps its digits (lamports exceed 2^53), and no objects are made (bench:
 * Pieces).
 *
 * Accepts exactly what JSON.parse accepts, with at most MAX_DEPTH levels, and names and runs of digits of at
 * most 65,536 bytes. For a document in several pieces see scan-pieces.ts.
 *
 * Source: RFC 8259 · JSON-RPC 2.0 §4, §5
 */

import { isUtf8 } from 'node:buffer'
import * as char from './characters.ts'
import { MAX_DIGITS, restOfString, scalarEnd, skipSpace } from './tokens.ts'

/** The most levels of arrays and objects. A node's replies stay below 20. */
export const MAX_DEPTH = 512

/** The longest name of a member. Names in answers have about twenty bytes. */
const MAX_NAME_BYTES = 65_536

/** An escape, `\\u0069`, has six bytes: the last bytes of a part wait for those that follow. */
export const MARGIN_BYTES = 6
/** The bytes in which a name or a scalar ends, if it is well-formed: an integer, a fraction and an exponent. */
const MAX_TOKEN_BYTES = 3 * MAX_DIGITS + MARGIN_BYTES

export const JSONRPC = 0
export const ID = 1
export const METHOD = 2
export const PARAMS = 3
export const RESULT = 4
export const ERROR = 5
/**
 * The `id` member of a document: offsets of its value, and what to cut to remove the member, which is up to the next
 * member, or from the comma before it up to the closing brace.
 */
export type IdRange = Readonly<EnvelopeScan['id']>

/** One of the six members of an envelope. */
export type Member = 0 | 1 | 2 | 3 | 4 | 5

const NAMES = ['jsonrpc', 'id', 'method', 'params', 'result', 'error']
const NAME_BYTES = NAMES.map((name) => Buffer.from(name))
const NONE = -1

// What may come next: any value; the first item of a container, or its end; a name; a comma or the container's
// end; nothing; a colon; the rest of a string.
const VALUE = 0
const FIRST = 1
const NAME = 2
const AFTER = 3
const END = 4
const MIDDLE = 5
const STRING = 6

/**
 * Reusable: each `scan` overwrites the results of the one before, which are valid only if it returned true.
 * It keeps no reference to the bytes.
 */
export class EnvelopeScan {
  /** Whether the document is an object; only then are the members valid. */
  isObject = false
  /** Whether one of the six names occurs twice at the top level. The last one counts, as in JSON.parse. */
  duplicate = false
  /** Whether another name occurs there. */
  hasOthers = false
  readonly #start = new Int32Array(NAMES.length)
  readonly #end = new Int32Array(NAMES.length)
  // The closing bracket of each open level.
  readonly #closers = new Uint8Array(MAX_DEPTH)

  #cutStart = -1
  #cutEnd = -1

  // The state between two parts of a document.
  #depth = 0
  #closer = 0
  #expected = VALUE
  #member = NONE
  /** Offset of the last comma between members of the envelope, or -1. */
  #comma = -1

  /** @returns false if the bytes are not one JSON document in UTF-8, or nest too deeply */
  scan(bytes: Uint8Array): boolean {
    if (!isUtf8(bytes)) return false
    this.begin()
    return this.advance(bytes, 0, bytes.length, 0, true) === bytes.length
  }

  /** Starts the scan of a document in parts, which are UTF-8 together. */
  begin(): void {
    this.#depth = 0
    this.#closer = 0
    this.#expected = VALUE
    this.#member = NONE
    this.#comma = -1
    this.#cutStart = -1
    this.#cutEnd = -1
    this.isObject = false
    this.duplicate = false
    this.hasOthers = false
    this.#start.fill(-1)
    this.#end.fill(-1)
  }

  has(member: Member): boolean {
    return this.#start[member] !== -1
  }

  /** Offset of the first byte of the member's value, or -1 if it is absent. */
  start(member: Member): number {
    return this.#start[member]!
  }

  /** Offset after the last byte of the member's value, or -1 if it is absent. */
  end(member: Member): number {
    return this.#end[member]!
  }

  /** The position of the `id` member; only if there is one, and in an object. */
  get id() {
    return { start: this.start(ID), end: this.end(ID), cutStart: this.#cutStart, cutEnd: this.#cutEnd }
  }

  /**
   * Scans a part of the document.
   * @param bytes   from somewhere in the document on
   * @param from    where in these bytes the part begins: at the document's begin, or where the last part ended
   * @param until   where it should end: at the end of the bytes, or MARGIN_BYTES before it unless they end the
   *                document; a name or a scalar that has begun is read to its end
   * @param base    the offset of the bytes in the document
   * @param isLast  whether the document ends with these bytes
   * @returns where in the bytes it did end, which is `from` if the first token needs more bytes; -1 if the
   *          document is none that `scan` accepts
   */
  advance(bytes: Uint8Array, from: number, until: number, base: number, isLast: boolean): number {
    const closers = this.#closers
    let depth = this.#depth
    let closer = this.#closer
    let expected = this.#expected
    let member = this.#member
    let comma = this.#comma
    let at = expected === STRING ? from : skipSpace(bytes, from, until)

    for (; at < until; at = skipSpace(bytes, at, until)) {
      const byte = bytes[at]!

      if (expected === STRING) {
        at = restOfString(bytes, at, until)
      } else if ((expected === FIRST || expected === AFTER) && byte === closer) {
        closer = --depth === 0 ? 0 : closers[depth - 1]!
        if (depth === 0) this.#endObject(base + at, comma)
        at++
      } else if (expected === AFTER) {
        if (byte !== char.COMMA) return -1
        if (depth === 1) comma = base + at
        expected = closer === char.CLOSE_BRACE ? NAME : VALUE
        at++
        continue
      } else if (expected === NAME || (expected === FIRST && closer === char.CLOSE_BRACE)) {
        const longest = Math.min(at + MAX_NAME_BYTES, bytes.length)
        const nameEnd = byte === char.QUOTE ? restOfString(bytes, at + 1, longest) : -1
        if (nameEnd < 0) {
          if (!isLast && bytes.length - at < MAX_TOKEN_BYTES) break
          return -1
        }
        if (depth === 1) member = this.#named(bytes, at, nameEnd, base)
        at = nameEnd
        expected = MIDDLE
        continue
      } else if (expected === MIDDLE) {
        if (byte !== char.COLON) return -1
        expected = VALUE
        at++
        continue
      } else if (expected === END) {
        return -1
      } else {
        if (depth === 1 && member !== NONE) this.#start[member] = base + at
        if (byte === char.OPEN_BRACE || byte === char.OPEN_BRACKET) {
          if (depth === MAX_DEPTH) return -1
          if (depth === 0) this.isObject = byte === char.OPEN_BRACE
          closer = byte === char.OPEN_BRACE ? char.CLOSE_BRACE : char.CLOSE_BRACKET
          closers[depth++] = closer
          expected = FIRST
          at++
          continue
        }
        if (byte === char.QUOTE) at = restOfString(bytes, at + 1, until)
        else {
          const end = scalarEnd(bytes, at)
          // More digits may follow, or the missing end.
          const isOpen = !isLast && (end === -1 ? bytes.length - at < MAX_TOKEN_BYTES : end === bytes.length)
          if (isOpen) break
          at = end
        }
      }
      if (at === -1) return -1
      if (at < -1) {
        at = -2 - at
        expected = STRING
        break
      }

      // A value ends here.
      if (depth === 1 && member !== NONE) {
        this.#end[member] = base + at
        member = NONE
      }
      expected = depth === 0 ? END : AFTER
    }
    if (isLast && at >= bytes.length) return expected === END ? at : -1
    this.#depth = depth
    this.#closer = closer
    this.#expected = expected
    this.#member = member
    this.#comma = comma
    return at
  }

  /** Records the member that a name denotes. */
  #named(bytes: Uint8Array, start: number, end: number, base: number): number {
    if (this.#cutStart !== -1 && this.#cutEnd === -1) this.#cutEnd = base + start
    const member = memberNamed(bytes, start, end)
    if (member === NONE) {
      this.hasOthers = true
      return NONE
    }
    if (this.#start[member] !== -1) this.duplicate = true
    if (member === ID) {
      this.#cutStart = base + start
      this.#cutEnd = -1
    }
    return member
  }

  /** @param comma  the last one before the closing bracket, or -1 */
  #endObject(end: number, comma: number): void {
    if (this.#cutStart === -1 || this.#cutEnd !== -1) return
    this.#cutEnd = end
    if (comma !== -1) this.#cutStart = comma
  }
}

/** @returns the member that the quoted name denotes, with its escapes decoded; NONE for any other name */
function memberNamed(bytes: Uint8Array, start: number, end: number): number {
  // An escaped name is rare and known to be a valid string, so JSON.parse decodes it.
  if (hasEscape(bytes, start, end)) {
    return NAMES.indexOf(JSON.parse(Buffer.from(bytes.subarray(start, end)).toString()))
  }
  for (let member = 0; member < NAMES.length; member++)
    if (NAME_BYTES[member]!.length === end - start - 2 && isAt(bytes, start + 1, member)) return member
  return NONE
}

// indexOf would search the whole rest of the document for each name.
function hasEscape(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === char.BACKSLASH) return true
  return false
}

function isAt(bytes: Uint8Array, at: number, member: number): boolean {
  const name = NAME_BYTES[member]!
  for (let i = 0; i < name.length; i++) if (bytes[at + i] !== name[i]) return false
  return true
}
