import fc from 'fast-check'
import t from 'tap'
import { Governor, type Priority } from '../../src/upstream/governor.ts'
import { clockOf } from '../fixtures/clock.ts'

t.test('grants the quota at once, then at its rate, and says when the next call is granted', async (t) => {
  let now = 0
  const governor = new Governor({ calls: 3, windowMs: 3_000 }, clockOf({ now: () => now }))
  t.same(
    [1, 2, 3].map(() => governor.admit('build')),
    [0, 0, 0],
  )
  t.equal(governor.admit('build'), 1_000)
  now = 999
  t.equal(governor.admit('build'), 1)
  now = 1_000
  t.equal(governor.admit('build'), 0)
  t.equal(governor.admit('build'), 1_000)
  now = 1e9
  t.same(
    [1, 2, 3, 4].map(() => governor.admit('build')),
    [0, 0, 0, 1_000],
    'rest does not pile up',
  )
})

t.test('research stops first, then quotes, and builds have the last of it', async (t) => {
  const governor = new Governor({ calls: 10, windowMs: 10_000 }, clockOf({ now: () => 0 }))
  const granted = (priority: Priority): number => {
    let count = 0
    while (governor.admit(priority) === 0) count++
    return count
  }
  t.equal(granted('research'), 5)
  t.equal(granted('quote'), 3)
  t.equal(granted('build'), 2)
})

t.test('the smallest quota serves every priority', async (t) => {
  for (const priority of ['build', 'quote', 'research'] as const) {
    const governor = new Governor({ calls: 1, windowMs: 2_000 }, clockOf({ now: () => 0 }))
    t.equal(governor.admit(priority), 0, priority)
    t.equal(governor.admit(priority), 2_000)
  }
})

t.test('never grants more than the quota and what flowed in, and its hint is kept', async () => {
  const step = fc.record({
    ms: fc.nat(5_000),
    priority: fc.constantFrom<Priority[]>('build', 'quote', 'research'),
  })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 90 }), fc.array(step, { maxLength: 200 }), (calls, steps) => {
      let now = 0
      const windowMs = 60_000
      const governor = new Governor({ calls, windowMs }, clockOf({ now: () => now }))
      let granted = 0
      for (const { ms, priority } of steps) {
        now += ms
        let waitMs = governor.admit(priority)
        if (waitMs > 0) {
          now += waitMs
          waitMs = governor.admit(priority)
          if (waitMs !== 0) return false
        }
        granted++
        if (granted > calls + (now * calls) / windowMs + 1e-6) return false
      }
      return true
    }),
  )
})
