/**
 * Parses a bag of cells, TON's serialization of a message payload. The bytes
 * must be one complete bag with nothing after it.
 *
 *   b5ee9c72  flags:1 offset-bytes:1  cells roots absent:size  total:offset-bytes
 *   root-list  [index]  cell data  [CRC32C, little-endian]
 *
 * Source: ton-blockchain/ton crypto/tl/boc.tlb (serialized_boc), TVM §3.1.4
 */

import { decodeBase64 } from '../../runtime/base64.ts'

const MAGIC = 0xb5ee9c72
const HAS_INDEX = 0x80
const HAS_CRC = 0x40
/** The cache bits, which would change the meaning of the index, and two bits that are always zero. */
const RESERVED_FLAGS = 0x38
/** The network's own limit for one message. */
const MAX_CELLS = 8_192
const MAX_REFERENCES = 4
/** A bit of a cell's first descriptor byte. */
const EXOTIC = 0x08
/** Bits for stored hashes and for the level, which is non-zero only above pruned branches. */
const HASHES_OR_LEVEL = 0xf0

/** A cell: up to 1,023 bits and up to four references to other cells. */
export interface Cell {
  /** A view of the input. The last byte ends in a completion tag if the bits do not fill it. */
  readonly data: Uint8Array
  /** Whether the bits do not fill the last byte. */
  readonly isTagged: boolean
  /** A library, a proof or a pruned branch. No swap message contains one; a contract's code may be a library. */
  readonly isExotic: boolean
  readonly references: readonly Cell[]
}

/**
 * @param isCode  whether the root may be exotic: a contract's code is often a reference to a library
 * @returns the root cell; null unless the bytes are one bag with one root that is an ordinary cell
 */
export function parseBoc(bytes: Uint8Array, isCode = false): Cell | null {
  if (bytes.length < 6 || readUint(bytes, 0, 4) !== MAGIC) return null
  const flags = bytes[4]!
  const size = flags & 0x07
  const offsetBytes = bytes[5]!
  if ((flags & RESERVED_FLAGS) !== 0 || size < 1 || size > 4 || offsetBytes < 1 || offsetBytes > 6)
    return null

  const headerEnd = 6 + 3 * size + offsetBytes + size
  if (bytes.length < headerEnd) return null
  const [cells, roots, absent] = [0, 1, 2].map((nth) => readUint(bytes, 6 + nth * size, size))
  const total = readUint(bytes, 6 + 3 * size, offsetBytes)
  const root = readUint(bytes, headerEnd - size, size)
  if (cells! < 1 || cells! > MAX_CELLS || roots !== 1 || absent !== 0 || root !== 0) return null

  const indexEnd = headerEnd + ((flags & HAS_INDEX) === 0 ? 0 : cells! * offsetBytes)
  const dataEnd = indexEnd + total
  const hasCrc = (flags & HAS_CRC) !== 0
  if (bytes.length !== dataEnd + (hasCrc ? 4 : 0)) return null
  if (hasCrc && crc32c(bytes.subarray(0, dataEnd)) !== view(bytes).getUint32(dataEnd, true)) return null
  const found = readCells(bytes.subarray(indexEnd, dataEnd), cells!, size, isCode)
  if (found === null || !isIndex(bytes.subarray(headerEnd, indexEnd), offsetBytes, found)) return null
  return linked(found)
}

/** The same, of one bag in standard base64. */
export function bagIn(base64: string): Cell | null {
  const bytes = decodeBase64(base64)
  return bytes && parseBoc(bytes)
}

interface ParsedCell extends Omit<Cell, 'references'> {
  readonly targets: readonly number[]
  /** The end offset of the cell, counted from the start of the first cell. */
  readonly end: number
}

/**
 * Reads every cell once. A cell must fit in the bytes and refer only to later cells, which rules out
 * cycles. Every cell except the root must be referenced, so the bag holds no unread data.
 */
function readCells(bytes: Uint8Array, cells: number, size: number, isCode: boolean): ParsedCell[] | null {
  const found: ParsedCell[] = []
  const isReached = new Set([0])
  let at = 0
  for (let index = 0; index < cells; index++) {
    if (at + 2 > bytes.length) return null
    const descriptor = bytes[at]!
    const references = descriptor & 0x07
    const halfBytes = bytes[at + 1]!
    const dataEnd = at + 2 + Math.ceil(halfBytes / 2)
    const end = dataEnd + references * size
    if (references > MAX_REFERENCES || (descriptor & HASHES_OR_LEVEL) !== 0 || end > bytes.length) return null
    // A one marks the end of bits that stop inside a byte, so that byte cannot be zero.
    const isTagged = halfBytes % 2 === 1
    if (isTagged && bytes[dataEnd - 1] === 0) return null
    const isExotic = (descriptor & EXOTIC) !== 0
    if (isExotic && (halfBytes < 2 || (index === 0 && !isCode))) return null
    const targets: number[] = []
    for (let offset = dataEnd; offset < end; offset += size) {
      const reference = readUint(bytes, offset, size)
      if (reference <= index || reference >= cells) return null
      targets.push(reference)
      isReached.add(reference)
    }
    found.push({ data: bytes.subarray(at + 2, dataEnd), isTagged, isExotic, targets, end })
    at = end
  }
  return at === bytes.length && isReached.size === cells ? found : null
}

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** @param size  at most six, so that a number holds it. The bytes must be there. */
function readUint(bytes: Uint8Array, at: number, size: number): number {
  let value = 0
  for (let i = at; i < at + size; i++) value = value * 256 + bytes[i]!
  return value
}

/** A reader that uses the index must find the same cells as one that reads sequentially. */
function isIndex(index: Uint8Array, offsetBytes: number, found: readonly ParsedCell[]): boolean {
  if (index.length === 0) return true
  return found.every(({ end }, nth) => readUint(index, nth * offsetBytes, offsetBytes) === end)
}

/** Links cells from last to first, so the cells that a cell references already exist. */
function linked(found: readonly ParsedCell[]): Cell {
  const cells: Cell[] = new Array(found.length)
  for (let index = found.length - 1; index >= 0; index--) {
    const { data, isTagged, isExotic, targets } = found[index]!
    cells[index] = { data, isTagged, isExotic, references: targets.map((target) => cells[target]!) }
  }
  return cells[0]!
}

/**
 * @param bits  a string of zeros and ones
 * @returns a bag with one cell that has no references
 */
export function bagOfOne(bits: string): Uint8Array {
  const { descriptor, data } = packBits(bits)
  const header = [0xb5, 0xee, 0x9c, 0x72, 1, 1, 1, 1, 0, 2 + data.length, 0, 0, descriptor]
  return Uint8Array.from([...header, ...data])
}

/**
 * @returns a cell's bits with a completion tag if they end inside a byte, and the matching descriptor byte
 */
export function packBits(bits: string): { readonly descriptor: number; readonly data: Uint8Array } {
  const bytes = Math.ceil(bits.length / 8)
  const isWhole = bits.length % 8 === 0
  const padded = (isWhole ? bits : `${bits}1`).padEnd(bytes * 8, '0')
  const data = Uint8Array.from({ length: bytes }, (_, i) =>
    Number.parseInt(padded.slice(8 * i, 8 * i + 8), 2),
  )
  return { descriptor: isWhole ? 2 * bytes : 2 * bytes - 1, data }
}

/** CRC-32 with Castagnoli's polynomial (RFC 3720 §B.4), which node:zlib does not have. */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ bytes[i]!) & 0xff]!
  return ~crc >>> 0
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ 0x82f63b78
  return crc
})
