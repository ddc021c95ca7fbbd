import fc from 'fast-check'
import t from 'tap'
import { Items, membersOf, memberText } from '../../../src/chains/json/member.ts'

const textsOf = (bytes: Buffer, start: number): string[] => {
  const items = new Items(bytes, start)
  const texts: string[] = []
  for (let item = items.next(); item !== null; item = items.next())
    texts.push(bytes.toString('utf8', item.start, item.end))
  return texts
}

t.test('members and items are found where JSON.parse finds them', async (t) => {
  const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }))
  fc.assert(
    fc.property(object, fc.nat(2), (value, indent) => {
      const bytes = Buffer.from(` ${JSON.stringify(value, null, indent)}`)
      const names = Object.keys(value)
      const found = membersOf(bytes, 0, names)
      for (const name of names) {
        const { start, end } = found.get(name)!
        t.strictSame(JSON.parse(bytes.toString('utf8', start, end)), value[name])
        t.strictSame(JSON.parse(memberText(bytes, [name])!), value[name])
      }
      t.equal(found.size, names.length)
    }),
    { numRuns: 100 },
  )
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 4 })), fc.nat(2), (value, indent) => {
      const texts = textsOf(Buffer.from(` ${JSON.stringify(value, null, indent)} `), 0)
      t.strictSame(
        texts.map((text) => JSON.parse(text)),
        JSON.parse(JSON.stringify(value)),
      )
    }),
    { numRuns: 100 },
  )
})

t.test('of a name that stands twice the last counts, however it is written', async (t) => {
  t.equal(memberText(Buffer.from('{"a":1,"\\u0061":[ 2 ],"b":{"a":3}}'), ['a']), '[ 2 ]')
  t.equal(memberText(Buffer.from('{"a":{"b":{"c": "}" }}}'), ['a', 'b', 'c']), '"}"')
  t.equal(memberText(Buffer.from('{"a":1}'), ['b']), null)
  t.equal(memberText(Buffer.from('[1]'), ['a']), null)
  t.same(textsOf(Buffer.from('{"a":1}'), 0), [])
})

t.test('of what is not JSON, some answer is found', async (t) => {
  const pieces = fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', ' ', 'a', '1', '-', 'true', '"a":')
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (texts) => {
      const bytes = Buffer.from(texts.join(''))
      for (const { start, end } of membersOf(bytes, 0, ['a']).values())
        t.ok(start <= end && end <= bytes.length)
      t.ok(textsOf(bytes, 0).length <= bytes.length)
    }),
    { numRuns: 2_000 },
  )
})
