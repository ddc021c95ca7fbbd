import t from 'tap'
import { CancellationScope, GATEWAY } from '../../../src/flow/cancellation.ts'
import { type CacheBounds, Coalescer } from '../../../src/upstream/answers/coalescing.ts'
import { clockOf } from '../../fixtures/clock.ts'

interface Started {
  readonly scope: CancellationScope
  land(value: object): void
  crash(error: Error): void
}

function airport(
  keepMs: number | ((answer: object) => number) = 2_000,
  room: CacheBounds<object> | null = null,
) {
  // Not 0, which the cache takes for no time at all.
  let now = 1
  const flights = new Coalescer<object>(keepMs, clockOf({ now: () => now }), room)
  const started: Started[] = []
  const leave: (() => void)[] = []
  const join = (key: string): Promise<object> => {
    const scope = new CancellationScope()
    leave.push(() => scope.cancel())
    return flights.join(
      key,
      scope,
      (shared) => new Promise((land, crash) => started.push({ scope: shared, land, crash })),
    )
  }
  return {
    flights,
    join,
    started,
    leave,
    has: (key: string) => flights.has(key),
    wait: (ms: number) => (now += ms),
  }
}

t.test('identical requests share one answer, for as long as it is kept', async (t) => {
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

t.test('a failure is shared by those that wait, and not kept', async (t) => {
  const { join, started } = airport()
  const both = [join('a'), join('a')]
  const crash = new Error('down')
  started[0]!.crash(crash)
  for (const pending of both) await t.rejects(pending, crash)
  join('a')
  t.equal(started.length, 2)
})

t.test('without caching, only concurrent requests share an answer', async (t) => {
  const { join, started, has } = airport(0)
  const both = [join('a'), join('a')]
  started[0]!.land({})
  await Promise.all(both)
  t.notOk(has('a'))
  join('a')
  t.equal(started.length, 2)
})

t.test('what one client asked too much for is asked again on the account of the others', async (t) => {
  const flights = new Coalescer<{ by: string }>(2_000)
  const accounts: string[] = []
  /** A flight that alice's calls were refused in, and nobody else's. */
  const fly = async (shared: CancellationScope): Promise<{ by: string }> => {
    accounts.push(shared.client)
    await null
    if (shared.client === 'alice') shared.fork().markThrottled()
    if (shared.client === 'alice' && accounts.length === 1) throw new Error('too much')
    return { by: shared.client }
  }
  const alice = new CancellationScope('alice')
  const failed = flights.join('a', alice, fly)
  const bobs = flights.join('a', new CancellationScope('bob'), fly)
  const carols = flights.join('a', new CancellationScope('carol'), fly)
  await t.rejects(failed, { message: 'too much' })
  t.ok(alice.isThrottled, 'who asked is told')
  t.same(await bobs, { by: 'bob' })
  t.equal(await carols, await bobs, 'the others share one again')
  t.same(accounts, ['alice', 'bob'])

  const kept = await flights.join('b', alice, fly)
  t.same(kept, { by: 'alice' })
  t.equal(
    await flights.join('b', new CancellationScope('alice'), fly),
    kept,
    'her own client has it while it is kept',
  )
  t.ok(flights.has('b', 'alice'))
  t.notOk(flights.has('b', 'bob'))
  const another = new CancellationScope('bob')
  t.same(await flights.join('b', another, fly), { by: 'bob' })
  t.notOk(another.isThrottled)
  t.same(
    await flights.join('b', new CancellationScope('alice'), fly),
    { by: 'bob' },
    'what is whole is for all',
  )
})

t.test('is cancelled when the last waiting client has left, not before', async (t) => {
  const { join, started, leave } = airport()
  join('a')
  join('a')
  leave[0]!()
  t.notOk(started[0]!.scope.isCancelled)
  leave[1]!()
  t.ok(started[0]!.scope.isCancelled)
  const again = join('a')
  t.equal(started.length, 2, 'nobody joins a flight that was called off')
  started[0]!.land({ isLate: true })
  started[1]!.land({})
  t.same([await again, await join('a')], [{}, {}], 'nor has its answer, should it still come')
})

t.test('a client that has already left is not waited for', async (t) => {
  const flights = new Coalescer<object>(2_000)
  const gone = new CancellationScope()
  gone.cancel()
  let flight: CancellationScope | null = null
  flights.join('a', gone, (cancel) => {
    flight = cancel
    return new Promise(() => {})
  })
  t.ok(flight!.isCancelled)
  t.notOk(flights.has('a'))
})

t.test('leaving after the answer changes nothing', async (t) => {
  const { join, started, leave } = airport()
  const pending = join('a')
  started[0]!.land({})
  await pending
  leave[0]!()
  t.notOk(started[0]!.scope.isCancelled)
  await join('a')
  t.equal(started.length, 1)
})

t.test('reports whether there is something to join', async (t) => {
  const { join, started, leave, has, wait } = airport()
  t.notOk(has('a'))
  const pending = join('a')
  t.ok(has('a'), 'under way')
  wait(10_000)
  started[0]!.land({})
  await pending
  wait(2_000)
  t.ok(has('a'), 'at hand')
  wait(1)
  t.notOk(has('a'), 'too old')
  join('b')
  leave[1]!()
  t.notOk(has('b'), 'called off')
  const failing = join('c')
  started[2]!.crash(new Error('down'))
  await t.rejects(failing)
  t.notOk(has('c'), 'failed')
  t.equal(started.length, 3, 'asking begins nothing')
})

t.test('how long an answer is kept may depend on it', async (t) => {
  const { join, started, has, wait } = airport((answer) => ('isWhole' in answer ? 30_000 : 5_000))
  const both = [join('whole'), join('lacking')]
  started[0]!.land({ isWhole: true })
  started[1]!.land({})
  await Promise.all(both)
  wait(5_000)
  t.same([has('whole'), has('lacking')], [true, true])
  wait(1)
  t.same([has('whole'), has('lacking')], [true, false])
  wait(24_999)
  t.ok(has('whole'))
  wait(1)
  t.notOk(has('whole'))
})

t.test('the answers that are kept fit into their room', async (t) => {
  const bytesOf = (answer: object): number => (answer as Buffer).length
  const { join, started, has } = airport(2_000, { maxBytes: 100, bytesOf })
  const land = async (key: string, bytes: number): Promise<void> => {
    const pending = join(key)
    started.at(-1)!.land(Buffer.alloc(bytes))
    t.equal(bytesOf(await pending), bytes, 'every caller has it')
  }
  await land('a', 40)
  await land('b', 40)
  t.same(['a', 'b'].map(has), [true, true])
  join('a')
  await land('c', 40)
  t.same(['a', 'b', 'c'].map(has), [true, false, true], 'what was used longest ago gives way')
  await land('d', 101)
  t.same(['a', 'c', 'd'].map(has), [true, true, false], 'what is larger than all the room is not kept')
  const pending = join('e')
  t.same(['a', 'c', 'e'].map(has), [true, true, true], 'what is under way takes next to none')
  started.at(-1)!.land(Buffer.alloc(100))
  await pending
  t.same(['a', 'c', 'e'].map(has), [false, false, true])
})

t.test('two thousand keys are kept, however few bytes they have', async (t) => {
  for (const bounds of [null, { maxBytes: 1_000_000, bytesOf: () => 1 }]) {
    const { join, started, has } = airport(2_000, bounds)
    for (let i = 0; i <= 2_000; i++) {
      const pending = join(`${i}`)
      started.at(-1)!.land({})
      await pending
      if (i === 1_999) t.ok(has('0'))
    }
    t.same(['0', '1', '2000'].map(has), [false, true, true])
  }
})

t.test('a flight is charged to the client that began it', async (t) => {
  const flights = new Coalescer<object>(1)
  const clients: string[] = []
  const join = (scope: CancellationScope | null) =>
    flights.join('key', scope, async ({ client }) => {
      clients.push(client)
      return {}
    })
  await Promise.all([join(new CancellationScope('one')), join(new CancellationScope('two'))])
  t.same(clients, ['one'])
})

t.test('a flight that was begun before a time is not joined, and its key goes to the next', async (t) => {
  let now = 1
  const flights = new Coalescer<object>(1_000, clockOf({ now: () => now }))
  const started: ((value: object) => void)[] = []
  const join = (since?: number) =>
    flights.join('a', null, () => new Promise((land) => started.push(land)), since)
  const first = join()
  now = 10
  t.equal(flights.cached('a', GATEWAY, 1), null)
  const second = join(2)
  t.equal(started.length, 2)
  started[1]!({ of: 10 })
  started[0]!({ of: 1 })
  t.same(await Promise.all([first, second, join(10)]), [{ of: 1 }, { of: 10 }, { of: 10 }])
  t.same(flights.cached('a', GATEWAY, 10), { of: 10 })
  t.equal(flights.cached('a', GATEWAY, 11), null)
  t.equal(started.length, 2)
})

t.test('an answer that is not kept serves only those that wait for it', async (t) => {
  const { join, started, has } = airport(0)
  const both = [join('a'), join('a')]
  started[0]!.land({})
  await Promise.all(both)
  t.notOk(has('a'))
  join('a')
  t.equal(started.length, 2)
})

t.test('an answer that grows after it was given is counted again', async (t) => {
  const sizes = new Map<object, number>()
  const room = { maxBytes: 100, bytesOf: (answer: object) => sizes.get(answer)! }
  const { flights, join, started, has, wait } = airport(2_000, room)
  const land = async (key: string): Promise<object> => {
    const answer = { key }
    sizes.set(answer, 10)
    const pending = join(key)
    started.at(-1)!.land(answer)
    await pending
    return answer
  }
  const [a, b] = [await land('a'), await land('b')]
  wait(500)
  sizes.set(b, 95)
  flights.reweigh('b', b)
  t.same(['a', 'b'].map(has), [false, true], 'the other gives way')
  t.equal(flights.cache.bytes, 95)
  flights.reweigh('a', a)
  t.equal(flights.size, 1, 'what is not kept does not come back')
  flights.reweigh('b', a)
  t.equal(flights.cache.bytes, 95, 'nor does an answer of before')
  wait(1_500)
  t.ok(has('b'), 'its time is as long as before')
  wait(1)
  flights.reweigh('b', b)
  t.equal(flights.size, 0, 'what nobody gets any more takes up no room')
  await land('c')
  sizes.set(await land('d'), 101)
  flights.reweigh('d', await join('d'))
  t.same(['c', 'd'].map(has), [true, false])
})

t.test('its state before the first question', async (t) => {
  const none = { asked: 0, coalesced: 0, cached: 0, entries: 0 }
  t.same(new Coalescer<object>(1).cache, { ...none, bytes: null })
  t.same(airport(1, { maxBytes: 9, bytesOf: () => 1 }).flights.cache, { ...none, bytes: 0 })
})
