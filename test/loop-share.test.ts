import fc from 'fast-check'
import t from 'tap'
import { inPieces, joinInPieces, ownTurn, PIECE_BYTES } from '../src/loop-share.ts'
import { clockOf } from './fixtures/clock.ts'

t.test('parts that are joined in pieces are what they are joined at once', async (t) => {
  const part = fc
    .tuple(fc.nat(2 * PIECE_BYTES), fc.nat(255))
    .map(([length, byte]) => Buffer.alloc(length, byte))
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) =>
      (await joinInPieces(parts)).equals(Buffer.concat(parts)),
    ),
    { numRuns: 40, examples: [[[]], [[Buffer.alloc(0), Buffer.from('a')]]] },
  )
  t.pass()
})

t.test('long work leaves the loop to others between its pieces', async (t) => {
  let turns = 0
  let pieces = 0
  let isDone = false
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  let now = 0
  const clock = clockOf({ now: () => (now += 2) })
  await inPieces(() => ++pieces < 20, clock)
  isDone = true
  t.equal(pieces, 20)
  t.ok(turns >= 15, `${turns} turns`)
  await ownTurn()
})
