import t from 'tap'
import { ByOrigin, ORIGIN } from '../../../src/http/reply/by-origin.ts'
import { type Representation, SharedPieces } from '../../../src/http/reply/representation.ts'

const PLAIN = { contentType: 'text/plain', cacheControl: 'no-store', headers: [] }

const textOf = async (answer: ReturnType<ByOrigin['of']>): Promise<string> => {
  const settled = await answer
  if (settled instanceof SharedPieces) return Buffer.concat(settled.pieces).toString()
  return settled.select({}).body.toString()
}

t.test('the origin stands wherever the text names it, and the text is written once', async (t) => {
  let written = 0
  const write = () => {
    written++
    return `at ${ORIGIN}, and ${ORIGIN}/path`
  }
  const texts = new ByOrigin(write)
  t.equal(written, 0, 'not before it is asked for')
  for (const origin of ['http://a', 'https://b.example:1']) {
    for (const isOwn of [true, false])
      t.equal(await textOf(texts.of(origin, isOwn)), `at ${origin}, and ${origin}/path`)
  }
  t.equal(written, 1)
})

t.test('an own origin is kept, compressed where it is JSON', async (t) => {
  const json = new ByOrigin(() => ORIGIN)
  const own = json.of('http://own', true)
  t.equal(json.of('http://own', true), own)
  t.ok(((await own) as Representation).select({ 'accept-encoding': 'br' }).headers.includes('br'))
  const text = new ByOrigin(() => ORIGIN, PLAIN)
  const kept = text.of('http://own', true) as Representation
  t.equal(text.of('http://own', true), kept)
  t.equal(kept.medium, PLAIN)
  t.notOk(kept.select({ 'accept-encoding': 'br' }).headers.includes('br'))
  t.not(
    ((await json.of('http://other', true)) as Representation).select({}).etag,
    ((await own) as Representation).select({}).etag,
    'each has its own tag',
  )
})

t.test('a name that a client made up costs no copy, no hash and no compression', async (t) => {
  const long = 'x'.repeat(100_000)
  const texts = new ByOrigin(() => `${long}${ORIGIN}${long}`, PLAIN)
  const own = texts.of('http://own', true)
  const shared = new Set<unknown>()
  for (let i = 0; i < 1_000; i++) {
    const made = texts.of(`http://made-up-${i}`, false)
    t.ok(made instanceof SharedPieces)
    const { pieces, medium } = made as SharedPieces
    t.equal(medium, PLAIN)
    for (const piece of pieces) if (piece.length > 100) shared.add(piece)
  }
  t.equal(shared.size, 2)
  t.equal(texts.of('http://own', true), own, 'and takes no place of an own one')
})
