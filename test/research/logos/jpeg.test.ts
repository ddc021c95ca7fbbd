import t from 'tap'
import { MAX_SIDE } from '../../../src/research/logos/bounds.ts'
import { cleanImage } from '../../../src/research/logos/image.ts'
import { stripJpeg } from '../../../src/research/logos/jpeg.ts'
import { Random } from '../../fixtures/classes/random.ts'

/** 24 x 16 pixels, as Chromium writes them: with a colour profile. */
const CHROMIUM = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/4gHYSUNDX1BST0ZJTEUAAQEAAAHIAAAAAAQwAABtbnRyUkdCIFhZWiAH4AABAAEAAAAAAABhY3NwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAA9tYAAQAAAADTLQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAlkZXNjAAAA8AAAACRyWFlaAAABFAAAABRnWFlaAAABKAAAABRiWFlaAAABPAAAABR3dHB0AAABUAAAABRyVFJDAAABZAAAAChnVFJDAAABZAAAAChiVFJDAAABZAAAAChjcHJ0AAABjAAAADxtbHVjAAAAAAAAAAEAAAAMZW5VUwAAAAgAAAAcAHMAUgBHAEJYWVogAAAAAAAAb6IAADj1AAADkFhZWiAAAAAAAABimQAAt4UAABjaWFlaIAAAAAAAACSgAAAPhAAAts9YWVogAAAAAAAA9tYAAQAAAADTLXBhcmEAAAAAAAQAAAACZmYAAPKnAAANWQAAE9AAAApbAAAAAAAAAABtbHVjAAAAAAAAAAEAAAAMZW5VUwAAACAAAAAcAEcAbwBvAGcAbABlACAASQBuAGMALgAgADIAMAAxADb/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAARCAAQABgDASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAEE/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/EABYBAQEBAAAAAAAAAAAAAAAAAAUBBP/EAB4RAAIBAwUAAAAAAAAAAAAAAAACAQMRMgQTFFGB/9oADAMBAAIRAxEAPwDAAqrQ2LzkJs2p5Now86IAxCJ//9k=',
  'base64',
)

const START = Buffer.from([0xff, 0xd8])
const END = Buffer.from([0xff, 0xd9])

function segment(marker: number, body: readonly number[] | Uint8Array): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([head, Buffer.from(body)])
}

const QUANTIZATION = segment(0xdb, [0, ...Array.from({ length: 64 }, () => 1)])
/** One code of two bits, for DC coefficients and for AC. */
const table = (id: number): Buffer => segment(0xc4, [id, 0, 1, ...Array.from({ length: 14 }, () => 0), 0])
const TABLES = Buffer.concat([table(0x00), table(0x10)])
const frame = (
  changes: { marker?: number; width?: number; height?: number; body?: number[] } = {},
): Buffer => {
  const { marker = 0xc0, width = 8, height = 8, body } = changes
  return segment(marker, body ?? [8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0])
}
const scan = (body: readonly number[] = [1, 1, 0x00, 0, 63, 0], data = [0x2f, 0xff, 0x00, 0x12]): Buffer =>
  Buffer.concat([segment(0xda, body), Buffer.from(data)])
const joined = (...parts: readonly Buffer[]): Buffer => Buffer.concat([START, ...parts, END])
const GREY = joined(QUANTIZATION, frame(), TABLES, scan())

/** The markers of a file, up to its end, which must be that of the bytes. */
function markersOf(file: Buffer): number[] {
  const markers: number[] = []
  for (let at = 2; ; ) {
    if (file[at] !== 0xff) throw new Error('no marker')
    const marker = file[at + 1]!
    markers.push(marker)
    if (marker === 0xd9) {
      if (at + 2 !== file.length) throw new Error('bytes behind the end')
      return markers
    }
    at += 2 + file.readUInt16BE(at + 2)
    if (marker !== 0xda) continue
    while (file[at] !== 0xff || file[at + 1] === 0 || (file[at + 1]! >= 0xd0 && file[at + 1]! <= 0xd7)) {
      at += file[at] === 0xff ? 2 : 1
      if (at >= file.length) throw new Error('no end')
    }
  }
}

t.test('of a file, only the picture is left', async (t) => {
  const image = (await cleanImage(CHROMIUM))!
  t.equal(image.contentType, 'image/jpeg')
  t.same(markersOf(image.bytes), [0xdb, 0xdb, 0xc0, 0xc4, 0xc4, 0xc4, 0xc4, 0xda, 0xd9])
  const start = CHROMIUM.indexOf(Buffer.from([0xff, 0xdb]))
  t.same(image.bytes, Buffer.concat([START, CHROMIUM.subarray(start)]), 'byte for byte')
  const script = Buffer.from('<script>alert(1)</script>')
  const full = Buffer.concat([
    joined(segment(0xfe, script), segment(0xe1, script), segment(0xef, script), GREY.subarray(2, -2)),
    script,
  ])
  t.same(stripJpeg(full), GREY)
})

t.test('the colour model of the components is kept, without the fields next to it', async (t) => {
  const adobe = (transform: number, more = 0) =>
    segment(0xee, [...Buffer.from('Adobe\0\x65\x01\x02\x03\x04', 'latin1'), transform, ...Buffer.alloc(more)])
  const kept = segment(0xee, [...Buffer.from('Adobe\0\x64\0\0\0\0', 'latin1'), 0])
  t.same(stripJpeg(joined(adobe(0, 9), GREY.subarray(2, -2))), joined(kept, GREY.subarray(2, -2)))
  t.same(stripJpeg(joined(adobe(2), GREY.subarray(2, -2))), GREY, 'of four components there are none here')
})

t.test('progressive pictures and restarts pass', async (t) => {
  const progressive = joined(
    QUANTIZATION,
    frame({ marker: 0xc2 }),
    TABLES,
    segment(0xdd, [0, 1]),
    scan([1, 1, 0, 0, 0, 1], [1, 0xff, 0xd0, 2]),
    scan([1, 1, 0, 1, 63, 0x02]),
    scan([1, 1, 0, 1, 63, 0x21]),
    scan([1, 1, 0, 0, 0, 0x10]),
  )
  t.same(stripJpeg(progressive), progressive)
})

t.test('anything but a complete JPEG of the kinds that pages use is refused', async (t) => {
  const parts = (changes: { frame?: Buffer; tables?: Buffer; scan?: Buffer; before?: Buffer }): Buffer =>
    joined(
      changes.before ?? Buffer.alloc(0),
      QUANTIZATION,
      changes.frame ?? frame(),
      changes.tables ?? TABLES,
      changes.scan ?? scan(),
    )
  const progressive = (body: readonly number[]): Buffer =>
    parts({ frame: frame({ marker: 0xc2 }), scan: scan(body) })
  const files: Record<string, Buffer> = {
    nothing: Buffer.alloc(0),
    'start and end': joined(),
    'no end': GREY.subarray(0, -2),
    'no picture': joined(QUANTIZATION, frame(), TABLES),
    'no frame': joined(QUANTIZATION, TABLES, scan()),
    'two frames': parts({ before: frame() }),
    'arithmetic coding': parts({ frame: frame({ marker: 0xc9 }) }),
    'lossless coding': parts({ frame: frame({ marker: 0xc3 }) }),
    'a definition of lines': parts({ before: segment(0xdc, [0, 8]) }),
    'an unknown marker': parts({ before: segment(0xbf, [0]) }),
    'no marker': parts({ before: Buffer.from([1, 2, 3]) }),
    'too wide': parts({ frame: frame({ width: MAX_SIDE + 1 }) }),
    'too high': parts({ frame: frame({ height: MAX_SIDE + 1 }) }),
    'no height': parts({ frame: frame({ height: 0 }) }),
    'twelve bits': parts({ frame: frame({ body: [12, 0, 8, 0, 8, 1, 1, 0x11, 0] }) }),
    'four components': parts({
      frame: frame({ body: [8, 0, 8, 0, 8, 4, ...[1, 2, 3, 4].flatMap((id) => [id, 0x11, 0])] }),
    }),
    'one component twice': parts({
      frame: frame({ body: [8, 0, 8, 0, 8, 3, ...[1, 2, 2].flatMap((id) => [id, 0x11, 0])] }),
    }),
    'samples of nothing': parts({ frame: frame({ body: [8, 0, 8, 0, 8, 1, 1, 0x01, 0] }) }),
    'a fifth table': parts({ frame: frame({ body: [8, 0, 8, 0, 8, 1, 1, 0x11, 4] }) }),
    'a short frame': parts({ frame: frame({ body: [8, 0, 8] }) }),
    'quantization without a table': joined(frame(), TABLES, scan()),
    'half a quantization table': parts({ before: segment(0xdb, [0, 1, 2]) }),
    'a quantization table of 32 bits': parts({ before: segment(0xdb, [0x20, ...new Uint8Array(64)]) }),
    'no Huffman tables': joined(QUANTIZATION, frame(), scan()),
    'a Huffman table of more codes than there are': parts({
      tables: segment(0xc4, [0, 3, ...new Uint8Array(15), 1, 2, 3]),
    }),
    'a Huffman table without its codes': parts({ tables: segment(0xc4, [0, 0, 1, ...new Uint8Array(14)]) }),
    'a Huffman table of a third class': parts({ tables: table(0x20) }),
    'restarts of nothing': parts({ before: segment(0xdd, [0]) }),
    'a scan of another component': parts({ scan: scan([1, 9, 0, 0, 63, 0]) }),
    'a scan of one component twice': parts({ scan: scan([2, 1, 0, 1, 0, 0, 63, 0]) }),
    'a scan by another table': parts({ scan: scan([1, 1, 0x11, 0, 63, 0]) }),
    'half a scan': parts({ scan: scan([1, 1, 0, 1, 63, 0]) }),
    'a scan without its head': parts({ scan: scan([]) }),
    'a progression of both': progressive([1, 1, 0, 0, 63, 0]),
    'a progression backwards': progressive([1, 1, 0, 9, 8, 0]),
    'a progression that skips bits': progressive([1, 1, 0, 1, 63, 0x31]),
    'a bomb of scans': parts({ scan: Buffer.concat(Array.from({ length: 25 }, () => scan())) }),
    'a bomb of segments': parts({
      before: Buffer.concat(Array.from({ length: 600 }, () => segment(0xfe, []))),
    }),
    'a length of one': joined(Buffer.from([0xff, 0xfe, 0, 1]), GREY.subarray(2, -2)),
  }
  t.same(stripJpeg(parts({})), GREY)
  for (const [name, file] of Object.entries(files)) t.equal(stripJpeg(file), null, name)
})

t.test('whatever happens to a file, only a picture is left', async (t) => {
  let taken = 0
  for (let at = 0; at < 3_000; at++) {
    const random = new Random(4, at)
    const file = Buffer.from(random.pick([CHROMIUM, GREY]))
    for (let i = random.below(3); i >= 0; i--) file[2 + random.below(file.length - 2)] = random.below(256)
    const stripped = stripJpeg(random.chance(0.1) ? file.subarray(0, random.below(file.length)) : file)
    if (stripped === null) continue
    taken++
    const isClean = markersOf(stripped).every((marker) =>
      [0xdb, 0xc0, 0xc1, 0xc2, 0xc4, 0xdd, 0xda, 0xd9, 0xee].includes(marker),
    )
    if (!isClean || stripped.length > file.length || !stripJpeg(stripped)?.equals(stripped))
      t.fail(`at ${at}`)
  }
  t.ok(taken > 300 && taken < 2_900, `${taken} are taken`)
})

t.test('other types are refused, whatever they are called', async (t) => {
  const files = [
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'GIF89a',
    'RIFF\0\0\0\0WEBPVP8 ',
    '<!doctype html>',
    '',
  ]
  for (const file of files) t.equal(await cleanImage(Buffer.from(file, 'latin1')), null, file)
})
