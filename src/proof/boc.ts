/**
 * A bag of cells, TON's serialization of a message's payload: is it one, whole
 * and with nothing behind it, and what are its cells?
 *
 *   b5ee9c72  flags:1 offset-bytes:1  cells roots absent:size  total:offset-bytes
 *   root-list  [index]  cell data  [CRC32C, little-endian]
 *
 * Source: ton-blockchain/ton crypto/tl/boc.tlb (serialized_boc), TVM §3.1.4
 */

const MAGIC = 0xb5ee9c72
const HAS_INDEX = 0x80
const HAS_CRC = 0x40
/** Cache bits, which would give the index another meaning, and two that are always zero. */
const RESERVED_FLAGS = 0x38
/** Of one message: the network's own limit. */
const MAX_CELLS = 8_192
const MAX_REFERENCES = 4
/** Of a cell's first descriptor byte. */
const EXOTIC = 0x08
/** Stored hashes, and the level that only cells with pruned branches under them have. */
const HASHES_OR_LEVEL = 0xf0

/** A cell: up to 1,023 bits, and up to four others. */
export interface Cell {
  /** A view of the input. The last byte has its completion tag when the bits do not fill it. */
  readonly data: Buffer
  /** Whether the bits do not fill the last byte. */
  readonly isTagged: boolean
  /** Not ordinary: a library, a proof or a pruned branch, which no message of a swap has. */
  readonly isExotic: boolean
  readonly references: readonly Cell[]
}

/** @returns the root; null when the bytes are not one bag with one root, an ordinary cell */
export function parseBoc(bytes: Buffer): Cell | null {
  if (bytes.length < 6 || bytes.readUInt32BE(0) !== MAGIC) return null
  const flags = bytes[4]!
  const size = flags & 0x07
  const offsetBytes = bytes[5]!
  if ((flags & RESERVED_FLAGS) !== 0 || size < 1 || size > 4 || offsetBytes < 1 || offsetBytes > 6)
    return null

  const headerEnd = 6 + 3 * size + offsetBytes + size
  if (bytes.length < headerEnd) return null
  const [cells, roots, absent] = [0, 1, 2].map((nth) => bytes.readUIntBE(6 + nth * size, size))
  const total = bytes.readUIntBE(6 + 3 * size, offsetBytes)
  const root = bytes.readUIntBE(headerEnd - size, size)
  if (cells! < 1 || cells! > MAX_CELLS || roots !== 1 || absent !== 0 || root !== 0) return null

  const indexEnd = headerEnd + ((flags & HAS_INDEX) === 0 ? 0 : cells! * offsetBytes)
  const dataEnd = indexEnd + total
  const hasCrc = (flags & HAS_CRC) !== 0
  if (bytes.length !== dataEnd + (hasCrc ? 4 : 0)) return null
  if (hasCrc && crc32c(bytes.subarray(0, dataEnd)) !== bytes.readUInt32LE(dataEnd)) return null
  const found = walk(bytes.subarray(indexEnd, dataEnd), cells!, size)
  if (found === null || !isIndex(bytes.subarray(headerEnd, indexEnd), offsetBytes, found)) return null
  return linked(found)
}

interface Found {
  readonly data: Buffer
  readonly isTagged: boolean
  readonly isExotic: boolean
  readonly targets: readonly number[]
  /** Where it ends, from the first cell's start. */
  readonly end: number
}

/**
 * Every cell once: its length fits, it refers only to cells behind it, so that there is no cycle, and
 * each but the root is referred to, so that nothing lies in the bag unseen.
 */
function walk(bytes: Buffer, cells: number, size: number): Found[] | null {
  const found: Found[] = []
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
    // Bits that end inside a byte are closed by a one, so that byte is not zero.
    const isTagged = halfBytes % 2 === 1
    if (isTagged && bytes[dataEnd - 1] === 0) return null
    const isExotic = (descriptor & EXOTIC) !== 0
    if (isExotic && (halfBytes < 2 || index === 0)) return null
    const targets: number[] = []
    for (let offset = dataEnd; offset < end; offset += size) {
      const reference = bytes.readUIntBE(offset, size)
      if (reference <= index || reference >= cells) return null
      targets.push(reference)
      isReached.add(reference)
    }
    found.push({ data: bytes.subarray(at + 2, dataEnd), isTagged, isExotic, targets, end })
    at = end
  }
  return at === bytes.length && isReached.size === cells ? found : null
}

/** Readers that jump by the index must come to the same cells as those that walk. */
function isIndex(index: Buffer, offsetBytes: number, found: readonly Found[]): boolean {
  if (index.length === 0) return true
  return found.every(({ end }, nth) => index.readUIntBE(nth * offsetBytes, offsetBytes) === end)
}

/** From the last to the first, so that what a cell refers to is there already. */
function linked(found: readonly Found[]): Cell {
  const cells: Cell[] = new Array(found.length)
  for (let index = found.length - 1; index >= 0; index--) {
    const { data, isTagged, isExotic, targets } = found[index]!
    cells[index] = { data, isTagged, isExotic, references: targets.map((target) => cells[target]!) }
  }
  return cells[0]!
}

/** @returns the bag of one cell without references. @param bits  a text of zeros and ones */
export function bagOfOne(bits: string): Buffer {
  const { descriptor, data } = packBits(bits)
  const header = [0, 0, 0, 0, 1, 1, 1, 1, 0, 2 + data.length, 0, 0, descriptor]
  const bag = Buffer.from([...header, ...data])
  bag.writeUInt32BE(MAGIC)
  return bag
}

/** A cell's bits, the completion tag where they end inside a byte, and the descriptor byte that tells. */
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
