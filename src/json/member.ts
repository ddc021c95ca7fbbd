/**
 * Where members and items of a JSON document stand in its bytes: so that one
 * can be passed on exactly as it was written (parsing and writing it anew would
 * round integers above 2^53, and break whoever has signed or summed up its
 * text), and so that of a long document only what is wanted is parsed.
 *
 * Of what is not JSON some answer may be found, or none; it ends either way.
 *
 * Source: RFC 8259 §4
 */
import { scalarEnd, skipSpace, stringEnd } from './tokens.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** Offsets of a value: its first byte, and behind its last one. */
export interface Range {
  readonly start: number
  readonly end: number
}

/**
 * @param bytes  a document that JSON.parse accepts
 * @param path   names of members, from the outermost in
 * @returns the member's text; of a name that stands twice the last, as in JSON.parse; null when there is none
 */
export function memberText(bytes: Buffer, path: readonly string[]): string | null {
  let range: Range | null = { start: 0, end: bytes.length }
  for (const name of path) {
    range = membersOf(bytes, range.start, [name]).get(name) ?? null
    if (range === null) return null
  }
  const start = skipSpace(bytes, range.start)
  return bytes.toString('utf8', start, path.length === 0 ? valueEnd(bytes, start) : range.end)
}

/**
 * The members of these names, in one pass over the object that begins at `start`.
 * @returns of a name that stands twice the last
 */
export function membersOf(bytes: Buffer, start: number, names: readonly string[]): Map<string, Range> {
  const found = new Map<string, Range>()
  const open = skipSpace(bytes, start)
  if (bytes[open] !== OPEN_BRACE) return found
  let at = skipSpace(bytes, open + 1)
  while (bytes[at] === QUOTE) {
    const nameEnd = stringEnd(bytes, at)
    if (nameEnd === -1) break
    const colon = skipSpace(bytes, nameEnd)
    const valueStart = skipSpace(bytes, colon + 1)
    const end = bytes[colon] === COLON ? valueEnd(bytes, valueStart) : -1
    if (end === -1) break
    const name = names.find((name) => isNamed(bytes, at, nameEnd, name))
    if (name !== undefined) found.set(name, { start: valueStart, end })
    // Behind the value stands a comma or the object's end.
    at = skipSpace(bytes, skipSpace(bytes, end) + 1)
  }
  return found
}

/** The items of an array, one after the other, as often as `next` is called. */
export class Items {
  readonly #bytes: Buffer
  #at: number

  /** @param start  of the array; of anything else there are no items */
  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes
    const open = skipSpace(bytes, start)
    this.#at = bytes[open] === OPEN_BRACKET ? skipSpace(bytes, open + 1) : bytes.length
    if (bytes[this.#at] === CLOSE_BRACKET) this.#at = bytes.length
  }

  /** @returns null behind the last one */
  next(): Range | null {
    const start = this.#at
    const end = start < this.#bytes.length ? valueEnd(this.#bytes, start) : -1
    if (end === -1) return null
    const behind = skipSpace(this.#bytes, end)
    this.#at = this.#bytes[behind] === COMMA ? skipSpace(this.#bytes, behind + 1) : this.#bytes.length
    return { start, end }
  }
}

/** Whether the string from its opening quote on means this name. */
function isNamed(bytes: Buffer, start: number, end: number, name: string): boolean {
  // No character is written in more than six.
  return end - start <= 6 * name.length + 2 && JSON.parse(bytes.toString('utf8', start, end)) === name
}

/** @returns the offset behind the value that begins at `start`, or -1 */
function valueEnd(bytes: Buffer, start: number): number {
  const length = bytes.length
  let depth = 0
  let at = start
  do {
    if (at >= length) return -1
    const byte = bytes[at]
    if (byte === QUOTE) {
      at = stringEnd(bytes, at)
      if (at === -1) return -1
      continue
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--
    else if (depth === 0) return scalarEnd(bytes, at)
    at++
  } while (depth > 0)
  return depth === 0 ? at : -1
}
