import t from 'tap'
import { CancellationScope } from '../../src/flow/cancellation.ts'
import { callOf } from '../fixtures/call.ts'
import { handClock } from '../fixtures/clock.ts'

t.test('a call has the rest of its deadline, and never less than zero', async (t) => {
  const clock = handClock()
  const call = callOf(1_000, null, 'quote', clock)
  clock.advance(400)
  t.equal(call.leftMs, 600)
  clock.advance(700)
  t.equal(call.leftMs, 0)
})

t.test('a step may take less than the whole, and never more', async (t) => {
  const clock = handClock()
  const call = callOf(1_000, null, 'quote', clock)
  t.equal(call.within(300).leftMs, 300)
  t.equal(call.within(5_000).leftMs, 1_000)
  clock.advance(800)
  t.equal(call.within(300).leftMs, 200)
  t.equal(call.within(-1).leftMs, 0)
})

t.test('a branch ends alone, or with its call, and keeps client, priority and deadline', async (t) => {
  const clock = handClock()
  const call = callOf(1_000, new CancellationScope('alice'), 'quote', clock)
  const [one, other] = [call.fork(), call.fork().as('research').within(10)]
  t.same([other.scope.client, other.priority, one.priority], ['alice', 'research', 'quote'])
  t.equal(one.deadlineAt, call.deadlineAt)
  one.scope.cancel()
  t.same(
    [one, other, call].map(({ scope }) => scope.isCancelled),
    [true, false, false],
  )
  call.scope.cancel()
  t.equal(other.scope.isCancelled, true)
})

t.test("without a scope it is the gateway's own, which nothing cancels", async (t) => {
  t.match(callOf().scope, { client: 'gateway', isCancelled: false, request: null })
})
