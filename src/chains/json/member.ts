/**
 * Finds members and items of a JSON document in its bytes. A value can then be passed on exactly as it was
 * written: parsing and serializing it would round integers above 2^53, and break signatures and hashes of the
 * text. And only the needed parts of a long document are parsed.
 *
 * For bytes that are not JSON the result is undefined, but every function returns.
 *
 * Source: RFC 8259 §4
 */

import * as char from './characters.ts'
import { MAX_VALUES } from './parse.ts'
import { MAX_DEPTH } from './scan.ts'
import { scalarEnd, skipSpace, stringEnd } from './tokens.ts'

/** Offsets of a value: its first byte, and the byte after its last one. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * @param bytes  a document that JSON.parse accepts
 * @param path   names of members, outermost first
 * @returns the member's text, or null if there is none; the last of duplicate names counts, as in JSON.parse
 */
export function memberText(bytes: Buffer, path: readonly string[]): string | null {
  let range: ByteRange | null = { start: 0, end: bytes.length }
  for (const name of path) {
    range = membersOf(bytes, range.start, [name]).get(name) ?? null
    if (range === null) return null
  }
  const start = skipSpace(bytes, range.start)
  return bytes.toString('utf8', start, path.length === 0 ? valueEnd(bytes, start) : range.end)
}

/**
 * Finds the members with these names, in one pass over the object that begins at `start`.
 * @returns the last of duplicate names; nothing after the first MAX_VALUES members
 */
export function membersOf(bytes: Buffer, start: number, names: readonly string[]): Map<string, ByteRange> {
  const found = new Map<string, ByteRange>()
  const members = new Members(bytes, start)
  for (let count = 0; count < MAX_VALUES && members.next(); count++) {
    const name = names.find((name) => members.isNamed(name))
    if (name !== undefined && members.end !== -1) found.set(name, { start: members.start, end: members.end })
  }
  return found
}

/**
 * Finds the first member with this name in the object that begins at `start`, and reads no further.
 * @returns the offset of its value, or -1
 */
export function startOfMember(bytes: Buffer, start: number, name: string): number {
  const members = new Members(bytes, start)
  for (let count = 0; count < MAX_VALUES && members.next(); count++)
    if (members.isNamed(name)) return members.start
  return -1
}

/** Iterates over the items of an array. */
export class Items {
  readonly #bytes: Buffer
  #at: number

  /** @param start  the array's offset; any other value has no items */
  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes
    const open = skipSpace(bytes, start)
    this.#at = bytes[open] === char.OPEN_BRACKET ? skipSpace(bytes, open + 1) : bytes.length
  }

  /** @returns null after the last item: the closing bracket isn't a value */
  next(): ByteRange | null {
    const start = this.#at
    const end = start < this.#bytes.length ? valueEnd(this.#bytes, start) : -1
    if (end === -1) return null
    const behind = skipSpace(this.#bytes, end)
    this.#at = this.#bytes[behind] === char.COMMA ? skipSpace(this.#bytes, behind + 1) : this.#bytes.length
    return { start, end }
  }
}

/** Iterates over the members of an object. */
export class Members {
  start = -1
  readonly #bytes: Buffer
  #next: number
  #nameStart = 0
  #nameEnd = 0
  #end: number | null = null

  /** @param start  the object's offset; any other value has no members */
  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes
    const open = skipSpace(bytes, start)
    this.#next = bytes[open] === char.OPEN_BRACE ? skipSpace(bytes, open + 1) : -1
  }

  /** @returns false after the last member */
  next(): boolean {
    const bytes = this.#bytes
    if (this.start !== -1) {
      const end = this.end
      // A comma or the object's end follows the value.
      this.#next = end === -1 ? -1 : skipSpace(bytes, skipSpace(bytes, end) + 1)
    }
    const at = this.#next
    if (bytes[at] !== char.QUOTE) return false
    this.#nameStart = at
    this.#nameEnd = stringEnd(bytes, at)
    if (this.#nameEnd === -1) return false
    const colon = skipSpace(bytes, this.#nameEnd)
    if (bytes[colon] !== char.COLON) return false
    this.start = skipSpace(bytes, colon + 1)
    this.#end = null
    return true
  }

  isNamed(name: string): boolean {
    return isNamed(this.#bytes, this.#nameStart, this.#nameEnd, name)
  }

  /** Of the current member. */
  get name(): string {
    return JSON.parse(this.#bytes.toString('utf8', this.#nameStart, this.#nameEnd))
  }

  /** The offset after its value, or -1. Found on first use. */
  get end(): number {
    return (this.#end ??= valueEnd(this.#bytes, this.start))
  }
}

/** Whether the string that begins at its opening quote equals this name. */
function isNamed(bytes: Buffer, start: number, end: number, name: string): boolean {
  const length = end - start - 2
  // A character takes at least one byte, and an escape takes at most six.
  if (length < name.length || length > 6 * name.length) return false
  if (length === 0) return true
  const first = bytes[start + 1]!
  const isPlain = first < 0x80 && first !== char.BACKSLASH
  if (isPlain && first !== name.charCodeAt(0)) return false
  return JSON.parse(bytes.toString('utf8', start, end)) === name
}

/** @returns the offset after the value that begins at `start`, or -1; also -1 if it nests too deeply */
function valueEnd(bytes: Buffer, start: number): number {
  const length = bytes.length
  let depth = 0
  let at = start
  do {
    if (at >= length) return -1
    const byte = bytes[at]
    if (byte === char.QUOTE) {
      at = stringEnd(bytes, at)
      if (at === -1) return -1
      continue
    }
    if (byte === char.OPEN_BRACE || byte === char.OPEN_BRACKET) {
      if (++depth > MAX_DEPTH) return -1
    } else if (byte === char.CLOSE_BRACE || byte === char.CLOSE_BRACKET) depth--
    else if (depth === 0) return scalarEnd(bytes, at)
    at++
  } while (depth > 0)
  return depth === 0 ? at : -1
}
