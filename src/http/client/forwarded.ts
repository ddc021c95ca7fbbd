/**
 * Headers that list the hops of a request, nearest hop last, and how their elements are split and read. They
 * are split from the right end, where the nearest proxy wrote: an attacker's text is to the left of that, and
 * no comma or quote in it can move the splits made before it is reached.
 *
 * Source: RFC 7239 (Forwarded) · X-Forwarded-For and headers with one address
 */
import { find, type IpAddress } from './ip-address.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const SEMICOLON = 0x3b
const BACKSLASH = 0x5c
const OPENING = 0x5b
const CLOSING = 0x5d
const PORT = /^:(?:\d{1,5}|_.+)$/s

/** How a header lists its hops. */
interface HopList {
  /** The start of the last element of `text[0, end)`. */
  startOfLast(text: string, end: number): number
  /** Reads the address in the trimmed element `text[start, end)`; false if there is none. */
  readHop(text: string, start: number, end: number, address: IpAddress): boolean
}

/** X-Forwarded-For and the like: comma-separated addresses. */
export const PLAIN_LIST: HopList = {
  startOfLast(text, end) {
    let at = end
    while (at > 0 && text.charCodeAt(at - 1) !== COMMA) at--
    return at
  },
  readHop: readNode,
}

/** Forwarded: `for=` among the parameters of each element, RFC 7239 §4. */
export const FORWARDED_LIST: HopList = {
  startOfLast(text, end) {
    let quoted = false
    let at = end
    for (; at > 0; at--) {
      const code = text.charCodeAt(at - 1)
      if (code === QUOTE && !(quoted && isEscaped(text, at - 1))) quoted = !quoted
      else if (code === COMMA && !quoted) break
    }
    return at
  },
  readHop(text, start, end, address) {
    let found = false
    for (let at = start; at < end; ) {
      const stop = endOfParameter(text, at, end)
      const first = skipSpaces(text, at, stop)
      if (isFor(text, first)) {
        if (found || !readValue(text, first + 4, stop, address)) return false
        found = true
      }
      at = stop + 1
    }
    return found
  },
}

/** The index of the first character in `text[start, end)` that isn't a blank, or `end`. */
export function skipSpaces(text: string, start: number, end: number): number {
  let at = start
  while (at < end && isSpace(text.charCodeAt(at))) at++
  return at
}

/** The end of `text[start, end)` without its trailing blanks. */
export function trimEnd(text: string, start: number, end: number): number {
  let at = end
  while (at > start && isSpace(text.charCodeAt(at - 1))) at--
  return at
}

/**
 * A node of RFC 7239 §6: an address, IPv6 in brackets when a port follows. IPv6 without brackets is read too,
 * as X-Forwarded-For has it. `unknown` and obfuscated names aren't addresses.
 */
function readNode(text: string, start: number, end: number, address: IpAddress): boolean {
  if (text.charCodeAt(start) === OPENING) {
    const closing = find(text, CLOSING, start, end)
    return closing !== -1 && isPort(text, closing + 1, end) && address.readIpv6(text, start + 1, closing)
  }
  const colon = find(text, COLON, start, end)
  if (colon === -1 || find(text, COLON, colon + 1, end) !== -1) return address.read(text, start, end)
  return isPort(text, colon, end) && address.readIpv4(text, start, colon)
}

/** Whether `text[start, end)` is empty or a port: a colon and 1 to 5 digits, or an obfuscated name. */
function isPort(text: string, start: number, end: number): boolean {
  return start === end || PORT.test(text.slice(start, end))
}

/** Reads a parameter's value, a quoted string or not. No address needs an escape, so none is decoded. */
function readValue(text: string, start: number, end: number, address: IpAddress): boolean {
  const stop = trimEnd(text, start, end)
  if (text.charCodeAt(start) !== QUOTE) return readNode(text, start, stop, address)
  return (
    stop - start >= 2 && text.charCodeAt(stop - 1) === QUOTE && readNode(text, start + 1, stop - 1, address)
  )
}

/** The semicolon that ends the parameter at `start`, or `end`. */
function endOfParameter(text: string, start: number, end: number): number {
  let quoted = false
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (quoted && code === BACKSLASH) at++
    else if (code === QUOTE) quoted = !quoted
    else if (code === SEMICOLON && !quoted) return at
  }
  return end
}

/** Whether an odd number of backslashes precedes `at`. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (first > 0 && text.charCodeAt(first - 1) === BACKSLASH) first--
  return ((at - first) & 1) === 1
}

/** Whether the text has `for=` at `at`, in either case. */
function isFor(text: string, at: number): boolean {
  return text.slice(at, at + 4).toLowerCase() === 'for='
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09
}
