import t from 'tap'
import { CancellationScope, GATEWAY } from '../../../src/flow/cancellation.ts'
import { ConcurrencyLimiter, ConnectionSlots } from '../../../src/upstream/admission/concurrency.ts'
import { handClock } from '../../fixtures/clock.ts'
import fc from '../../fixtures/fast-check.ts'

const LONG_MS = 60_000

/** @returns whether the call got its slot */
const acquire = (
  limiter: ConcurrencyLimiter,
  client: string,
  slots: ConnectionSlots,
  waitMs: number,
  scope: CancellationScope | null,
): Promise<boolean> =>
  new Promise((onSettled) => limiter.acquire({ client, slots, waitMs, scope, onSettled }))

/** Lets promises that are settled tell. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

t.test("a client's calls in flight are bounded, and the next one waits for one of them", async (t) => {
  const limiter = new ConcurrencyLimiter({ client: 2, global: 100 })
  const slots = new ConnectionSlots(40)
  t.ok(limiter.tryAcquire('a', slots))
  t.ok(limiter.tryAcquire('a', slots))
  t.notOk(limiter.tryAcquire('a', slots))
  t.ok(limiter.tryAcquire('b', slots), 'another is not held up')
  const waiting = acquire(limiter, 'a', slots, LONG_MS, null)
  t.same(limiter.count, { used: 3, waiting: 1 })
  limiter.release('b', slots)
  await turn()
  t.same(limiter.count, { used: 2, waiting: 1 })
  limiter.release('a', slots)
  t.ok(await waiting)
  t.same(limiter.count, { used: 2, waiting: 0 })
})

t.test('calls that wait for an upstream take turns', async (t) => {
  const limiter = new ConcurrencyLimiter({ client: 8, global: 100 })
  const slots = new ConnectionSlots(1)
  t.ok(limiter.tryAcquire('a', slots))
  const order: string[] = []
  const waiting = ['a', 'a', 'a', 'b', 'c', 'b'].map((client) =>
    acquire(limiter, client, slots, LONG_MS, null).then((entered) => {
      t.ok(entered)
      order.push(client)
      limiter.release(client, slots)
    }),
  )
  limiter.release('a', slots)
  await Promise.all(waiting)
  t.same(order, ['a', 'b', 'c', 'a', 'b', 'a'])
  t.same(limiter.count, { used: 0, waiting: 0 })
})

t.test('what one call frees may let two begin', async (t) => {
  const limiter = new ConcurrencyLimiter({ client: 1, global: 100 })
  const [here, there] = [new ConnectionSlots(1), new ConnectionSlots(1)]
  t.ok(limiter.tryAcquire('a', here))
  const own = acquire(limiter, 'a', there, LONG_MS, null)
  const others = acquire(limiter, 'b', here, LONG_MS, null)
  limiter.release('a', here)
  t.same(await Promise.all([own, others]), [true, true])
})

t.test('a call that can begin does not wait behind one of its client that cannot', async (t) => {
  const limiter = new ConcurrencyLimiter({ client: 8, global: 100 })
  const [full, other] = [new ConnectionSlots(1), new ConnectionSlots(1)]
  t.ok(limiter.tryAcquire('b', full))
  t.ok(limiter.tryAcquire('b', other))
  const order: string[] = []
  const wait = (name: string, slots: ConnectionSlots): void =>
    limiter.acquire({
      client: 'a',
      slots,
      waitMs: LONG_MS,
      scope: null,
      onSettled: () => order.push(name),
    })
  wait('first', full)
  wait('second', other)
  wait('third', full)
  limiter.release('b', other)
  t.same(order, ['second'])
  t.same(limiter.count, { used: 2, waiting: 2 })
  limiter.release('b', full)
  t.same(order, ['second', 'first'])
  limiter.release('a', full)
  t.same(order, ['second', 'first', 'third'])
})

t.test('a client is known for as long as it has calls', async (t) => {
  const limiter = new ConcurrencyLimiter({ client: 1, global: 100 })
  const slots = new ConnectionSlots(40)
  const leave = new CancellationScope('a')
  t.ok(limiter.tryAcquire('a', slots))
  const left = [leave, leave].map((scope) => acquire(limiter, 'a', slots, LONG_MS, scope))
  t.same(limiter.clients, { known: 1, waiting: 1 })
  leave.cancel()
  t.same(await Promise.all(left), [false, false])
  t.same(limiter.clients, { known: 1, waiting: 0 })
  const entered = acquire(limiter, 'a', slots, LONG_MS, null)
  limiter.release('a', slots)
  t.ok(await entered)
  t.same(limiter.clients, { known: 1, waiting: 0 })
  limiter.release('a', slots)
  limiter.acquireOwn('b')
  t.same(limiter.clients, { known: 1, waiting: 0 })
  const refused = acquire(limiter, 'b', slots, LONG_MS, leave)
  limiter.releaseOwn('b')
  t.ok(await refused, 'a scope that was cancelled before is not asked')
  limiter.release('b', slots)
  t.same(limiter.clients, { known: 0, waiting: 0 })
  limiter.acquireOwn('b')
  limiter.releaseOwn('b')
  t.same(limiter.clients, { known: 0, waiting: 0 })
})

t.test('the last that waits may be the one that leaves, after its last call has ended', (t) => {
  const limiter = new ConcurrencyLimiter({ client: 8, global: 100 })
  const slots = new ConnectionSlots(1)
  t.ok(limiter.tryAcquire('b', slots))
  const scopes = [new CancellationScope('a'), new CancellationScope('a')]
  const ended: boolean[][] = [[], []]
  for (const [i, scope] of scopes.entries())
    limiter.acquire({
      client: 'a',
      slots,
      waitMs: LONG_MS,
      scope,
      onSettled: (isAcquired) => ended[i]!.push(isAcquired),
    })
  t.same(limiter.clients, { known: 2, waiting: 1 })
  scopes[1]!.cancel()
  t.same(ended, [[], [false]])
  scopes[0]!.cancel()
  t.same(ended, [[false], [false]])
  t.same(limiter.clients, { known: 1, waiting: 0 })
  t.end()
})

t.test('the gateway itself is bounded with all others only', async (t) => {
  const limiter = new ConcurrencyLimiter({ client: 1, global: 3 })
  const slots = new ConnectionSlots(40)
  for (let i = 0; i < 3; i++) t.ok(limiter.tryAcquire(GATEWAY, slots))
  t.notOk(limiter.tryAcquire('a', slots))
})

t.test('one timer ends all waits, each in its time', async (t) => {
  const clock = handClock()
  const limiter = new ConcurrencyLimiter({ client: 1, global: 100 }, clock)
  const slots = new ConnectionSlots(40)
  const ended: [client: string, isAcquired: boolean][] = []
  const wait = (client: string, waitMs: number): void => {
    limiter.acquire({
      client,
      slots,
      waitMs,
      scope: null,
      onSettled: (isAcquired) => ended.push([client, isAcquired]),
    })
  }
  for (const client of ['a', 'b', 'c']) t.ok(limiter.tryAcquire(client, slots))
  t.equal(clock.waiting, 0)
  wait('a', 200)
  wait('b', 100)
  wait('c', 300)
  wait('c', 100)
  t.equal(clock.waiting, 1)
  clock.advance(99)
  t.same(ended, [])
  clock.advance(1)
  t.same(ended, [
    ['b', false],
    ['c', false],
  ])
  t.same(limiter.count, { used: 3, waiting: 2 })
  limiter.release('c', slots)
  t.same(ended.slice(2), [['c', true]])
  clock.advance(99)
  t.equal(ended.length, 3)
  clock.advance(1)
  t.same(ended.slice(3), [['a', false]])
  t.equal(clock.waiting, 0, 'nothing waits')
  wait('a', 50)
  limiter.release('a', slots)
  t.same(ended.slice(4), [['a', true]])
  t.equal(clock.waiting, 0)
})

t.test('waiting ends: in time, when the caller leaves, and at once in too long a line', async (t) => {
  const clock = handClock()
  const limiter = new ConcurrencyLimiter({ client: 1, global: 100 }, clock)
  const slots = new ConnectionSlots(40)
  t.ok(limiter.tryAcquire('a', slots))
  const late = acquire(limiter, 'a', slots, 50, null)
  clock.advance(49)
  t.same(limiter.count, { used: 1, waiting: 1 })
  clock.advance(1)
  t.notOk(await late)
  const scope = new CancellationScope('a')
  const left = acquire(limiter, 'a', slots, LONG_MS, scope)
  scope.cancel()
  t.notOk(await left)
  const callers = Array.from({ length: 64 }, () => new CancellationScope('a'))
  const line = callers.map((scope) => acquire(limiter, 'a', slots, LONG_MS, scope))
  t.notOk(await acquire(limiter, 'a', slots, LONG_MS, null))
  for (const scope of callers) scope.cancel()
  t.same(await Promise.all(line), Array(64).fill(false))
  limiter.release('a', slots)
  t.same(limiter.count, { used: 0, waiting: 0 })
})

t.test('what a client keeps open takes its own places only, and even where none is free', async (t) => {
  const limiter = new ConcurrencyLimiter({ client: 2, global: 3 })
  const slots = new ConnectionSlots(40)
  limiter.acquireOwn('one')
  limiter.acquireOwn('one')
  t.same(limiter.count, { used: 0, waiting: 0 })
  t.notOk(limiter.tryAcquire('one', slots))
  for (let i = 0; i < 2; i++) t.ok(limiter.tryAcquire('two', slots))
  const waiting = acquire(limiter, 'one', slots, 60_000, null)
  limiter.releaseOwn('one')
  t.ok(await waiting)
  limiter.release('one', slots)
  limiter.releaseOwn('one')
  t.ok(limiter.tryAcquire('one', slots))
})

t.test('whatever comes and goes, no bound is exceeded and nobody waits for a free slot', async () => {
  const step = fc.record({
    client: fc.constantFrom('a', 'b', 'c'),
    slot: fc.nat(1),
    enters: fc.boolean(),
    which: fc.nat(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const limiter = new ConcurrencyLimiter({ client: 2, global: 4 })
      const slots = [new ConnectionSlots(2), new ConnectionSlots(3)] as const
      const under: { client: string; slots: ConnectionSlots }[] = []
      const waiting: Promise<boolean>[] = []
      for (const { client, slot, enters, which } of steps) {
        const at = slots[slot as 0 | 1]
        if (!enters && under.length > 0) {
          const [call] = under.splice(which % under.length, 1)
          limiter.release(call!.client, call!.slots)
        } else if (limiter.tryAcquire(client, at)) under.push({ client, slots: at })
        else {
          const entered = acquire(limiter, client, at, LONG_MS, null)
          waiting.push(entered)
          void entered.then(() => under.push({ client, slots: at }))
        }
        await turn()
        const used = (name: string) => under.filter(({ client }) => client === name).length
        if (['a', 'b', 'c'].some((name) => used(name) > 2)) return false
        if (under.length > 4 || slots.some(({ used, max }) => used > max)) return false
        if (limiter.count.used !== under.length) return false
        if (limiter.clients.waiting > 3 || (limiter.count.waiting === 0) !== (limiter.clients.waiting === 0))
          return false
      }
      while (under.length > 0) {
        const { client, slots } = under.pop()!
        limiter.release(client, slots)
        await turn()
      }
      await Promise.all(waiting)
      return limiter.count.used === 0 && limiter.count.waiting === 0 && limiter.clients.known === 0
    }),
    { numRuns: 50 },
  )
})
