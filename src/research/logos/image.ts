/**
 * Pictures made by strangers, for pages: a PNG is re-encoded, a JPEG stripped to its picture, and everything
 * else is refused. SVG is a document that runs scripts; WebP, GIF and AVIF would reach browsers' decoders
 * unchanged.
 */
import { MAX_IMAGE_BYTES } from './bounds.ts'
import { isJpeg, stripJpeg } from './jpeg.ts'
import { isPng, rewritePng } from './png.ts'

export interface CleanImage {
  readonly contentType: 'image/png' | 'image/jpeg'
  readonly bytes: Buffer
}

/** @returns null if it isn't such a picture within the bounds, whatever its type claims */
export async function cleanImage(file: Buffer): Promise<CleanImage | null> {
  if (isPng(file)) return within('image/png', await rewritePng(file))
  return isJpeg(file) ? within('image/jpeg', stripJpeg(file)) : null
}

function within(contentType: CleanImage['contentType'], bytes: Buffer | null): CleanImage | null {
  return bytes === null || bytes.length > MAX_IMAGE_BYTES ? null : { contentType, bytes }
}
