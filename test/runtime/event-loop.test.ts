import t from 'tap'
import { EventLoop, watchStandingDelay } from '../../src/runtime/event-loop.ts'
import { handClock, until } from '../fixtures/clock.ts'

/** Holds the event loop, then lets it look around. */
async function hold(ms: number): Promise<void> {
  const endsAt = performance.now() + ms
  while (performance.now() < endsAt) {}
  await new Promise((resolve) => setTimeout(resolve, 50))
}

t.test('a delay is told for a whole minute, and no longer', async (t) => {
  const clock = handClock()
  const loop = new EventLoop(clock)
  t.teardown(() => loop.close())
  await hold(0)
  await hold(120)
  clock.advance(59_999)
  const first = loop.delay
  t.equal(first.windowMs, 59_999)
  t.ok(first.maxMs > 80 && first.p50Ms <= first.p99Ms && first.p99Ms <= first.maxMs, JSON.stringify(first))
  clock.advance(1)
  t.match(loop.delay, { windowMs: 60_000, maxMs: first.maxMs })
  clock.advance(59_999)
  t.equal(loop.delay.maxMs, first.maxMs, 'of the last whole minute')
  clock.advance(1)
  t.match(loop.delay, { windowMs: 60_000, p50Ms: 0, maxMs: 0 })
})

t.test('it waits for nothing once it is closed', async (t) => {
  const clock = handClock()
  const loop = new EventLoop(clock)
  t.equal(clock.waiting, 1)
  loop.close()
  t.equal(clock.waiting, 0)
})

t.test('a delay is standing where it never ends, and a long task is none', async (t) => {
  const told: number[] = []
  const delay = watchStandingDelay((standingMs) => told.push(standingMs))
  t.teardown(() => delay.close())
  const spin = (ms: number): void => {
    for (const endsAt = performance.now() + ms; performance.now() < endsAt; );
  }
  spin(250)
  t.equal(delay.nowMs(), 0, 'the turn before was not late')
  await until(() => told.length > 0)
  t.ok(told[0]! < 20, `one task of 250 ms: ${told[0]}`)

  let isOver = false
  let nowMs = 0
  const work = (): void => {
    if (isOver) return
    spin(80)
    nowMs = Math.max(nowMs, delay.nowMs())
    setImmediate(work)
  }
  work()
  // A window that the work was in from its beginning.
  const before = told.length
  await until(() => told.length >= before + 2)
  isOver = true
  t.ok(told[before + 1]! >= 60, `turns of 80 ms: ${told[before + 1]}`)
  t.ok(nowMs >= 60, `in the midst of one: ${nowMs}`)
})
