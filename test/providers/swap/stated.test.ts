import t from 'tap'
import {
  statedDecimal,
  statedInteger,
  statedItems,
  statedSeconds,
  statedWord,
  statedWords,
} from '../../../src/providers/swap/stated.ts'
import fc from '../../fixtures/fast-check.ts'

t.test('a word is short, on one line, and no markup', (t) => {
  const words = [
    'sandboxbridge',
    'Meteora DLMM',
    'Pump.fun Amm',
    'uniswap-v3',
    '1DEX',
    'Saber (Decimals)',
    'a:0',
    '0x',
  ]
  for (const word of words) t.equal(statedWord(word), word)
  t.equal(statedWord('Raydium '), 'Raydium')
  const none = [
    '',
    ' a',
    '<b>',
    'a"b',
    'a\nb',
    'a\u202eb',
    '\u0430ave',
    'x'.repeat(129),
    `0x${'a'.repeat(40)}`,
    7,
    null,
    undefined,
    ['a'],
  ]
  for (const value of none) t.equal(statedWord(value), null, JSON.stringify(value))
  t.same(statedWords(['a', '<b>', 'b', 'a', null]), ['a', 'b'])
  t.equal(statedWords(Array.from({ length: 10_000 }, (_, i) => `w${i}`)).length, 100)
  t.end()
})

t.test('figures have one spelling', (t) => {
  const integers: [unknown, string | null][] = [
    ['0', '0'],
    ['0001000', '1000'],
    ['0x10', null],
    ['-1', null],
    ['1e3', null],
    ['1'.repeat(79), null],
    [10, null],
  ]
  for (const [value, expected] of integers) t.equal(statedInteger(value), expected, String(value))
  const decimals: [unknown, string | null][] = [
    ['0.0039', '0.0039'],
    ['00012.50', '12.50'],
    ['.5', null],
    ['5.', null],
    ['1e3', null],
    ['12 USD', null],
    [1.5, null],
  ]
  for (const [value, expected] of decimals) t.equal(statedDecimal(value), expected, String(value))
  for (const value of [0, 15, 31_536_000]) t.equal(statedSeconds(value), value)
  for (const value of [-1, Number.NaN, Number.POSITIVE_INFINITY, '15', null])
    t.equal(statedSeconds(value), null)
  t.ok(Object.is(statedSeconds(-0), 0))
  fc.assert(
    fc.property(fc.string(), (text) => {
      const figure = statedDecimal(text) ?? statedInteger(text) ?? '0'
      return /^(0|[1-9]\d*)(\.\d+)?$/.test(figure)
    }),
  )
  t.end()
})

t.test('a value that is not a list has no items', (t) => {
  t.same(statedItems([{ a: 1 }, null, 'b', [2]]), [{ a: 1 }, [2]])
  for (const value of [null, undefined, {}, 'a', 7]) t.same(statedItems(value), [])
  t.end()
})
