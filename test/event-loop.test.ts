import t from 'tap'
import { EventLoop } from '../src/event-loop.ts'
import { handClock } from './fixtures/clock.ts'

/** Holds the event loop, then lets it look around. */
async function hold(ms: number): Promise<void> {
  const until = performance.now() + ms
  while (performance.now() < until) {}
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
