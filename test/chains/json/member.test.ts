import t from 'tap'
import { Items, membersOf, memberText, startOfMember } from '../../../src/chains/json/member.ts'
import { MAX_VALUES } from '../../../src/chains/json/parse.ts'
import { MAX_DEPTH } from '../../../src/chains/json/scan.ts'
import fc from '../../fixtures/fast-check.ts'

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

t.test('for invalid JSON, some answer is found', async (t) => {
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

t.test('what comes before a name, and what is like it, is not it', async (t) => {
  const bytes = Buffer.from(' {"ab":1,"":2,"é":3,"\\u00e9e":4,"b\\u0061":5,"aa":6}')
  const at = (name: string) => startOfMember(bytes, 0, name)
  for (const [name, value] of Object.entries(JSON.parse(bytes.toString())))
    t.equal(bytes[at(name)], `${value}`.charCodeAt(0), name)
  for (const name of ['a', 'b', 'abc', 'e', 'aaa', 'éé', 'c']) t.equal(at(name), -1, name)
})

t.test('an object without members, an array without items, and what is neither', async (t) => {
  for (const text of [
    '{}',
    ' { } ',
    '[]',
    '1',
    '"a"',
    '',
    '{"a"',
    '{"a" 1}',
    '{"a',
    '{a:1}',
    '{"b":1,"a" 1}',
    '{"b":1,"a',
  ])
    t.equal(startOfMember(Buffer.from(text), 0, 'a'), -1, text)
  for (const text of ['[]', '[ ]', ' [ ] ', '{}', '1', '', '[', '{"a":[1]}'])
    t.same(textsOf(Buffer.from(text), 0), [], text)
  t.same(textsOf(Buffer.from(' [ 1 , [ 2 , 3 ] , {} , "]" ] , 5'), 0), ['1', '[ 2 , 3 ]', '{}', '"]"'])
})

t.test(
  'no member is looked for behind the first 40,000, and no value is read below 512 levels',
  async (t) => {
    const before = (count: number) => Buffer.from(`{${'"x":0,'.repeat(count)}"a":1}`)
    const [last, beyond] = [before(MAX_VALUES - 1), before(MAX_VALUES)]
    t.equal(startOfMember(last, 0, 'a'), last.length - 2)
    t.equal(startOfMember(beyond, 0, 'a'), -1)
    t.same(membersOf(last, 0, ['a']).get('a'), { start: last.length - 2, end: last.length - 1 })
    t.equal(membersOf(beyond, 0, ['a']).size, 0)

    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    t.equal(memberText(Buffer.from(`{"a":${nested(MAX_DEPTH)}}`), ['a']), nested(MAX_DEPTH))
    t.equal(memberText(Buffer.from(`{"a":${nested(MAX_DEPTH + 1)}}`), ['a']), null)
  },
)

t.test('a document itself, without a path, is its first value without the space around it', async (t) => {
  t.equal(memberText(Buffer.from(' {"a":1} '), []), '{"a":1}')
  t.equal(memberText(Buffer.from(' -1.5e3 '), []), '-1.5e3')
  t.equal(memberText(Buffer.from(' "}" '), []), '"}"')
})
