import t from 'tap'
import { Retries } from '../../../src/relay/submissions/retries.ts'

t.test('each round spends one, and none is left after the last', async (t) => {
  const retries = new Retries(2)
  t.same([retries.take(), retries.left], [true, 1])
  t.same([retries.take(), retries.left], [true, 0])
  t.same([retries.take(), retries.left], [false, 0])
})

t.test('nodes that lag together spend one', async (t) => {
  const retries = new Retries(3)
  t.same([retries.takeForLag(), retries.takeForLag(), retries.left], [true, true, 2])
  const spent = new Retries(0)
  t.same([spent.takeForLag(), spent.left], [false, 0])
})

t.test('all that are left are handed over at once', async (t) => {
  const retries = new Retries(3)
  retries.take()
  t.same([retries.handOver(), retries.left, retries.take()], [2, 0, false])
})
