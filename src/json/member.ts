/**
 * Where one member of a JSON document stands in its bytes, so that it can be
 * passed on exactly as it was written: parsing and writing it anew would round
 * integers above 2^53, and break whoever has signed or summed up its text.
 *
 * Source: RFC 8259 §4
 */
import { scalarEnd, skipSpace, stringEnd } from './tokens.ts'

const QUOTE = 0x22
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/**
 * @param bytes  a document that JSON.parse accepts
 * @param path   names of members, from the outermost in
 * @returns the member's text; of a name that stands twice the last, as in JSON.parse; null when there is none
 */
export function memberText(bytes: Buffer, path: readonly string[]): string | null {
  let start = skipSpace(bytes, 0)
  for (const name of path) {
    start = bytes[start] === OPEN_BRACE ? valueStart(bytes, start, name) : -1
    if (start === -1) return null
  }
  return bytes.toString('utf8', start, valueEnd(bytes, start))
}

/** @returns the offset of the named member's value in the object that begins at `open`, or -1 */
function valueStart(bytes: Buffer, open: number, name: string): number {
  let found = -1
  let at = skipSpace(bytes, open + 1)
  while (bytes[at] === QUOTE) {
    const nameEnd = stringEnd(bytes, at)
    const isMeant = JSON.parse(bytes.toString('utf8', at, nameEnd)) === name
    const start = skipSpace(bytes, skipSpace(bytes, nameEnd) + 1)
    if (isMeant) found = start
    // Behind the value stands a comma or the object's end.
    at = skipSpace(bytes, skipSpace(bytes, valueEnd(bytes, start)) + 1)
  }
  return found
}

/** @returns the offset behind the value that begins at `start` */
function valueEnd(bytes: Buffer, start: number): number {
  let depth = 0
  let at = start
  do {
    const byte = bytes[at]
    if (byte === QUOTE) {
      at = stringEnd(bytes, at)
      continue
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--
    else if (depth === 0) return scalarEnd(bytes, at)
    at++
  } while (depth > 0)
  return at
}
