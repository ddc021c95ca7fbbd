import t from 'tap'
import { GatheredBytes } from '../../src/flow/gathered-bytes.ts'
import fc from '../fixtures/fast-check.ts'

const LARGE = 16_384

t.test('whatever the chunks are, the bytes are those that came', async (t) => {
  const sizes = fc.array(
    fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1_000, max: 70_000 })),
    { maxLength: 40 },
  )
  const property = fc.property(sizes, (sizes) => {
    const whole = Buffer.from(Uint8Array.from({ length: sizes.reduce((a, b) => a + b, 0) }, (_, i) => i * 31))
    const [joined, pieced] = [new GatheredBytes(), new GatheredBytes()]
    let at = 0
    for (const size of sizes) {
      for (const gathered of [joined, pieced]) gathered.add(Buffer.from(whole.subarray(at, at + size)))
      at += size
    }
    const pieces = pieced.pieces()
    return (
      joined.length === whole.length &&
      joined.joined().equals(whole) &&
      Buffer.concat(pieces).equals(whole) &&
      // A piece is large, or one of few that grow.
      pieces.length <= 2 * (whole.length / LARGE) + 12
    )
  })
  t.doesNotThrow(() => fc.assert(property))
})

t.test('a single chunk, and a large one, are not copied', async (t) => {
  const small = Buffer.from('{}')
  const one = new GatheredBytes()
  one.add(small)
  t.equal(one.joined(), small)
  const many = new GatheredBytes()
  const large: Buffer[] = [Buffer.alloc(LARGE, 1), Buffer.alloc(LARGE, 2)]
  for (const chunk of large) many.add(chunk)
  t.same(
    many.pieces().map((piece) => large.indexOf(piece)),
    [0, 1],
  )
})

t.test('single bytes cost what they are, and not a Buffer each', async (t) => {
  const count = 400_000
  const gathered = new GatheredBytes()
  const byte = Buffer.from('x')
  for (let i = 0; i < count; i++) gathered.add(byte)
  const held = new Set(gathered.pieces().map(({ buffer }) => buffer))
  let bytes = 0
  for (const { byteLength } of held) bytes += byteLength
  t.ok(bytes < count + 2 * 65_536, `${bytes} bytes`)
  t.ok(held.size < 20, `${held.size} buffers`)
})

t.test('released bytes are gone', async (t) => {
  const gathered = new GatheredBytes()
  for (const text of ['a', 'b']) gathered.add(Buffer.from(text))
  gathered.clear()
  t.equal(gathered.length, 0)
  t.equal(gathered.joined().length, 0)
})
