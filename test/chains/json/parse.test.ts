import t from 'tap'
import { isBounded, MAX_VALUES, parseBounded } from '../../../src/chains/json/parse.ts'
import { MAX_DEPTH } from '../../../src/chains/json/scan.ts'
import fc from '../../fixtures/fast-check.ts'

t.test('parses what JSON.parse does, from bytes and from text', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.boolean(), (value, isIndented) => {
      const text = JSON.stringify(value, null, isIndented ? 2 : 0)
      const expected = JSON.parse(text)
      t.strictSame(parseBounded(text), expected)
      t.strictSame(parseBounded(Buffer.from(text)), expected)
    }),
    { numRuns: 200 },
  )
  t.strictSame(parseBounded('"\\"[{\\\\"'), '"[{\\')
})

t.test('refuses what JSON.parse refuses, and what is not UTF-8', async (t) => {
  for (const text of ['', ' ', '{', '"', '"\\', ']', '[1,]', '{"a":1}}', 'undefined'])
    t.throws(() => parseBounded(text), SyntaxError, text)
  t.throws(() => parseBounded(Buffer.from([0x22, 0xff, 0x22])), SyntaxError)
})

t.test('counts levels', async (t) => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  t.ok(parseBounded(nested(MAX_DEPTH)))
  t.throws(() => parseBounded(nested(MAX_DEPTH + 1)), SyntaxError)
  t.throws(() => parseBounded(`${'{"a":'.repeat(MAX_DEPTH + 1)}1${'}'.repeat(MAX_DEPTH + 1)}`), SyntaxError)
  t.ok(parseBounded(`[${`${nested(MAX_DEPTH - 1)},`.repeat(3)}1]`), 'beside each other they are not deeper')
  t.equal(parseBounded(JSON.stringify('['.repeat(MAX_DEPTH * 2))), '['.repeat(MAX_DEPTH * 2))
})

t.test('counts values and names', async (t) => {
  t.strictSame(parseBounded('[[1,2],{"a":3}]', 7), [[1, 2], { a: 3 }])
  t.throws(() => parseBounded('[[1,2],{"a":3}]', 6), SyntaxError)
  t.throws(() => parseBounded(`[${'0,'.repeat(MAX_VALUES)}0]`), SyntaxError)
  t.throws(() => parseBounded(`[${'{},'.repeat(MAX_VALUES / 2)}0]`), SyntaxError)
  const long = ',:['.repeat(MAX_VALUES)
  t.equal(parseBounded(JSON.stringify(long)), long, 'in a string they are text')
  t.ok(isBounded(Buffer.from(JSON.stringify(`\\"${long}`))))
})
