import { once } from 'node:events'
import t from 'tap'
import { clockOf, sinceMs } from '../../../src/gateway/threads/since.ts'
import { startClockThread } from '../../fixtures/since-thread.ts'

t.test("a worker's clock shows the primary's time", async (t) => {
  const worker = startClockThread(sinceMs())
  t.teardown(() => worker.terminate())
  await once(worker, 'message')
  const own = clockOf(sinceMs())
  for (let i = 0; i < 5; i++) {
    const before = own.now()
    worker.postMessage('now?')
    const [theirs] = (await once(worker, 'message')) as [number]
    const after = own.now()
    // The error of two measurements.
    t.ok(before - 1 <= theirs && theirs <= after + 1, `${before} ${theirs} ${after}`)
  }
})
