/**
 * IP addresses, text to bits. An IPv4 address is held as the IPv4-mapped IPv6
 * address of the same host, so that all notations of a host give one value.
 *
 * It accepts dotted decimal without leading zeros and all forms of RFC 4291
 * §2.2, with or without a zone (RFC 4007 §11), which names a local link and is
 * dropped: everything that node:net's `isIP` accepts, and any visible zone.
 */

const COLON = 0x3a
const DOT = 0x2e
const PERCENT = 0x25
const ZERO = 0x30
const VISIBLE = /^[!-~]+$/

/** One address, which can be read into again without a new object (bench: Limiter, behind a trusted proxy). */
export class IpAddress {
  /** Eight groups of 16 bits, in the order of the text. Unspecified after a text that isn't an address. */
  readonly groups = new Uint16Array(8)

  /** Whether this is an IPv4 host: within ::ffff:0:0/96. */
  get isIpv4(): boolean {
    const groups = this.groups
    return (groups[0]! | groups[1]! | groups[2]! | groups[3]! | groups[4]!) === 0 && groups[5] === 0xffff
  }

  /** Reads `text[start, end)`; false if it is not an address. */
  read(text: string, start = 0, end = text.length): boolean {
    return find(text, COLON, start, end) === -1
      ? this.readIpv4(text, start, end)
      : this.readIpv6(text, start, end)
  }

  /** Reads an IPv4 address. */
  readIpv4(text: string, start: number, end: number): boolean {
    this.groups.fill(0, 0, 5)
    this.groups[5] = 0xffff
    return this.#readDotted(text, start, end, 6)
  }

  /** Reads an IPv6 address; one that maps an IPv4 address becomes that. */
  readIpv6(text: string, start: number, end: number): boolean {
    const zone = find(text, PERCENT, start, end)
    if (zone !== -1 && !VISIBLE.test(text.slice(zone + 1, end))) return false
    const stop = zone === -1 ? end : zone

    const groups = this.groups
    let count = 0
    let gap = -1 // the index of the group after `::`
    let at = start
    if (stop - start >= 2 && text.charCodeAt(start) === COLON && text.charCodeAt(start + 1) === COLON) {
      gap = 0
      at += 2
    }
    while (at < stop) {
      if (count === 8) return false
      const first = at
      let group = 0
      for (let digit: number; at < stop && (digit = hexDigit(text.charCodeAt(at))) !== -1; at++) {
        group = (group << 4) | digit
      }
      if (at < stop && text.charCodeAt(at) === DOT) {
        if (count > 6 || !this.#readDotted(text, first, stop, count)) return false
        count += 2
        break
      }
      if (at === first || at - first > 4) return false
      groups[count++] = group
      if (at === stop) break
      if (text.charCodeAt(at++) !== COLON || at === stop) return false
      if (text.charCodeAt(at) === COLON) {
        if (gap !== -1) return false
        gap = count
        at++
      }
    }
    return gap === -1 ? count === 8 : count < 8 && this.#open(gap, count)
  }

  /** Moves the groups after the gap to the end, and fills the gap with zeros. */
  #open(gap: number, count: number): true {
    const groups = this.groups
    const zeros = 8 - count
    for (let i = count - 1; i >= gap; i--) groups[i + zeros] = groups[i]!
    for (let i = gap; i < gap + zeros; i++) groups[i] = 0
    return true
  }

  /** Reads dotted decimal into two groups. */
  #readDotted(text: string, start: number, end: number, group: number): boolean {
    let at = start
    let bits = 0
    for (let part = 0; part < 4; part++) {
      if (part > 0 && (at === end || text.charCodeAt(at++) !== DOT)) return false
      const first = at
      let value = 0
      for (let digit: number; at < end && isDigit((digit = text.charCodeAt(at))); at++) {
        value = value * 10 + digit - ZERO
      }
      if (at === first || value > 255 || (at - first > 1 && text.charCodeAt(first) === ZERO)) return false
      bits = (bits << 8) | value
    }
    this.groups[group] = bits >>> 16
    this.groups[group + 1] = bits
    return at === end
  }
}

/** The index of the character in `text[start, end)`, or -1. */
export function find(text: string, code: number, start: number, end: number): number {
  for (let at = start; at < end; at++) if (text.charCodeAt(at) === code) return at
  return -1
}

/** Whether this is the code of a decimal digit. */
function isDigit(code: number): boolean {
  return code >= ZERO && code <= 0x39
}

function hexDigit(code: number): number {
  if (isDigit(code)) return code - ZERO
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
