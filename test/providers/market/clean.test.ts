import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { Type } from 'typebox'
import * as clean from '../../../src/providers/market/clean.ts'
import { codePoint } from '../../fixtures/code-points.ts'
import fc from '../../fixtures/fast-check.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** By their numbers, not by the properties that the code goes by. */
const HIDDEN: readonly (readonly [from: number, to: number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x200b, 0x200b],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe007f],
  [0xe0100, 0xe01ef],
]

const isHidden = (char: string): boolean =>
  HIDDEN.some(([from, to]) => char.codePointAt(0)! >= from && char.codePointAt(0)! <= to)

/** Text in which what must not survive is common. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: codePoint, maxLength: 3 }),
      fc.constantFrom(...HIDDEN).chain(([from, to]) => fc.integer({ min: from, max: to }).map(fromCodePoint)),
      fc.constantFrom('👨‍👩‍👧', '👍🏽', '❤️', '\u200d', '\u200c', '\ufe0f', ' ', 'é', 'a'),
    ),
  )
  .map((parts) => parts.join(''))

/** Lone surrogates too. */
function fromCodePoint(code: number): string {
  return String.fromCodePoint(code)
}

t.test('no text keeps what hides, turns or breaks the text around it', async () => {
  fc.assert(
    fc.property(hostile, fc.integer({ min: 1, max: 40 }), (value, maxLength) => {
      const text = clean.text(value, maxLength)
      if (text === null) return true
      const chars = [...text]
      return (
        chars.length > 0 &&
        chars.length <= maxLength &&
        !chars.some(isHidden) &&
        !/^[ \u{200c}\u{200d}]|[ \u{200c}\u{200d}]$| {2}/u.test(text) &&
        clean.text(text, maxLength) === text
      )
    }),
    { numRuns: 500 },
  )
})

t.test('text is what a reader should see of it', async (t) => {
  const cases: [value: unknown, maxLength: number, text: string | null][] = [
    ['USD Coin', 20, 'USD Coin'],
    ['  a \n\t b\u00a0 ', 20, 'a b'],
    ['safe\u202eNIOC', 20, 'safeNIOC'],
    ['\u2066x\u2069\u061c\u200f\ufeff', 20, 'x'],
    ['\u0000\u0007\u009f', 20, null],
    ['a\ud800b', 20, 'ab'],
    ['👨‍👩‍👧 Family ❤️', 20, '👨‍👩‍👧 Family ❤️'],
    ['👍🏽🚀🚀', 3, '👍🏽🚀'],
    ['🚀🚀🚀', 2, '🚀🚀'],
    ['👨‍👩‍👧', 2, '👨'],
    ['👨‍👩‍👧', 3, '👨‍👩'],
    ['\u200d\u200da\u200d', 20, 'a'],
    ['a\u{e0041}\u{e0042}b', 20, 'ab'],
    ['می‌خواهم', 20, 'می‌خواهم'],
    ['abcdef', 3, 'abc'],
    ['ab cdef', 3, 'ab'],
    ['', 20, null],
    [' \u3164 ', 20, null],
    ['a \u0000 \u202e b', 20, 'a b'],
    [null, 20, null],
    [7, 20, null],
    [['a'], 20, null],
    [{ toString: () => 'a' }, 20, null],
  ]
  for (const [value, maxLength, text] of cases) {
    t.equal(clean.text(value, maxLength), text, JSON.stringify(value))
  }
  const long = '\u202e'.repeat(10_000)
  t.equal(clean.text(`${long}a${long}`, 10), 'a')
  t.equal(clean.text(`${long}${long}a`, 10), null, 'what hides so far behind is not looked for')
  t.equal(clean.text('🚀'.repeat(10_000), 10_000), '🚀'.repeat(8_192))
  t.equal(clean.text(`a${'🚀'.repeat(10_000)}`, 10_000), `a${'🚀'.repeat(8_191)}`, 'nor half a sign')
})

t.test('a number is finite and not negative, or it is none', async (t) => {
  const cases: [value: unknown, number: number | null][] = [
    [1.5, 1.5],
    ['1.5', 1.5],
    ['0', 0],
    [-0, 0],
    ['0.0000000000000000000000000012', 1.2e-27],
    ['1e-7', 1e-7],
    ['1E+21', 1e21],
    ['1e400', null],
    [JSON.parse('1e400'), null],
    [NaN, null],
    [Infinity, null],
    ['Infinity', null],
    ['-1', null],
    [-1, null],
    ['0x10', null],
    ['', null],
    [' 1', null],
    ['1,000', null],
    ['.5', null],
    ['1.', null],
    ['9'.repeat(101), null],
    [true, null],
    [null, null],
    [undefined, null],
    [[1], null],
    [{}, null],
    [10n, null],
  ]
  for (const [value, number] of cases) t.equal(clean.number(value), number, String(value))
  t.ok(Object.is(clean.number(-0), 0))
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const number = clean.number(value)
      return number === null || (Number.isFinite(number) && number >= 0)
    }),
  )
  fc.assert(fc.property(fc.double({ min: 0, noNaN: true, max: 1e300 }), (n) => clean.number(String(n)) === n))
})

t.test('a decimal keeps every digit, and is never an exponent', async (t) => {
  const cases: [value: unknown, text: string | null][] = [
    ['115792089237316195423570985008687907853269984665640564039457.5', null],
    ['115792089237316195423570985008687907853269984665640564039457584007913129639935', null],
    ['0.1', '0.1'],
    ['1e5', null],
    ['-1', null],
    [1, null],
    ['', null],
  ]
  for (const [value, text] of cases.slice(2)) t.equal(clean.decimal(value), text, String(value))
  for (const [value] of cases.slice(0, 2)) t.equal(clean.decimal(value), value)
})

t.test('a link is https, without credentials, and leads where it may', async (t) => {
  const cases: [value: unknown, link: string | null][] = [
    ['https://example.org/a?b=c', 'https://example.org/a?b=c'],
    ['https://example.org', 'https://example.org/'],
    ['HTTPS://EXAMPLE.org/ü "x"', 'https://example.org/%C3%BC%20%22x%22'],
    ['https://example.org/\u202e', 'https://example.org/%E2%80%AE'],
    ['https://exаmple.org', 'https://xn--exmple-4nf.org/'],
    ['http://example.org', null],
    ['javascript:alert(1)', null],
    ['data:text/html,x', null],
    ['//example.org', null],
    ['example.org', null],
    ['https://user:pass@example.org', null],
    ['https://good.org@evil.org', null],
    [`https://example.org/${'a'.repeat(2_048)}`, null],
    [`https://example.org/${'ü'.repeat(1_000)}`, null],
    ['https://localhost/', null],
    ['https://LOCALHOST.:8080/', null],
    ['https://app.localhost/', null],
    ['https://127.0.0.1/', null],
    ['https://2130706433/', null],
    ['https://0x7f.1/', null],
    ['https://169.254.169.254/latest/meta-data', null],
    ['https://192.168.1.1/', null],
    ['https://8.8.8.8/', null],
    ['https://[::1]/', null],
    ['https://[2606:4700::1111]/', null],
    ['https://router/', null],
    ['https://printer.local/', null],
    ['https://metadata.google.internal/', null],
    ['https://nas.lan/', null],
    ['https://router.home.arpa/', null],
    ['https://x.onion/', null],
    ['https://-x-.example.org/', null],
    ['https://local.example.org/', 'https://local.example.org/'],
    ['https://example.org:8443/', 'https://example.org:8443/'],
    ['', null],
    [null, null],
    [{ href: 'https://example.org' }, null],
  ]
  for (const [value, link] of cases) t.equal(clean.link(value), link, String(value))
  const hosts = new Set(['cdn.example.org'])
  t.equal(clean.link('https://cdn.example.org/a.png', hosts), 'https://cdn.example.org/a.png')
  t.equal(clean.link('https://cdn.example.org.evil.org/a.png', hosts), null)
  t.equal(clean.link('https://evil.org/cdn.example.org', hosts), null)
})

t.test('a change may be negative, but no loss is more than all', async (t) => {
  const cases: [value: unknown, change: number | null][] = [
    [-4.27, -4.27],
    ['-4.27', -4.27],
    [0, 0],
    ['12.5', 12.5],
    [3_000, 3_000],
    [-100, -100],
    [-100.1, null],
    ['-101', null],
    [-0, 0],
    ['--1', null],
    ['-', null],
    [Number.NEGATIVE_INFINITY, null],
    [Number.NaN, null],
    [null, null],
  ]
  for (const [value, change] of cases) t.equal(clean.change(value), change, String(value))
})

t.test('a time is in ms, and of this age', async (t) => {
  const at = Date.UTC(2026, 10, 21, 12)
  const cases: [value: unknown, unit: 'ms' | 's', time: number | null][] = [
    [at, 'ms', at],
    [at + 0.5, 'ms', at],
    [String(at), 'ms', at],
    [at / 1_000, 's', at],
    ['2026-11-21T12:00:00Z', 'ms', at],
    ['2026-11-21T12:00:00.000Z', 's', at],
    ['2026-11-21T14:00:00+02:00', 'ms', at],
    ['2026-11-21', 'ms', null],
    ['2026-11-21T12:00:00', 'ms', null],
    ['2026-13-41T12:00:00Z', 'ms', null],
    ['yesterday', 'ms', null],
    [at / 1_000, 'ms', null],
    [at, 's', null],
    [0, 'ms', null],
    [-1, 'ms', null],
    [1e300, 'ms', null],
    [null, 'ms', null],
  ]
  for (const [value, unit, time] of cases) t.equal(clean.time(value, unit), time, `${value} ${unit}`)
})

t.test('an address is one of its chain, in its canonical spelling', async (t) => {
  const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
  t.equal(clean.token('base', usdc.toLowerCase()), usdc)
  t.equal(clean.address('base', usdc.toLowerCase()), usdc)
  t.equal(clean.token('solana', usdc), null)
  t.equal(clean.token('base', 'usdc\u202e'), null)
  t.equal(clean.token('nowhere', usdc), null)
  t.equal(clean.token('base', null), null)
  t.equal(clean.address('nowhere', usdc), null)
  t.equal(clean.address('base', 7), null)
  t.equal(clean.address('base', '0x0000000000000000000000000000000000000000'), null, 'nobody')
  t.equal(clean.id('0xabc'), '0xabc')
  for (const id of ['', 'a b', '<a>', 'a'.repeat(101), 7]) t.equal(clean.id(id), null)
})

t.test('an item that does not fit is left out, and so is all after the cap', async (t) => {
  const read = clean.itemsReader(Type.Object({ a: Type.String() }), 3)
  const good = { a: 'x', b: 1 }
  t.strictSame(read([good, { a: 1 }, null]), [good])
  t.strictSame(read([null, good, good, good]), [good, good])
  for (const none of [null, undefined, {}, 'text', { length: 1, 0: good }]) t.strictSame(read(none), [])
})

t.test('a kept part of a long text does not keep the rest in memory', (t) => {
  const kept: (string | null)[] = []
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let i = 0; i < 50; i++) {
    const { name } = JSON.parse(JSON.stringify({ name: `A token's name ${i} ${'x'.repeat(2 ** 20)}` }))
    kept.push(clean.text(name, 20))
  }
  collectGarbage()
  const bytes = process.memoryUsage().heapUsed - before
  t.ok(bytes < 2 ** 23, `${bytes} bytes for ${kept.length} names`)
  t.end()
})
