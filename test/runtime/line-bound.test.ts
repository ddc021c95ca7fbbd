import t from 'tap'
import { LineBound } from '../../src/runtime/line-bound.ts'
import { handClock } from '../fixtures/clock.ts'

t.test("a client's lines per second are bounded, and dropped lines are counted", async (t) => {
  const clock = handClock()
  const told: [client: string, lines: number][] = []
  const bound = new LineBound(2, clock, (...all) => told.push(all))
  const admitted = (client: string) => [1, 2, 3, 4].map(() => bound.admits(client))
  t.same(admitted('a'), [true, true, false, false])
  t.same([bound.admits('b'), bound.admits('b')], [true, true])
  clock.advance(999)
  t.same(told, [])
  clock.advance(1)
  t.same(told, [['a', 2]], 'b has lost nothing')
  t.same(admitted('a'), [true, true, false, false])
  clock.advance(1_000)
  t.equal(told.length, 2)
  const off = new LineBound(Infinity, clock, () => t.fail())
  t.ok(Array.from({ length: 1_000 }, () => off.admits('a')).every(Boolean))
})
