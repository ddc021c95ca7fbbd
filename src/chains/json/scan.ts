/**
 * Validates a JSON document and finds the members of a JSON-RPC envelope, in one pass over the bytes. Nothing
 * is decoded, so every number keeps its digits (lamports exceed 2^53), and no objects are made (bench:
 * Pieces).
 *
 * Accepts exactly what JSON.parse accepts, with at most MAX_DEPTH levels, and names and runs of digits of at
 * most 65,536 bytes. A long document can be scanned in pieces: call `begin`, then `goOn` until it returns a
 * verdict.
 *
 * Source: RFC 8259 · JSON-RPC 2.0 §4, §5
 */

import { isUtf8 } from 'node:buffer'
import { restOfString, scalarEnd, skipSpace } from './tokens.ts'

/** The most levels of arrays and objects. A node's replies stay below 20. */
export const MAX_DEPTH = 512

/** The longest name of a member. Names in answers have some twenty bytes. */
const MAX_NAME_BYTES = 65_536

export const JSONRPC = 0
export const ID = 1
export const METHOD = 2
export const PARAMS = 3
export const RESULT = 4
export const ERROR = 5
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

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/**
 * Reusable: each `scan` overwrites the results of the one before, which are valid only if it returned true.
 * It keeps no reference to the bytes.
 */
export class EnvelopeScan {
  /** Whether the document is an object; only then are the members valid. */
  isObject = false
  /** Whether one of the six names occurs twice at the top level. The last one counts, as in JSON.parse. */
  duplicate = false
  /** Offset of the opening quote of the name `id`, or -1 if there is no such member. */
  idNameStart = -1

  readonly #start = new Int32Array(NAMES.length)
  readonly #end = new Int32Array(NAMES.length)
  // The closing bracket of each open level.
  readonly #closers = new Uint8Array(MAX_DEPTH)

  // The state of a scan in pieces.
  #at = 0
  #depth = 0
  #closer = 0
  #expected = VALUE
  #member = NONE

  /** @returns false if the bytes are not one JSON document in UTF-8, or nest too deeply */
  scan(bytes: Uint8Array): boolean {
    return this.begin(bytes) && this.goOn(bytes, bytes.length) === true
  }

  /** Starts a scan in pieces. @returns false if the bytes are not UTF-8 */
  begin(bytes: Uint8Array): boolean {
    this.#at = 0
    this.#depth = 0
    this.#closer = 0
    this.#expected = VALUE
    this.#member = NONE
    this.isObject = false
    this.duplicate = false
    this.idNameStart = -1
    this.#start.fill(-1)
    this.#end.fill(-1)
    return isUtf8(bytes)
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

  /**
   * Scans the next piece.
   * @param bytes       the same as in `begin`
   * @param pieceBytes  the length of the piece; a name or number that it begins is read to its end
   * @returns the result of `scan`; null if there is more to scan
   */
  goOn(bytes: Uint8Array, pieceBytes: number): boolean | null {
    const until = Math.min(this.#at + pieceBytes, bytes.length)
    const closers = this.#closers
    let depth = this.#depth
    let closer = this.#closer
    let expected = this.#expected
    let member = this.#member
    let at = expected === STRING ? this.#at : skipSpace(bytes, this.#at, until)

    for (; at < until; at = skipSpace(bytes, at, until)) {
      const byte = bytes[at]!

      if (expected === STRING) {
        at = restOfString(bytes, at, until)
      } else if ((expected === FIRST || expected === AFTER) && byte === closer) {
        closer = --depth === 0 ? 0 : closers[depth - 1]!
        at++
      } else if (expected === AFTER) {
        if (byte !== COMMA) return false
        expected = closer === CLOSE_BRACE ? NAME : VALUE
        at++
        continue
      } else if (expected === NAME || (expected === FIRST && closer === CLOSE_BRACE)) {
        const longest = Math.min(at + MAX_NAME_BYTES, bytes.length)
        const nameEnd = byte === QUOTE ? restOfString(bytes, at + 1, longest) : -1
        if (nameEnd < 0) return false
        if (depth === 1) member = this.#named(bytes, at, nameEnd)
        at = nameEnd
        expected = MIDDLE
        continue
      } else if (expected === MIDDLE) {
        if (byte !== COLON) return false
        expected = VALUE
        at++
        continue
      } else if (expected === END) {
        return false
      } else {
        if (depth === 1 && member !== NONE) this.#start[member] = at
        if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
          if (depth === MAX_DEPTH) return false
          if (depth === 0) this.isObject = byte === OPEN_BRACE
          closer = byte === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET
          closers[depth++] = closer
          expected = FIRST
          at++
          continue
        }
        at = byte === QUOTE ? restOfString(bytes, at + 1, until) : scalarEnd(bytes, at)
      }
      if (at === -1) return false
      if (at < -1) {
        at = -2 - at
        expected = STRING
        break
      }

      // A value ends here.
      if (depth === 1 && member !== NONE) {
        this.#end[member] = at
        member = NONE
      }
      expected = depth === 0 ? END : AFTER
    }
    if (at >= bytes.length) return expected === END
    this.#at = at
    this.#depth = depth
    this.#closer = closer
    this.#expected = expected
    this.#member = member
    return null
  }

  /** Records the member that a name denotes. */
  #named(bytes: Uint8Array, start: number, end: number): number {
    const member = memberNamed(bytes, start, end)
    if (member === NONE) return NONE
    if (this.#start[member] !== -1) this.duplicate = true
    if (member === ID) this.idNameStart = start
    return member
  }
}

/** @returns the member that the quoted name denotes, with its escapes decoded; NONE for any other name */
function memberNamed(bytes: Uint8Array, start: number, end: number): number {
  // An escaped name is rare and known to be a valid string, so JSON.parse decodes it.
  if (hasEscape(bytes, start, end)) {
    return NAMES.indexOf(JSON.parse(Buffer.from(bytes.subarray(start, end)).toString()))
  }
  switch (end - start - 2) {
    case 2:
      return isAt(bytes, start + 1, ID) ? ID : NONE
    case 5:
      return isAt(bytes, start + 1, ERROR) ? ERROR : NONE
    case 6:
      if (isAt(bytes, start + 1, RESULT)) return RESULT
      if (isAt(bytes, start + 1, METHOD)) return METHOD
      return isAt(bytes, start + 1, PARAMS) ? PARAMS : NONE
    case 7:
      return isAt(bytes, start + 1, JSONRPC) ? JSONRPC : NONE
    default:
      return NONE
  }
}

// indexOf would search the whole rest of the document for each name.
function hasEscape(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === BACKSLASH) return true
  return false
}

function isAt(bytes: Uint8Array, at: number, member: Member): boolean {
  const name = NAME_BYTES[member]!
  for (let i = 0; i < name.length; i++) if (bytes[at + i] !== name[i]) return false
  return true
}
