import t from 'tap'
import type { Cancel } from '../../src/providers/exchange.ts'
import { Flights } from '../../src/quotes/flights.ts'

interface Started {
  readonly cancel: Cancel
  land(value: object): void
  crash(error: Error): void
}

function airport(keepMs = 2_000) {
  let now = 0
  const flights = new Flights<object>(keepMs, () => now)
  const started: Started[] = []
  const leave: (() => void)[] = []
  const join = (key: string): Promise<object> =>
    flights.join(
      key,
      (callback) => leave.push(callback),
      (cancel) => new Promise((land, crash) => started.push({ cancel, land, crash })),
    )
  return { join, started, leave, wait: (ms: number) => (now += ms) }
}

t.test('those who ask the same share one answer, for as long as it is kept', async (t) => {
  const { join, started, wait } = airport()
  const both = [join('a'), join('a')]
  const other = join('b')
  t.equal(started.length, 2)
  wait(10_000)
  both.push(join('a'))
  t.equal(started.length, 2, 'a flight is not forgotten while it is under way')
  const value = { price: 1 }
  started[0]!.land(value)
  started[1]!.land({})
  t.ok((await Promise.all(both)).every((answer) => answer === value))
  await other
  wait(2_000)
  t.equal(await join('a'), value)
  wait(1)
  join('a')
  t.equal(started.length, 3)
})

t.test('a failure is shared by those who wait, and kept for nobody', async (t) => {
  const { join, started } = airport()
  const both = [join('a'), join('a')]
  const crash = new Error('down')
  started[0]!.crash(crash)
  for (const pending of both) await t.rejects(pending, crash)
  join('a')
  t.equal(started.length, 2)
})

t.test('is called off when the last who waits has left, not before', async (t) => {
  const { join, started, leave } = airport()
  join('a')
  join('a')
  leave[0]!()
  t.notOk(started[0]!.cancel.isCancelled)
  leave[1]!()
  t.ok(started[0]!.cancel.isCancelled)
  join('a')
  t.equal(started.length, 2, 'nobody joins a flight that was called off')
})

t.test('leaving after the answer changes nothing', async (t) => {
  const { join, started, leave } = airport()
  const pending = join('a')
  started[0]!.land({})
  await pending
  leave[0]!()
  t.notOk(started[0]!.cancel.isCancelled)
  await join('a')
  t.equal(started.length, 1)
})
