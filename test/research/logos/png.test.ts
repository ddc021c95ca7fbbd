import { deflateSync } from 'node:zlib'
import t from 'tap'
import { MAX_IMAGE_BYTES, MAX_SIDE } from '../../../src/research/logos/bounds.ts'
import { cleanImage } from '../../../src/research/logos/image.ts'
import { rewritePng } from '../../../src/research/logos/png.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { chunkOf, chunksOf, decode, encode, headerOf, joined, KINDS, type Shape } from '../../fixtures/png.ts'

const END = chunkOf('IEND', Buffer.alloc(0))
const EMPTY = Buffer.alloc(0)
const GREY: Shape = { width: 3, height: 2, depth: 8, colour: 0, isInterlaced: false }
const ROWS = Buffer.from([0, 1, 2, 3, 4, 4, 5, 6])
const DATA = chunkOf('IDAT', deflateSync(ROWS))
const INDEXED: Shape = { ...GREY, colour: 3 }
const PALETTE = chunkOf('PLTE', Buffer.from([1, 2, 3, 4, 5, 6]))

t.test('a picture of every kind has the same pixels afterwards', async (t) => {
  for (const [i, kind] of KINDS.entries()) {
    const random = new Random(1, i)
    const shape = { ...kind, width: 1 + random.below(19), height: 1 + random.below(19) }
    const file = encode(shape, random)
    const rewritten = await rewritePng(file)
    t.same(rewritten && decode(rewritten), decode(file), JSON.stringify(shape))
  }
})

t.test('only the picture passes', async (t) => {
  const shape = { ...INDEXED, depth: 2 }
  const hidden = ['tEXt', 'iTXt', 'eXIf', 'iCCP', 'acTL', 'zzZz'].map((type) =>
    chunkOf(type, Buffer.from('<script>alert(1)</script>')),
  )
  const file = Buffer.concat([
    encode(shape, new Random(2, 0), hidden),
    Buffer.from('<script>alert(1)</script>'),
  ])
  const rewritten = (await rewritePng(file))!
  t.same(
    chunksOf(rewritten).map(({ type }) => type),
    ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'],
  )
  t.notMatch(rewritten.toString('latin1'), 'script')
})

t.test('a palette has a colour for each index, and a hint of colours is dropped', async (t) => {
  const rewritten = (await rewritePng(joined(headerOf(INDEXED), PALETTE, DATA, END)))!
  t.equal(decode(rewritten).palette!.length, 768)
  t.same([...decode(rewritten).palette!.subarray(0, 9)], [1, 2, 3, 4, 5, 6, 0, 0, 0])
  const coloured = { ...GREY, width: 1, colour: 2 }
  const hinted = joined(headerOf(coloured), PALETTE, DATA, END)
  t.equal(decode((await rewritePng(hinted))!).palette, null)
})

t.test('anything but a complete PNG within the bounds is refused', async (t) => {
  const header = headerOf(GREY)
  const wrong = (at: number, value: number): Buffer => {
    const body = Buffer.from(header.subarray(8, 21))
    body[at] = value
    return chunkOf('IHDR', body)
  }
  const sized = (width: number, height: number): Buffer => {
    const shape = { ...GREY, width, height, depth: 1 }
    const rows = Math.min(height, 2_000) * (1 + Math.ceil(Math.min(width, 2_000) / 8))
    return joined(headerOf(shape), chunkOf('IDAT', deflateSync(Buffer.alloc(rows))), END)
  }
  const packed = (rows: Buffer) => joined(header, chunkOf('IDAT', deflateSync(rows)), END)
  const altered = joined(header, DATA, END)
  altered[altered.length - 20]! ^= 1
  const files: Record<string, Buffer> = {
    nothing: EMPTY,
    'the signature alone': joined(),
    'no header': joined(DATA, END),
    'two headers': joined(header, header, DATA, END),
    'a long header': joined(
      chunkOf('IHDR', Buffer.concat([header.subarray(8, 21), Buffer.alloc(1)])),
      DATA,
      END,
    ),
    'no pixels': joined(header, END),
    'no end': joined(header, DATA),
    'an end with a body': joined(header, DATA, chunkOf('IEND', Buffer.alloc(1))),
    'a wrong sum': altered,
    'a chunk longer than the file': Buffer.concat([joined(header), Buffer.from('7fffffff49444154', 'hex')]),
    'pixels in two places': joined(header, DATA, chunkOf('tEXt', EMPTY), DATA, END),
    'an unknown chunk that matters': joined(header, chunkOf('CgBI', EMPTY), DATA, END),
    'no width': joined(wrong(3, 0), DATA, END),
    'a depth that its colours do not have': joined(wrong(8, 3), DATA, END),
    'unknown colours': joined(wrong(9, 5), DATA, END),
    'another compression': joined(wrong(10, 1), DATA, END),
    'another filter method': joined(wrong(11, 1), DATA, END),
    'another interlacing': joined(wrong(12, 2), DATA, END),
    'too wide': sized(MAX_SIDE + 1, 1),
    'too high': sized(1, MAX_SIDE + 1),
    vast: sized(2 ** 31, 2 ** 31),
    'pixels that unpack to more': packed(Buffer.alloc(2 ** 20)),
    'one byte more': packed(Buffer.concat([ROWS, Buffer.alloc(1)])),
    'one byte less': packed(ROWS.subarray(1)),
    'a filter that does not exist': packed(Buffer.from([5, 1, 2, 3, 0, 4, 5, 6])),
    'pixels that are not packed': joined(header, chunkOf('IDAT', ROWS), END),
    'no palette': joined(headerOf(INDEXED), DATA, END),
    'a palette behind the pixels': joined(headerOf(INDEXED), DATA, PALETTE, END),
    'two palettes': joined(headerOf(INDEXED), PALETTE, PALETTE, DATA, END),
    'an empty palette': joined(headerOf(INDEXED), chunkOf('PLTE', EMPTY), DATA, END),
    'half a colour': joined(headerOf(INDEXED), chunkOf('PLTE', Buffer.alloc(4)), DATA, END),
    'more colours than indices': joined(
      headerOf({ ...INDEXED, width: 24, depth: 1 }),
      chunkOf('PLTE', Buffer.alloc(9)),
      DATA,
      END,
    ),
    'a palette of grey': joined(header, PALETTE, DATA, END),
    'more transparency than colours': joined(
      headerOf(INDEXED),
      PALETTE,
      chunkOf('tRNS', Buffer.alloc(3)),
      DATA,
      END,
    ),
    'transparency before the palette': joined(
      headerOf(INDEXED),
      chunkOf('tRNS', Buffer.alloc(1)),
      PALETTE,
      DATA,
      END,
    ),
    'transparency twice': joined(
      header,
      chunkOf('tRNS', Buffer.alloc(2)),
      chunkOf('tRNS', Buffer.alloc(2)),
      DATA,
      END,
    ),
    'transparency beside an alpha channel': joined(
      headerOf({ ...GREY, width: 1, colour: 4 }),
      chunkOf('tRNS', Buffer.alloc(2)),
      chunkOf('IDAT', deflateSync(Buffer.alloc(6))),
      END,
    ),
    'thousands of chunks': joined(
      header,
      ...Array.from({ length: 1_100 }, () => chunkOf('tEXt', EMPTY)),
      DATA,
      END,
    ),
  }
  t.ok(await rewritePng(joined(header, DATA, END)), 'as it is, it is taken')
  t.ok(await rewritePng(sized(MAX_SIDE, 1)), 'and as wide as the bound')
  for (const [name, file] of Object.entries(files)) t.equal(await rewritePng(file), null, name)
})

t.test('whatever becomes of a file, the result is none, or a whole picture within the bounds', async (t) => {
  let taken = 0
  for (let at = 0; at < 300; at++) {
    const random = new Random(3, at)
    const shape = { ...random.pick(KINDS), width: 1 + random.below(12), height: 1 + random.below(12) }
    const text = chunkOf('tEXt', Buffer.from('a comment'))
    const file = mutated(encode(shape, random, random.chance(0.5) ? [text] : []), random)
    const image = await cleanImage(file)
    if (image === null) continue
    taken++
    t.equal(image.contentType, 'image/png')
    t.ok(image.bytes.length <= MAX_IMAGE_BYTES)
    t.doesNotThrow(() => decode(image.bytes), `at ${at}`)
  }
  t.ok(taken > 30 && taken < 270, `${taken} are taken`)
})

/** The file with some chunks changed, moved, doubled or left out, their sums right again in most cases; or with bytes changed. */
function mutated(file: Buffer, random: Random): Buffer {
  if (random.chance(0.2)) {
    const bytes = Buffer.from(file)
    bytes[random.below(bytes.length)] = random.below(256)
    return random.chance(0.3) ? bytes.subarray(0, random.below(bytes.length)) : bytes
  }
  const chunks = chunksOf(file).map(({ type, body }) => ({ type, body: Buffer.from(body) }))
  const at = random.below(chunks.length)
  const one = chunks[at]!
  const change = random.below(6)
  if (change === 0) chunks.splice(at, 1)
  else if (change === 1) chunks.splice(random.below(chunks.length), 0, one)
  else if (change === 2) chunks.push(...chunks.splice(at, 1))
  else if (change === 3) one.type = random.pick(['IDAT', 'PLTE', 'tRNS', 'IEND', 'teXt', 'TEXT'])
  else if (change === 4 && one.body.length > 0) one.body[random.below(one.body.length)] = random.below(256)
  else one.body = one.body.subarray(0, random.below(one.body.length + 1))
  return joined(...chunks.map(({ type, body }) => chunkOf(type, body)))
}
