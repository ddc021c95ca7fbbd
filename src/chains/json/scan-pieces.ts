/**
 * Scans a JSON document that came in pieces, which are not joined. Only what crosses the end of a piece is
 * copied: the bytes around it, or the whole of a name or a number.
 *
 *   |  piece  |  piece  |
 *   |------->           |   up to MARGIN_BYTES before the end, or to the last token's begin
 *           |--->       |   a copy of the bytes around the end
 *              |------->|
 */
import { isUtf8 } from 'node:buffer'
import { PIECE_BYTES } from '../../flow/loop-share.ts'
import type { Pieces } from '../../flow/pieces.ts'
import { EnvelopeScan, MARGIN_BYTES } from './scan.ts'

/** The first copy around the end of a piece; each further one is twice as long, until it has the token's end. */
const AROUND_BYTES = 256

export class PiecesScan {
  readonly envelope = new EnvelopeScan()
  readonly #document: Pieces
  readonly #utf8 = new Utf8Check()
  #checked = 0
  /** The offset up to which the document is scanned. */
  #at = 0
  /** The part with that offset, and where it begins. */
  #part = 0
  #partStart = 0

  constructor(document: Pieces) {
    this.#document = document
    this.envelope.begin()
  }

  /**
   * Does one piece of the work, which takes well under a millisecond.
   * @returns what `EnvelopeScan.scan` would; null if there is more to scan
   */
  step(): boolean | null {
    const { parts, length } = this.#document
    if (length === 0) return false
    if (this.#checked < parts.length) {
      const isValid = this.#utf8.add(parts[this.#checked++]!)
      const isAll = this.#checked === parts.length
      return isValid && !(isAll && this.#utf8.isOpen) ? null : false
    }
    const at = this.#scanPart() ?? this.#scanAround()
    if (at === -1) return false
    this.#at = at
    while (this.#part < parts.length - 1 && this.#partStart + parts[this.#part]!.length <= at) {
      this.#partStart += parts[this.#part++]!.length
    }
    return at === length ? true : null
  }

  /**
   * @returns null if the next token crosses the end of the part; -1 if it is not JSON; else the new offset
   */
  #scanPart(): number | null {
    const part = this.#document.parts[this.#part]!
    const isLast = this.#partStart + part.length === this.#document.length
    const from = this.#at - this.#partStart
    const until = Math.min(from + PIECE_BYTES, isLast ? part.length : part.length - MARGIN_BYTES)
    const to = until <= from ? from : this.envelope.advance(part, from, until, this.#partStart, isLast)
    if (to === -1) return -1
    return to === from ? null : this.#partStart + to
  }

  #scanAround(): number {
    const { length } = this.#document
    for (let count = AROUND_BYTES; ; count *= 2) {
      const end = Math.min(this.#at + count, length)
      const bytes = this.#document.bytes(this.#at, end)
      const isLast = end === length
      const until = isLast ? bytes.length : bytes.length - MARGIN_BYTES
      const to = this.envelope.advance(bytes, 0, until, this.#at, isLast)
      if (to !== 0) return to === -1 ? -1 : this.#at + to
    }
  }
}

/** `isUtf8` for bytes that come in parts. */
class Utf8Check {
  /** A character that the last part broke off, up to the longest. */
  readonly #open = Buffer.alloc(4)
  #has = 0
  #needs = 0

  get isOpen(): boolean {
    return this.#has > 0
  }

  /** @returns whether the parts so far may be the beginning of a text in UTF-8 */
  add(part: Buffer): boolean {
    let from = 0
    if (this.#has > 0) {
      from = part.copy(this.#open, this.#has, 0, this.#needs - this.#has)
      this.#has += from
      if (this.#has < this.#needs) return true
      if (!isUtf8(this.#open.subarray(0, this.#needs))) return false
      this.#has = 0
    }
    const lead = brokenAt(part, from)
    this.#needs = lead === part.length ? 0 : bytesFrom(part[lead]!)
    this.#has = part.copy(this.#open, 0, lead)
    return isUtf8(part.subarray(from, lead))
  }
}

/** @returns where the last character begins if its end is missing; else the part's end */
function brokenAt(part: Buffer, from: number): number {
  for (let at = part.length - 1; at >= from && at >= part.length - 3; at--) {
    const byte = part[at]!
    if (byte < 0x80) break
    if (byte >= 0xc0) return at + bytesFrom(byte) > part.length ? at : part.length
  }
  return part.length
}

/** The length of a character by its first byte. */
const bytesFrom = (lead: number): number => (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2)
