import t from 'tap'
import { imageTypeOf, MAX_IMAGE_BYTES, MAX_SIDE } from '../../../src/research/logos/image.ts'
import { PNG } from '../../fixtures/png.ts'

/** Such a picture, with other dimensions. */
function png(width: number, height: number): Buffer {
  const file = Buffer.from(PNG)
  file.writeUInt32BE(width, 16)
  file.writeUInt32BE(height, 20)
  return file
}

/** The head of a JPEG: a comment, and a frame. */
function jpeg(width: number, height: number, marker = 0xc0): Buffer {
  const frame = [0xff, marker, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0]
  return Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0, 4, 0x68, 0x69, ...frame, 0xff, 0xda, 0xff, 0xd9])
}

t.test('PNG and JPEG are told by their bytes, up to a size', (t) => {
  t.equal(imageTypeOf(PNG), 'image/png')
  for (const marker of [0xc0, 0xc1, 0xc2]) t.equal(imageTypeOf(jpeg(24, 16, marker)), 'image/jpeg')
  for (const picture of [png, jpeg]) {
    t.ok(imageTypeOf(picture(MAX_SIDE, MAX_SIDE)))
    for (const [width, height] of [
      [MAX_SIDE + 1, 1],
      [1, MAX_SIDE + 1],
      [0, 1],
      [1, 0],
    ] as const) {
      t.equal(imageTypeOf(picture(width, height)), null, `${width} x ${height}`)
    }
  }
  const large = Buffer.concat([jpeg(8, 8), Buffer.alloc(MAX_IMAGE_BYTES)])
  t.equal(imageTypeOf(large.subarray(0, MAX_IMAGE_BYTES)), 'image/jpeg')
  t.equal(imageTypeOf(large.subarray(0, MAX_IMAGE_BYTES + 1)), null)
  t.end()
})

t.test('everything else is refused, and what is cut', (t) => {
  const script = '<script>alert(1)</script>'
  const files: Record<string, Buffer> = {
    nothing: Buffer.alloc(0),
    'one byte': Buffer.from([0xff]),
    SVG: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`),
    HTML: Buffer.from(`<!doctype html>${script}`),
    GIF: Buffer.from('GIF89a'),
    WebP: Buffer.from('RIFF....WEBPVP8 '),
    'a PNG with a document behind it': Buffer.concat([PNG, Buffer.from(script)]),
    'a JPEG that is coded arithmetically': jpeg(8, 8, 0xc9),
    'a JPEG whose decoder finds another frame behind a marker without a length': Buffer.concat([
      Buffer.from([0xff, 0xd8, 0xff, 0xd0]),
      jpeg(65_500, 65_500).subarray(8, 21),
      Buffer.alloc(0xffc0 - 13),
      jpeg(8, 8).subarray(8),
    ]),
    'a JPEG without a scan': Buffer.concat([jpeg(8, 8).subarray(0, 21), Buffer.from([0xff, 0xd9])]),
    'a JPEG of more scans than a picture needs': Buffer.concat([
      jpeg(8, 8, 0xc2).subarray(0, 21),
      ...Array.from({ length: 25 }, () => Buffer.from([0xff, 0xda])),
      Buffer.from([0xff, 0xd9]),
    ]),
    'a JPEG with text in the place of a marker': Buffer.from('\xff\xd8hello, world', 'latin1'),
  }
  for (const [what, file] of Object.entries(files)) t.equal(imageTypeOf(file), null, what)
  for (let length = 0; length < PNG.length; length++) t.equal(imageTypeOf(PNG.subarray(0, length)), null)
  const small = jpeg(8, 8)
  for (let length = 0; length < small.length; length++) t.equal(imageTypeOf(small.subarray(0, length)), null)
  t.end()
})
