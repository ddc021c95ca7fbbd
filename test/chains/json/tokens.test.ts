import t from 'tap'
import { restOfString, scalarEnd, skipSpace, stringEnd } from '../../../src/chains/json/tokens.ts'
import fc from '../../fixtures/fast-check.ts'

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

t.test('a string takes the escapes and the characters that JSON.parse takes', async (t) => {
  for (let code = 0; code < 0x80; code++) {
    const character = String.fromCharCode(code)
    for (const text of [`"${character}"`, `"a\\${character}"`]) {
      const end = stringEnd(Buffer.from(`${text}  `), 0)
      // A quote or a backslash moves the end, and is looked at below.
      if (character !== '"' && character !== '\\')
        t.equal(end, parses(text) ? text.length : -1, JSON.stringify(text))
    }
  }
  t.equal(stringEnd(Buffer.from('""x'), 0), 2)
  t.equal(stringEnd(Buffer.from('x"\\"\\\\"x'), 1), 7)
})

t.test('four hexadecimal digits follow \\u', async (t) => {
  for (const digits of ['0000', '9999', 'aAfF', '0fA9'])
    t.equal(stringEnd(Buffer.from(`"\\u${digits}"`), 0), 8, digits)
  for (const digits of ['/000', '0:00', '00@0', '000G', '`000', '000g', '000"', '00', ''])
    t.equal(stringEnd(Buffer.from(`"\\u${digits}"`), 0), -1, digits)
})

t.test(
  'a string is read in pieces: the offset says where to go on, an escape is read to its end',
  async (t) => {
    const bytes = Buffer.from('"ab\\u0041c"')
    t.equal(restOfString(bytes, 1, 2), -2 - 2)
    t.equal(restOfString(bytes, 2, 4), -2 - 9)
    t.equal(restOfString(bytes, 9, 11), 11)
    t.equal(restOfString(bytes, 1, 3), -2 - 3)
    t.equal(restOfString(Buffer.from('"ab'), 1, 3), -1, 'nothing is left to go on with')
  },
)

t.test('white space is of four kinds, and ends at the given offset', async (t) => {
  t.equal(skipSpace(Buffer.from(' \t\r\n1'), 0), 4)
  for (const other of ['\v', '\f', '\0', '\b']) t.equal(skipSpace(Buffer.from(other), 0), 0)
  t.equal(skipSpace(Buffer.from('     '), 1, 3), 3)
})

t.test('numbers and literals end where those of JSON.parse do', async (t) => {
  for (const text of ['0', '-0', '10', '-1.5', '1e5', '1E+05', '1e-5', '0.0', '0e0', 'true', 'false', 'null'])
    t.equal(scalarEnd(Buffer.from(`${text},`), 0), text.length, text)
  t.equal(scalarEnd(Buffer.from('01'), 0), 1, 'a digit after a zero is not a part of it')
  for (const text of ['-', '.5', '1.', '1.e5', '1e', '1e+', '-a', '+1', 'tru', 'trua', 'falsy', 'nul', ''])
    t.equal(scalarEnd(Buffer.from(text), 0), -1, text)
})

t.test('a run of digits has a bound', async (t) => {
  const run = '7'.repeat(65_536)
  for (const before of ['', '-', '0.', '1e', '1e-'])
    t.equal(scalarEnd(Buffer.from(`${before}${run}`), 0), before.length + run.length, before)
  for (const before of ['', '-', '0.', '1e', '1e-'])
    t.equal(scalarEnd(Buffer.from(`${before}${run}7`), 0), -1, before)
})

t.test('a long string ends where one byte after the other says, wherever it lies in memory', async (t) => {
  const special = fc.constantFrom(
    '"',
    '\\\\',
    '\\"',
    '\\u00e9',
    '\\',
    '\n',
    '\0',
    '\x1f',
    'ü',
    '\x7f',
    ' ',
    '😀',
  )
  const plain = fc.integer({ min: 0, max: 150 }).map((length) => 'a'.repeat(length))
  const parts = fc.array(fc.oneof(plain, special), { minLength: 1, maxLength: 6 })
  /** As the grammar has it, one byte after the other. */
  const endOf = (bytes: Buffer, until: number): number => {
    let at = 0
    for (; at < until; at++) {
      if (bytes[at] === 0x22) return at + 1
      if (bytes[at]! < 0x20) return -1
      if (bytes[at] !== 0x5c) continue
      const rest = /^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(bytes.toString('latin1', at + 1))
      if (rest === null) return -1
      at += rest[0].length
    }
    return at < bytes.length ? -2 - at : -1
  }
  const ends = { closed: 0, malformed: 0, open: 0 }
  fc.assert(
    fc.property(parts, fc.integer({ min: 0, max: 7 }), fc.nat(400), (parts, shift, cut) => {
      const bytes = Buffer.from('x'.repeat(shift) + parts.join('')).subarray(shift)
      const until = Math.min(cut, bytes.length)
      const end = endOf(bytes, until)
      t.equal(restOfString(bytes, 0, until), end)
      ends[end > 0 ? 'closed' : end === -1 ? 'malformed' : 'open']++
    }),
    { numRuns: 1_000 },
  )
  for (const [how, times] of Object.entries(ends)) t.ok(times > 10, `${how}: ${times}`)
})
