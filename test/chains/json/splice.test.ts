import t from 'tap'
import { EnvelopeScan, ID, type IdRange } from '../../../src/chains/json/scan.ts'
import { splicedPieces, spliceId } from '../../../src/chains/json/splice.ts'
import { Pieces } from '../../../src/flow/pieces.ts'
import { cutAt } from '../../fixtures/cuts.ts'
import fc from '../../fixtures/fast-check.ts'

/** Where the id stands in a reply. */
function idOf(reply: Buffer): IdRange {
  const scan = new EnvelopeScan()
  if (!scan.scan(reply) || !scan.has(ID)) throw new Error(`no id in ${reply}`)
  return scan.id
}

const space = fc.constantFrom('', ' ', '\n', '\t', '\r\n')
const name = fc.constantFrom('"id"', '"\\u0069d"')
const value = fc.jsonValue({ maxDepth: 2 }).map((one) => JSON.stringify(one))
/** Texts that look like what stands around an id. */
const tricky = fc.constantFrom('","', '",\\"id\\":7,"', '[1,2]', '{"id":1,"x":[","]}', '"}"')
const member = fc.tuple(fc.constantFrom('"result"', '"jsonrpc"', '"error"', '"a,b"'), fc.oneof(value, tricky))

/** A reply in pieces: what comes before the id, the id, what comes after, each member with its white space. */
const replies = fc
  .record({
    before: fc.uniqueArray(member, { maxLength: 3, selector: ([name]) => name }),
    after: fc.uniqueArray(member, { maxLength: 3, selector: ([name]) => name }),
    name,
    id: fc.oneof(value, tricky),
    space: fc.array(space, { minLength: 6, maxLength: 6 }),
  })
  .map(({ before, after, name, id, space }) => {
    const [a, b, c, d, e, f] = space
    const write = ([name, value]: readonly [string, string]) => `${a}${name}${b}:${c}${value}${d}`
    const names = new Set(before.map(([name]) => name))
    const rest = after.filter(([name]) => !names.has(name))
    const text = (members: readonly (readonly [string, string])[]) =>
      `${e}{${members.map(write).join(',')}}${f}`
    return {
      reply: text([...before, [name, id], ...rest]),
      with: (rawId: string) => text([...before, [name, rawId], ...rest]),
      without: [...before, ...rest],
    }
  })

t.test('an id is replaced wherever it stands, and every other byte stays', async () => {
  fc.assert(
    fc.property(replies, fc.oneof(value, tricky), (one, rawId) => {
      const reply = Buffer.from(one.reply)
      return spliceId(reply, idOf(reply), Buffer.from(rawId)).toString() === one.with(rawId)
    }),
    { numRuns: 500 },
  )
})

t.test('an id is removed with one comma, and the rest is the same document', async () => {
  fc.assert(
    fc.property(replies, ({ reply, without }) => {
      const bytes = Buffer.from(reply)
      const spliced = spliceId(bytes, idOf(bytes), null).toString()
      const members = Object.fromEntries(
        without.map(([name, value]) => [JSON.parse(name), JSON.parse(value)] as const),
      )
      return (
        JSON.stringify(JSON.parse(spliced)) === JSON.stringify(members) &&
        without.every(([name, value]) => spliced.includes(name) && spliced.includes(value)) &&
        bytes.toString() === reply
      )
    }),
    { numRuns: 500 },
  )
})

t.test('removing an id takes the white space next to its comma, and no more', async (t) => {
  const cases: [reply: string, spliced: string][] = [
    ['{"id":7}', '{}'],
    ['{ "id" : 7 }', '{ }'],
    ['{"id":7,"a":1}', '{"a":1}'],
    ['{ "id" : 7 , "a" : 1 }', '{ "a" : 1 }'],
    ['{"a":1,"id":7}', '{"a":1}'],
    ['{ "a" : 1 ,\n "id" : 7 }', '{ "a" : 1 }'],
    ['{"a":1,"id":7,"b":2}', '{"a":1,"b":2}'],
    ['{"a":[1,2],"id":7}', '{"a":[1,2]}'],
  ]
  for (const [reply, spliced] of cases) {
    const bytes = Buffer.from(reply)
    t.equal(spliceId(bytes, idOf(bytes), null).toString(), spliced)
  }
})

t.test('a reply in pieces is spliced to the same bytes, which are views of the pieces', async () => {
  const cuts = fc.array(fc.nat(200), { maxLength: 8 })
  fc.assert(
    fc.property(replies, fc.option(fc.oneof(value, tricky)), cuts, ({ reply }, rawId, at) => {
      const bytes = Buffer.from(reply)
      const id = rawId === null ? null : Buffer.from(rawId)
      const range = idOf(bytes)
      const spliced = splicedPieces(new Pieces(cutAt(bytes, at)), range, id)
      const own = spliced.filter(({ buffer }) => buffer !== bytes.buffer)
      return Buffer.concat(spliced).equals(spliceId(bytes, range, id)) && own.every((part) => part === id)
    }),
    { numRuns: 500 },
  )
})
