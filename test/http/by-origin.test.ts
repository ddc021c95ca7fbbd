import t from 'tap'
import { ByOrigin, ORIGIN } from '../../src/http/by-origin.ts'
import { Representation } from '../../src/http/representation.ts'
import { clockOf } from '../fixtures/clock.ts'

const plain = async (answer: Promise<Representation> | Representation): Promise<string> =>
  (await answer).select({}).body.toString()
const PLAIN = { contentType: 'text/plain', cacheControl: 'no-store', headers: [] }

t.test('the origin stands wherever the text names it, and the text is written once', async (t) => {
  let written = 0
  const write = () => {
    written++
    return `at ${ORIGIN}, and ${ORIGIN}/path`
  }
  const texts = new ByOrigin(write, clockOf({ now: () => 0 }))
  t.equal(written, 0, 'not before it is asked for')
  for (const origin of ['http://a', 'https://b.example:1']) {
    t.equal(await plain(texts.of(origin)), `at ${origin}, and ${origin}/path`)
  }
  t.equal(
    texts.plain('http://c', PLAIN).select({ 'accept-encoding': 'br' }).body.toString(),
    'at http://c, and http://c/path',
  )
  t.equal(written, 1)
})

t.test('another origin each time gets the plain bytes, and is compressed ten times a second', async (t) => {
  let now = 0
  const texts = new ByOrigin(() => ORIGIN, clockOf({ now: () => now }))
  const own = texts.of('http://own')
  t.ok(own instanceof Promise)
  let compressed = 0
  for (let i = 0; i < 1_000; i++) {
    now++
    if (!(texts.of(`http://made-up-${i}`) instanceof Representation)) compressed++
    if (i % 3 === 0) t.equal(texts.of('http://own'), own, 'who asks often is not forgotten')
  }
  t.ok(compressed <= 10, String(compressed))
})

t.test('each origin has its own tag', async (t) => {
  let now = 0
  const texts = new ByOrigin(() => ORIGIN, clockOf({ now: () => now }))
  const tags = ['http://a', 'http://b'].map(async (origin) => {
    now += 1_000
    return ((await texts.of(origin)) as Representation).select({}).etag
  })
  t.equal(new Set(await Promise.all(tags)).size, 2)
})
