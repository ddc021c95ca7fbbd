import t from 'tap'
import { repeatsKey, repeatsLookup } from '../../../src/chains/solana/locks.ts'

const key = (byte: number): Buffer => Buffer.alloc(32, byte)
/** Two keys that differ in one byte. */
const alike = (at: number): [Buffer, Buffer] => {
  const other = key(7)
  other[at] = 8
  return [key(7), other]
}

t.test('two keys are the same only with all their bytes', async (t) => {
  const before = Buffer.from('before')
  const repeats = (...keys: Buffer[]) =>
    repeatsKey(Buffer.concat([before, ...keys]), before.length, keys.length)
  t.equal(repeats(key(1), key(2), key(1)), true)
  t.equal(repeats(key(1), key(2), key(2)), true)
  t.equal(repeats(key(1), key(1), key(2)), true)
  t.equal(repeats(key(1), key(2), key(3)), false)
  t.equal(repeats(key(1)), false)
  for (let at = 0; at < 32; at++) t.equal(repeats(...alike(at)), false, `byte ${at}`)
  t.equal(repeatsKey(Buffer.concat([key(1), key(2), key(2)]), 0, 2), false, 'what follows the keys is none')
})

t.test('an index of a table is loaded once, whichever list or lookup names it', async (t) => {
  const lookup = (table: Buffer, writable: number[], readonly: number[]) =>
    Buffer.concat([table, Buffer.of(writable.length, ...writable, readonly.length, ...readonly)])
  const repeats = (...lookups: Buffer[]) =>
    repeatsLookup(Buffer.concat([Buffer.of(9), ...lookups]), 1, lookups.length)
  t.equal(repeats(lookup(key(1), [0, 1, 255], [2, 254])), false)
  t.equal(repeats(lookup(key(1), [0, 0], [])), true)
  t.equal(repeats(lookup(key(1), [], [255, 255])), true)
  t.equal(repeats(lookup(key(1), [3], [3])), true)
  t.equal(repeats(lookup(key(1), [3], []), lookup(key(2), [3], [])), false, 'another table')
  t.equal(repeats(lookup(key(1), [3], []), lookup(key(2), [4], []), lookup(key(1), [], [3])), true)
  t.equal(repeats(lookup(key(1), [3], []), lookup(key(2), [4], []), lookup(key(2), [], [4])), true)
  t.equal(repeats(lookup(key(2), [4], []), lookup(key(1), [3], [4]), lookup(key(1), [5], [6])), false)
  for (let at = 0; at < 32; at++) {
    const [one, other] = alike(at)
    t.equal(repeats(lookup(one, [3], []), lookup(other, [3], [])), false, `byte ${at}`)
  }
  t.equal(repeats(), false)
})
