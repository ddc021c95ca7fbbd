/**
 * A bag of cells, TON's serialization of a message's payload: is it one, whole
 * and with nothing behind it, and what are the first bits of its root?
 *
 *   b5ee9c72  flags:1 offset-bytes:1  cells roots absent:size  total:offset-bytes
 *   root-list  [index]  cell data  [CRC32C, little-endian]
 *
 * Source: ton-blockchain/ton crypto/tl/boc.tlb (serialized_boc), TVM §3.1.4
 */

const MAGIC = 0xb5ee9c72
const HAS_INDEX = 0x80
const HAS_CRC = 0x40
const RESERVED_FLAGS = 0x18
/** Of one message: the network's own limit. */
const MAX_CELLS = 8_192
const MAX_REFERENCES = 4
/** Of a cell's first descriptor byte: all that is not its number of references. */
const SPECIAL = 0xf8
const EXOTIC = 0x08
const WITH_HASHES = 0x10

/** The root's data. */
export interface Root {
  /** A view of the input. The last byte has its completion tag when the bits do not fill it. */
  readonly data: Buffer
  readonly references: number
}

/** @returns null when the bytes are not one bag with one root, an ordinary cell */
export function parseBoc(bytes: Buffer): Root | null {
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

  const dataStart = headerEnd + ((flags & HAS_INDEX) === 0 ? 0 : cells! * offsetBytes)
  const dataEnd = dataStart + total
  const hasCrc = (flags & HAS_CRC) !== 0
  if (bytes.length !== dataEnd + (hasCrc ? 4 : 0)) return null
  if (hasCrc && crc32c(bytes.subarray(0, dataEnd)) !== bytes.readUInt32LE(dataEnd)) return null
  return walk(bytes.subarray(dataStart, dataEnd), cells!, size)
}

/** Every cell once: its length fits, and it refers only to cells behind it, so that there is no cycle. */
function walk(bytes: Buffer, cells: number, size: number): Root | null {
  let root: Root | null = null
  let at = 0
  for (let index = 0; index < cells; index++) {
    if (at + 2 > bytes.length) return null
    const descriptor = bytes[at]!
    const references = descriptor & 0x07
    const halfBytes = bytes[at + 1]!
    const dataEnd = at + 2 + Math.ceil(halfBytes / 2)
    const end = dataEnd + references * size
    if (references > MAX_REFERENCES || (descriptor & WITH_HASHES) !== 0 || end > bytes.length) return null
    // Bits that end inside a byte are closed by a one, so that byte is not zero.
    if (halfBytes % 2 === 1 && bytes[dataEnd - 1] === 0) return null
    if ((descriptor & EXOTIC) !== 0 && halfBytes < 2) return null
    for (let offset = dataEnd; offset < end; offset += size) {
      const reference = bytes.readUIntBE(offset, size)
      if (reference <= index || reference >= cells) return null
    }
    if (index === 0) {
      if ((descriptor & SPECIAL) !== 0) return null
      root = { data: bytes.subarray(at + 2, dataEnd), references }
    }
    at = end
  }
  return at === bytes.length ? root : null
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
