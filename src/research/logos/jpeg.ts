/**
 * A JPEG file without what its picture does not need: no comment, no metadata, no
 * thumbnail, no profile, nothing behind its end. Tables and headers are read and
 * their references checked; the entropy-coded data are copied, up to the next
 * marker. Huffman-coded pictures of one or three components and eight bits pass,
 * which is what web pages use.
 *
 *   SOI  [APPn, COM]  DQT  SOFn  DHT  [DRI]  SOS data  [... SOS data]  EOI
 *
 * Source: ITU-T T.81 Annex B, F.1.1, G.1.1 · Adobe TN5116 (APP14)
 */
import { MAX_SIDE } from './bounds.ts'

const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
const DQT = 0xdb
const DRI = 0xdd
const DHT = 0xc4
const BASELINE = 0xc0
const EXTENDED = 0xc1
const PROGRESSIVE = 0xc2
const APP0 = 0xe0
const APP14 = 0xee
const COM = 0xfe
const START = Buffer.from([0xff, SOI])
const END = Buffer.from([0xff, EOI])
/** A progressive picture has about ten scans; each costs a decoder a pass over all pixels. */
const MAX_SCANS = 24
const MAX_SEGMENTS = 512
const MAX_CODES = 256
const LAST_COEFFICIENT = 63

interface Frame {
  readonly isProgressive: boolean
  /** The quantization table of each component, by its identifier. */
  readonly tables: ReadonlyMap<number, number>
}

export const isJpeg = (file: Buffer): boolean => file[0] === 0xff && file[1] === SOI && file[2] === 0xff

/** @returns null if it isn't such a JPEG, or has more than MAX_SIDE pixels on a side */
export function stripJpeg(file: Buffer): Buffer | null {
  return isJpeg(file) ? new Reader(file).strip() : null
}

class Reader {
  readonly #file: Buffer
  readonly #kept: Buffer[] = [START]
  readonly #quantization = new Set<number>()
  /** Huffman tables: 0 to 3 for DC coefficients, 16 to 19 for AC. */
  readonly #huffman = new Set<number>()
  #frame: Frame | null = null
  #scans = 0

  constructor(file: Buffer) {
    this.#file = file
  }

  strip(): Buffer | null {
    let at = START.length
    for (let count = 0; count < MAX_SEGMENTS; count++) {
      if (this.#file[at] !== 0xff) return null
      while (this.#file[at] === 0xff) at++
      const marker = this.#file[at++]!
      if (marker === EOI) return this.#scans > 0 ? Buffer.concat([...this.#kept, END]) : null
      if (at + 2 > this.#file.length) return null
      const end = at + this.#file.readUInt16BE(at)
      if (end < at + 2 || end > this.#file.length) return null
      const body = this.#file.subarray(at + 2, end)
      at = end
      if (marker === APP14) this.#keepAdobe(body)
      else if ((marker >= APP0 && marker <= 0xef) || marker === COM) continue
      else if (!this.#isSound(marker, body)) return null
      else this.#keep(marker, body)
      if (marker !== SOS) continue
      at = dataEnd(this.#file, end)
      this.#kept.push(this.#file.subarray(end, at))
    }
    return null
  }

  #keep(marker: number, body: Buffer): void {
    const head = Buffer.from([0xff, marker, 0, 0])
    head.writeUInt16BE(body.length + 2, 2)
    this.#kept.push(head, body)
  }

  /** Which colours the components are, rewritten: 0 is RGB, 1 YCbCr. */
  #keepAdobe(body: Buffer): void {
    if (body.length < 12 || body.toString('latin1', 0, 5) !== 'Adobe' || body[11]! > 1) return
    this.#keep(APP14, Buffer.concat([Buffer.from('Adobe\0\x64\0\0\0\0', 'latin1'), body.subarray(11, 12)]))
  }

  #isSound(marker: number, body: Buffer): boolean {
    switch (marker) {
      case DQT:
        return this.#readQuantization(body)
      case DHT:
        return this.#readHuffman(body)
      case DRI:
        return body.length === 2
      case BASELINE:
      case EXTENDED:
      case PROGRESSIVE:
        return this.#readFrame(body, marker === PROGRESSIVE)
      case SOS:
        return this.#readScan(body)
      default:
        return false
    }
  }

  #readQuantization(body: Buffer): boolean {
    let at = 0
    while (at < body.length) {
      const [precision, table] = [body[at]! >> 4, body[at]! & 15]
      if (precision > 1 || table > 3) return false
      this.#quantization.add(table)
      at += 1 + 64 * (1 + precision)
    }
    return at === body.length
  }

  #readHuffman(body: Buffer): boolean {
    let at = 0
    while (at < body.length) {
      const id = body[at]!
      if ((id & 0xec) !== 0 || at + 17 > body.length) return false
      // A code of n bits takes one part in 2^n of all codes; only the all-ones code stays free.
      let codes = 0
      let taken = 0
      for (let bits = 1; bits <= 16; bits++) {
        codes += body[at + bits]!
        taken += body[at + bits]! * 2 ** (16 - bits)
      }
      if (codes === 0 || codes > MAX_CODES || taken >= 2 ** 16) return false
      this.#huffman.add(id)
      at += 17 + codes
    }
    return at === body.length
  }

  #readFrame(body: Buffer, isProgressive: boolean): boolean {
    if (this.#frame !== null || body.length < 6 || body[0] !== 8) return false
    const [height, width, components] = [body.readUInt16BE(1), body.readUInt16BE(3), body[5]!]
    const isSized = width > 0 && width <= MAX_SIDE && height > 0 && height <= MAX_SIDE
    if (!isSized || (components !== 1 && components !== 3) || body.length !== 6 + 3 * components) return false
    const tables = new Map<number, number>()
    let blocks = 0
    for (let at = 6; at < body.length; at += 3) {
      const [across, down, table] = [body[at + 1]! >> 4, body[at + 1]! & 15, body[at + 2]!]
      if (across < 1 || across > 4 || down < 1 || down > 4 || table > 3) return false
      blocks += across * down
      tables.set(body[at]!, table)
    }
    this.#frame = { isProgressive, tables }
    return tables.size === components && blocks <= 10
  }

  #readScan(body: Buffer): boolean {
    const frame = this.#frame
    const components = body[0] ?? 0
    if (frame === null || ++this.#scans > MAX_SCANS || body.length !== 4 + 2 * components) return false
    if (components < 1 || components > frame.tables.size) return false
    const [first, last, shift] = [body.at(-3)!, body.at(-2)!, body.at(-1)!]
    const isWhole = first === 0 && last === LAST_COEFFICIENT && shift === 0
    if (frame.isProgressive ? !isProgression(first, last, shift, components) : !isWhole) return false
    const isRefining = shift >> 4 > 0
    const seen = new Set<number>()
    for (let at = 1; at < body.length - 3; at += 2) {
      const table = frame.tables.get(body[at]!)
      const [dc, ac] = [body[at + 1]! >> 4, 16 + (body[at + 1]! & 15)]
      if (table === undefined || seen.has(body[at]!) || !this.#quantization.has(table)) return false
      if (first === 0 && !isRefining && !this.#huffman.has(dc)) return false
      if (last > 0 && !this.#huffman.has(ac)) return false
      seen.add(body[at]!)
    }
    return true
  }
}

/** Whether these are the coefficients and bits of a scan (G.1.1.1.1): DC, or AC of one component. */
function isProgression(first: number, last: number, shift: number, components: number): boolean {
  const [high, low] = [shift >> 4, shift & 15]
  if (low > 13 || (high !== 0 && high !== low + 1)) return false
  return first === 0 ? last === 0 : first <= last && last <= LAST_COEFFICIENT && components === 1
}

/** Where entropy-coded data end: before a marker that neither escapes a byte of ones nor restarts. */
function dataEnd(file: Buffer, start: number): number {
  let at = start
  for (; at < file.length; at++) {
    if (file[at] !== 0xff) continue
    const next = file[at + 1]!
    if (next === 0 || (next >= 0xd0 && next <= 0xd7)) at++
    else break
  }
  return at
}
