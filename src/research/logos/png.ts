/**
 * A PNG file, read strictly and written anew. Only its pixels, palette and
 * transparency pass: no text, no profile, no animation, nothing behind its end.
 * The pixels are unpacked to no more than their dimensions take, and packed again.
 *
 *   signature  IHDR  [PLTE]  [tRNS]  IDAT...  IEND
 *
 * Source: Portable Network Graphics (Third Edition) §5, §8.2 (Adam7), §9 (filters), §11 (chunks)
 */
import { promisify } from 'node:util'
import { crc32, deflate, inflate } from 'node:zlib'
import { MAX_SIDE } from './bounds.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Encoders write a few dozen: more only cost time. */
const MAX_CHUNKS = 1_024
const HIGHEST_FILTER = 4
/** The bit of a chunk's first letter that says that a decoder may skip it. */
const ANCILLARY = 0x20
const PALETTE = 3

/** Samples a pixel, bits a sample, and bytes of `tRNS` (-1: none), by colour type (§11.2.1, §11.3.1.1). */
const COLOURS: ReadonlyMap<number, { samples: number; depths: readonly number[]; alphaBytes: number }> =
  new Map([
    [0, { samples: 1, depths: [1, 2, 4, 8, 16], alphaBytes: 2 }],
    [2, { samples: 3, depths: [8, 16], alphaBytes: 6 }],
    [PALETTE, { samples: 1, depths: [1, 2, 4, 8], alphaBytes: 256 }],
    [4, { samples: 2, depths: [8, 16], alphaBytes: -1 }],
    [6, { samples: 4, depths: [8, 16], alphaBytes: -1 }],
  ])

/** The first column and row of each pass, and the steps to the next. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const
const ONE_PASS = [[0, 0, 1, 1]] as const

interface Header {
  readonly body: Buffer
  readonly width: number
  readonly height: number
  readonly depth: number
  readonly colour: number
  readonly isInterlaced: boolean
}

interface Parts {
  readonly header: Header
  readonly palette: Buffer | null
  readonly alpha: Buffer | null
  readonly data: readonly Buffer[]
}

/** Rows of one length, each with its filter type before it. */
interface Pass {
  readonly rows: number
  readonly rowBytes: number
}

export const isPng = (file: Buffer): boolean => file.subarray(0, SIGNATURE.length).equals(SIGNATURE)

/** @returns null if it isn't a complete PNG, or has more than MAX_SIDE pixels on a side */
export async function rewritePng(file: Buffer): Promise<Buffer | null> {
  const parts = read(file)
  if (parts === null) return null
  const { header, palette, alpha, data } = parts
  const passes = passesOf(header)
  const length = passes.reduce((sum, { rows, rowBytes }) => sum + rows * rowBytes, 0)
  const pixels = await unpacked(Buffer.concat(data), length)
  if (pixels === null || !areFiltered(pixels, passes)) return null
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header.body),
    ...(header.colour === PALETTE ? [chunk('PLTE', filled(palette!, header.depth))] : []),
    ...(alpha === null ? [] : [chunk('tRNS', alpha)]),
    chunk('IDAT', await promisify(deflate)(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function read(file: Buffer): Parts | null {
  if (!isPng(file)) return null
  let header: Header | null = null
  let palette: Buffer | null = null
  let alpha: Buffer | null = null
  const data: Buffer[] = []
  let isDataOver = false
  let at = SIGNATURE.length
  for (let count = 0; count < MAX_CHUNKS && at + 12 <= file.length; count++) {
    const end = at + 8 + file.readUInt32BE(at)
    if (end + 4 > file.length || crc32(file.subarray(at + 4, end)) !== file.readUInt32BE(end)) return null
    const type = file.toString('latin1', at + 4, at + 8)
    const body = file.subarray(at + 8, end)
    at = end + 4
    if (header === null) {
      header = type === 'IHDR' ? headerOf(body) : null
      if (header === null) return null
      continue
    }
    if (type === 'IDAT') {
      if (isDataOver || (header.colour === PALETTE && palette === null)) return null
      data.push(body)
      continue
    }
    const isBeforeData = data.length === 0
    isDataOver = !isBeforeData
    if (type === 'IEND') return isDataOver && body.length === 0 ? { header, palette, alpha, data } : null
    if (type === 'PLTE') {
      if (palette !== null || alpha !== null || !isBeforeData || !isPaletteOf(header, body)) return null
      palette = body
    } else if (type === 'tRNS') {
      if (alpha !== null || !isBeforeData || !isAlphaOf(header, palette, body)) return null
      alpha = body
    } else if ((type.charCodeAt(0) & ANCILLARY) === 0) return null
  }
  return null
}

function headerOf(body: Buffer): Header | null {
  if (body.length !== 13) return null
  const [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)]
  const [depth, colour, compression, filter, interlace] = body.subarray(8) as unknown as number[]
  const isSized = width > 0 && width <= MAX_SIDE && height > 0 && height <= MAX_SIDE
  const isKnown = COLOURS.get(colour!)?.depths.includes(depth!) && compression === 0 && filter === 0
  if (!isSized || !isKnown || interlace! > 1) return null
  return { body, width, height, depth: depth!, colour: colour!, isInterlaced: interlace === 1 }
}

/** In a picture without indices it is only a hint, which is dropped. */
function isPaletteOf({ colour, depth }: Header, body: Buffer): boolean {
  const most = colour === PALETTE ? 2 ** depth : 256
  return body.length > 0 && body.length % 3 === 0 && body.length <= 3 * most && (colour & 2) !== 0
}

function isAlphaOf({ colour }: Header, palette: Buffer | null, body: Buffer): boolean {
  if (colour !== PALETTE) return body.length === COLOURS.get(colour)!.alphaBytes
  return palette !== null && body.length > 0 && body.length <= palette.length / 3
}

/** With an entry for each index that a pixel can have: decoders treat a missing one differently. */
function filled(palette: Buffer, depth: number): Buffer {
  return Buffer.concat([palette], 3 * 2 ** depth)
}

function passesOf({ width, height, depth, colour, isInterlaced }: Header): readonly Pass[] {
  const bits = depth * COLOURS.get(colour)!.samples
  return (isInterlaced ? ADAM7 : ONE_PASS).flatMap(([x, y, acrossStep, downStep]) => {
    const columns = Math.ceil((width - x) / acrossStep)
    const rows = Math.ceil((height - y) / downStep)
    return columns > 0 && rows > 0 ? [{ rows, rowBytes: 1 + Math.ceil((columns * bits) / 8) }] : []
  })
}

/** Off the main thread. @returns null unless it is exactly this many bytes */
async function unpacked(packed: Buffer, length: number): Promise<Buffer | null> {
  try {
    const pixels = await promisify(inflate)(packed, { maxOutputLength: length })
    return pixels.length === length ? pixels : null
  } catch {
    return null
  }
}

function areFiltered(pixels: Buffer, passes: readonly Pass[]): boolean {
  let at = 0
  for (const { rows, rowBytes } of passes) {
    for (let row = 0; row < rows; row++, at += rowBytes) if (pixels[at]! > HIGHEST_FILTER) return false
  }
  return true
}

function chunk(type: string, body: Buffer): Buffer {
  const bytes = Buffer.alloc(body.length + 12)
  bytes.writeUInt32BE(body.length)
  bytes.write(type, 4, 'latin1')
  body.copy(bytes, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4)
  return bytes
}
