import t from 'tap'
import { CLOCK } from '../../src/runtime/clock.ts'

t.test('what is due already runs next, without a warning', async (t) => {
  const warnings: string[] = []
  // Node names each warning of its timers so; others, of the tests' loader, may come meanwhile.
  const note = ({ name }: Error) => name.startsWith('Timeout') && warnings.push(name)
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  await new Promise<void>((resolve) => {
    // The clock's timer does not keep the process alive.
    const alive = setInterval(() => {}, 1_000)
    CLOCK.after(-0.05, () => {
      clearInterval(alive)
      resolve()
    })
  })
  await new Promise(setImmediate)
  t.same(warnings, [])
})
