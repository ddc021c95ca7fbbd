import t from 'tap'
import { inPieces, joinInPieces, LoopShare, ownTurn, PIECE_BYTES } from '../../src/flow/loop-share.ts'
import { clockOf } from '../fixtures/clock.ts'
import fc from '../fixtures/fast-check.ts'

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

t.test('of those that wait, the one that is due first goes first, and equals in their order', async (t) => {
  let now = 0
  let turn = (): void => {}
  const share = new LoopShare({
    nextTurn: (callback) => (turn = callback),
    clock: clockOf({ now: () => now }),
  })
  const gone: string[] = []
  const wait = (name: string, dueAt?: number) => void share.wait(dueAt).then(() => gone.push(name))
  wait('whenever')
  wait('late', 900)
  now = 5
  wait('early', 100)
  wait('late too', 900)
  wait('whenever too')
  t.equal(share.waitMs, 5, 'the longest, not the next')
  for (let i = 0; i < 5; i++) {
    turn()
    await new Promise(setImmediate)
  }
  t.same(gone, ['early', 'late', 'late too', 'whenever', 'whenever too'])
  t.equal(share.waitMs, 0)
})

t.test('a share that is a part of the turn grows with it, for as many as it lasts for', async (t) => {
  let now = 0
  let turn = (): void => {}
  const clock = clockOf({ now: () => now })
  const share = new LoopShare({ nextTurn: (callback) => (turn = callback), part: 0.25, clock })
  const done: number[] = []
  const work = async (name: number): Promise<void> => {
    if (share.isUsedUp) await share.wait()
    share.spend(1)
    done.push(name)
  }
  const all = [1, 2, 3, 4, 5, 6, 7].map(work)
  t.same(done, [1], 'the share is a millisecond at first')
  now += 12
  t.equal(share.waitMs, 12, 'as long as the others wait')
  turn()
  await new Promise(setImmediate)
  t.same(done, [1, 2, 3, 4], 'a quarter of 12 ms')
  turn()
  await new Promise(setImmediate)
  t.same(done, [1, 2, 3, 4, 5], 'and of a short turn the millisecond')
  now += 1_000
  turn()
  await Promise.all(all)
  t.equal(share.waitMs, 0)
  share.spend(37.9)
  t.notOk(share.isUsedUp)
  share.spend(0.1)
  t.ok(share.isUsedUp, 'never more than 40 ms')
})
