import t from 'tap'
import { headOf, Pieces } from '../../src/flow/pieces.ts'
import { cutAt } from '../fixtures/cuts.ts'
import fc from '../fixtures/fast-check.ts'

t.test('pieces have the bytes of the whole, wherever it is cut', async () => {
  const offsets = fc.array(fc.nat(60), { maxLength: 6 })
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), offsets, fc.nat(70), fc.nat(70), (array, cuts, a, b) => {
      const whole = Buffer.from(array)
      const pieces = new Pieces(cutAt(whole, cuts))
      const [start, end] = a < b ? [a, b] : [b, a]
      const slice = pieces.slice(start, end)
      const expected = whole.subarray(start, end)
      return (
        pieces.length === whole.length &&
        slice.length === expected.length &&
        Buffer.concat(slice.parts).equals(expected) &&
        slice.parts.every(({ buffer }) => buffer === whole.buffer) &&
        pieces.bytes(start, end).equals(expected) &&
        headOf(pieces, a).equals(headOf(whole, a))
      )
    }),
  )
})

t.test('one part is not copied, and the memory behind all of them is known', async (t) => {
  const first = Buffer.alloc(100)
  const pieces = new Pieces([first.subarray(20, 60), Buffer.alloc(7)])
  t.equal(pieces.bytes(3, 40).buffer, first.buffer)
  t.equal(pieces.slice(0).parts[0], pieces.parts[0], 'a whole part is the same view')
  t.equal(pieces.memoryBytes, first.buffer.byteLength + 7)
})
