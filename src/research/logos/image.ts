/**
 * Which picture a file is, by its first bytes: a PNG or a JPEG within the bounds.
 * Everything else is refused. SVG is a document that runs scripts; WebP, GIF and
 * AVIF are not passed on. A picture keeps its metadata, so the reply says `nosniff` and lets nothing in it
 * run.
 *
 * Source: Portable Network Graphics (Third Edition) §5, §11.2.1 · ITU-T T.81 Annex B
 */

/** Pixels on a side. */
export const MAX_SIDE = 1_024
export const MAX_IMAGE_BYTES = 524_288

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
/** The last chunk, which is empty. */
const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex')
/** A JPEG with more segments before its frame is refused. */
const MAX_SEGMENTS = 512
/** Each scan of a progressive JPEG costs its viewer a pass over the picture. */
const MAX_SCANS = 24
const SCAN = Buffer.from([0xff, 0xda])
const END = Buffer.from([0xff, 0xd9])

/** @returns null if it is no such picture, whatever its type claims */
export function imageTypeOf(file: Buffer): 'image/png' | 'image/jpeg' | null {
  if (file.length > MAX_IMAGE_BYTES) return null
  if (file.subarray(0, PNG.length).equals(PNG)) {
    const isWhole = file.length >= 45 && file.subarray(-PNG_END.length).equals(PNG_END)
    return isWhole && isSized(file.readUInt32BE(16), file.readUInt32BE(20)) ? 'image/png' : null
  }
  const frame = frameOf(file)
  if (frame === null || !isSized(file.readUInt16BE(frame + 1), file.readUInt16BE(frame + 3))) return null
  let scans = 0
  let at = file.indexOf(SCAN, frame)
  for (; at !== -1 && scans <= MAX_SCANS; at = file.indexOf(SCAN, at + SCAN.length)) scans++
  const isWhole = scans > 0 && scans <= MAX_SCANS && file.includes(END, frame)
  return isWhole ? 'image/jpeg' : null
}

const isSized = (width: number, height: number): boolean =>
  width > 0 && width <= MAX_SIDE && height > 0 && height <= MAX_SIDE

/** Where the header of a JPEG's frame begins; null if it is no Huffman-coded JPEG. */
function frameOf(file: Buffer): number | null {
  if (file[0] !== 0xff || file[1] !== 0xd8) return null
  let at = 2
  for (let count = 0; count < MAX_SEGMENTS; count++) {
    if (file[at] !== 0xff) return null
    while (file[at] === 0xff) at++
    const marker = file[at++]!
    if (at + 7 > file.length) return null
    if (marker >= 0xc0 && marker <= 0xc2) return at + 2
    if (!isBeforeFrame(marker)) return null
    at += file.readUInt16BE(at)
  }
  return null
}

/** APP0 to APP15, COM, DQT, DHT, DRI: a decoder may read any other marker, and so the frame, elsewhere. */
const isBeforeFrame = (marker: number): boolean =>
  marker >> 4 === 0xe || [0xfe, 0xdb, 0xc4, 0xdd].includes(marker)
