import t from 'tap'
import type { Priority } from '../../../src/flow/call.ts'
import { Governor } from '../../../src/upstream/admission/governor.ts'
import { clockOf } from '../../fixtures/clock.ts'
import fc from '../../fixtures/fast-check.ts'

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

t.test('the token list and decimals stand between quotes and research', async (t) => {
  const granted = (...priorities: Priority[]): number[] => {
    const governor = new Governor({ calls: 100, windowMs: 10_000 }, clockOf({ now: () => 0 }))
    return priorities.map((priority) => {
      let count = 0
      while (governor.admit(priority) === 0) count++
      return count
    })
  }
  t.same(granted('research', 'list', 'quote', 'decimals', 'build'), [50, 15, 15, 10, 10])
})

t.test(
  'a client that is alone takes half at once and then what flows in; the next finds its share',
  async (t) => {
    let now = 0
    const governor = new Governor({ calls: 75, windowMs: 7_200_000 }, clockOf({ now: () => now }))
    const granted = (client: string, most = 100): number => {
      let count = 0
      while (count < most && governor.admit('quote', client) === 0) count++
      return count
    }
    t.equal(granted('greedy'), 37)
    t.equal(granted('next', 15), 15)
    t.equal(granted('greedy'), 0, 'while others want it, a fifth is all')
    now += 96_000
    t.equal(governor.admit('quote', 'other'), 0)
  },
)

t.test('at the lowest priority, even a single client leaves something', async (t) => {
  const governor = new Governor({ calls: 300, windowMs: 60_000 }, clockOf({ now: () => 0 }))
  const granted = (client: string): number => {
    let count = 0
    while (governor.admit('research', client) === 0) count++
    return count
  }
  t.equal(granted('greedy'), 75)
  t.equal(granted('next'), 60, 'a whole share')
  t.equal(granted('another'), 15, 'the rest above the reserve')
})

t.test('research of many clients at twenty a second never keeps the token list waiting', (t) => {
  let now = 0
  const governor = new Governor({ calls: 30, windowMs: 60_000 }, clockOf({ now: () => now }))
  const granted = { research: 0, list: 0, refused: 0 }
  for (; now < 3_600_000; now += 50) {
    if (governor.admit('research', `client ${now % 350}`) === 0) granted.research++
    // What it asks for at once, and one more than half of the quota over a minute.
    const count = now % 60_000 === 0 ? 4 : now % 5_000 === 0 ? 1 : 0
    for (let i = 0; i < count; i++) {
      if (governor.admit('list') === 0) granted.list++
      else granted.refused++
    }
  }
  t.same({ ...granted, research: 0 }, { research: 0, list: 60 * 15, refused: 0 })
  t.ok(granted.research >= 60 * 14, `${granted.research}`)
  t.end()
})

t.test('no client takes more than a fifth while others ask, and as much again for builds', async (t) => {
  let now = 0
  const governor = new Governor({ calls: 100, windowMs: 10_000 }, clockOf({ now: () => now }))
  const counts = { a: 0, b: 0, builds: 0 }
  for (; now < 100_000; now += 10) {
    if (governor.admit('quote', 'a') === 0) counts.a++
    if (now % 1_000 === 0 && governor.admit('quote', 'b') === 0) counts.b++
    if (governor.admit('build', 'a') === 0) counts.builds++
  }
  // Its bucket at first, then a fifth of what flows in; what it took before anybody else asked is one call.
  t.ok(counts.a <= 20 + 200 + 1, `${counts.a}`)
  t.ok(counts.builds <= 20 + 200 + 1, `${counts.builds}`)
  t.equal(counts.b, 100, 'a client that asks less than that is never refused')
})

t.test('a burst below the quota bounds what any window sees', async (t) => {
  let now = 0
  const governor = new Governor({ calls: 40, windowMs: 10_000, burst: 40 }, clockOf({ now: () => now }))
  const at: number[] = []
  for (; now < 60_000; now += 50) if (governor.admit('build') === 0) at.push(now)
  const most = Math.max(...at.map((from) => at.filter((ms) => ms >= from && ms < from + 10_000).length))
  t.ok(most <= 80, `${most}`)
})

t.test('a client that was idle for a minute no longer counts as active', async (t) => {
  for (const [laterMs, granted] of [
    [59_999, 20],
    [60_000, 49],
  ] as const) {
    let now = 0
    const governor = new Governor({ calls: 100, windowMs: 7_200_000 }, clockOf({ now: () => now }))
    t.equal(governor.admit('quote', 'before'), 0)
    now += laterMs
    let count = 0
    while (governor.admit('quote', 'next') === 0) count++
    t.equal(count, granted)
  }
})

t.test('its state is the quota and the rest of it', async (t) => {
  const governor = new Governor({ calls: 10, windowMs: 10_000, burst: 4 }, clockOf({ now: () => 0 }))
  t.same(governor.state, { calls: 10, windowMs: 10_000, burst: 4, left: 4, used: 0 })
  governor.admit('build')
  t.same(governor.state, { calls: 10, windowMs: 10_000, burst: 4, left: 3, used: 1 })
  t.equal(governor.left, 0.75)
})
