import t from 'tap'
import { joined } from '../../src/runtime/joined.ts'

t.test('those that ask while a task runs share one further run', async (t) => {
  let runs = 0
  let underWay = 0
  const ends: (() => void)[] = []
  const ask = joined(async () => {
    runs++
    t.equal(++underWay, 1, 'one at a time')
    await new Promise<void>((resolve) => ends.push(resolve))
    underWay--
  })
  const first = ask()
  await Promise.resolve()
  t.equal(runs, 1)
  const others = Array.from({ length: 300 }, () => ask())
  ends[0]!()
  await first
  await Promise.resolve()
  t.equal(runs, 2)
  ends[1]!()
  await Promise.all(others)
  t.equal(runs, 2)
})
