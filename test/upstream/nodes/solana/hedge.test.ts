import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { CancellationScope } from '../../../../src/flow/cancellation.ts'
import { createUpstreamContext } from '../../../../src/upstream/context.ts'
import { Clusters } from '../../../../src/upstream/nodes/solana/clusters.ts'
import { HedgeAllowance, Latencies } from '../../../../src/upstream/nodes/solana/hedge.ts'
import { SolanaReads } from '../../../../src/upstream/nodes/solana/reads.ts'
import { SlotPace } from '../../../../src/upstream/nodes/solana/slot-pace.ts'
import { Upstream } from '../../../../src/upstream/upstream.ts'
import { callOf } from '../../../fixtures/call.ts'
import { clockOf } from '../../../fixtures/clock.ts'
import {
  answers,
  type Behaviour,
  type HostileUpstream,
  hostileUpstream,
  resets,
} from '../../../fixtures/hostile-upstream.ts'

/** Reads over these nodes, by a clock that stands still: what they usually take is no time. */
function readsOver(t: Test, upstreams: readonly HostileUpstream[]) {
  const clock = clockOf({ now: () => 1_000 })
  const context = createUpstreamContext({ clock })
  const nodes = upstreams.map(
    ({ url }, i) => new Upstream({ label: `solana-${i + 1}`, url, maxBytes: 10_000, context }),
  )
  const reads = new SolanaReads({
    nodes,
    clusters: new Clusters(nodes, () => {}),
    clock,
    maxBehindMs: 2_000,
    pace: new SlotPace(clock, 1),
  })
  t.teardown(() => Promise.all(nodes.map((node) => node.close())))
  const ask = { method: 'getBalance', paramsJson: '["x"]', minSlot: 0 } as const
  return {
    reads,
    context,
    nodes,
    read: async (deadlineMs = 60_000) => {
      const { result } = await reads.read(ask, callOf(deadlineMs, new CancellationScope('a'), 'build', clock))
      return result?.toString()
    },
  }
}

/** Answers when it is told to. */
function patient(member: string): { behaviour: Behaviour; answer: () => void } {
  const waiting: (() => void)[] = []
  return {
    behaviour: (socket, request) => waiting.push(() => answers(member)(socket, request)),
    answer: () => {
      for (const answer of waiting.splice(0)) answer()
    },
  }
}

const ONE = '"result":1'
const TWO = '"result":2'

t.test(
  'a read that takes longer than usual is asked of the next node too, and the first answer counts',
  async (t) => {
    const [first, second] = [await hostileUpstream(t, answers(ONE)), await hostileUpstream(t, answers(TWO))]
    const { reads, read, context, nodes } = readsOver(t, [first, second])
    for (let i = 0; i < 40; i++) t.equal(await read(), '1')
    t.same([second.requests.length, reads.hedges], [0, { asked: 0, won: 0 }])

    const { open } = first
    const slow = patient(ONE)
    first.behaviour = slow.behaviour
    t.equal(await read(), '2')
    t.same([first.requests.length, second.requests.length, reads.hedges], [41, 1, { asked: 1, won: 1 }])
    t.equal(first.requests.at(-1)!.body, second.requests[0]!.body, 'the same bytes')

    // The other is read to its end, and until then has its place and its connection.
    t.equal(context.calls.count.used, 1)
    slow.answer()
    while (context.calls.count.used > 0) await turn()
    t.equal(first.open, open)
    t.match(nodes[0]!.state, { state: 'ok', failures: 0 })

    // And it may still be the first.
    const late = patient(TWO)
    second.behaviour = late.behaviour
    const both = read()
    while (second.requests.length < 2) await turn()
    slow.answer()
    t.equal(await both, '1')
    late.answer()
    while (context.calls.count.used > 0) await turn()
    t.same(reads.hedges, { asked: 2, won: 1 })
  },
)

t.test('a second call that fails, or says nothing, changes nothing', async (t) => {
  const behind = answers('"error":{"code":-32005,"message":"behind"}')
  for (const behaviour of [resets, behind]) {
    const [first, second] = [await hostileUpstream(t, answers(ONE)), await hostileUpstream(t, behaviour)]
    const { reads, read } = readsOver(t, [first, second])
    for (let i = 0; i < 40; i++) await read()
    const slow = patient(ONE)
    first.behaviour = slow.behaviour
    const answer = read()
    while (second.requests.length === 0) await turn()
    slow.answer()
    t.equal(await answer, '1')
    t.same(reads.hedges, { asked: 1, won: 0 })
  }
})

t.test('a node that gets no calls is passed over', async (t) => {
  const [first, second, third] = [
    await hostileUpstream(t, answers(ONE)),
    await hostileUpstream(t, answers(TWO)),
    await hostileUpstream(t, answers('"result":3')),
  ]
  const { reads, read, nodes } = readsOver(t, [first, second, third])
  for (let i = 0; i < 40; i++) await read()
  nodes[1]!.bar('wrong_cluster')
  first.behaviour = patient(ONE).behaviour
  t.equal(await read(), '3')
  t.same([second.requests.length, reads.hedges], [0, { asked: 1, won: 1 }])
})

t.test('if the first fails in the meantime, the next is not asked twice', async (t) => {
  const late = patient(TWO)
  const [first, second] = [await hostileUpstream(t, answers(ONE)), await hostileUpstream(t, late.behaviour)]
  const { read } = readsOver(t, [first, second])
  for (let i = 0; i < 40; i++) await read()
  let fail = () => {}
  first.behaviour = (socket) => {
    fail = () => socket.end('HTTP/1.1 500 x\r\ncontent-length: 0\r\n\r\n')
  }
  const answer = read()
  while (second.requests.length === 0) await turn()
  fail()
  for (let i = 0; i < 20; i++) await turn()
  late.answer()
  t.equal(await answer, '2')
  t.equal(second.requests.length, 1)
})

t.test('of a hundred reads five are asked twice at most', async (t) => {
  const [first, second] = [await hostileUpstream(t, answers(ONE)), await hostileUpstream(t, answers(TWO))]
  const { reads, read } = readsOver(t, [first, second])
  for (let i = 0; i < 40; i++) await read()
  // Every answer takes longer than usual from here on, and until the second call has arrived.
  first.behaviour = (socket, request) => {
    const answer = (): void => {
      if (second.requests.length < reads.hedges.asked) setTimeout(answer, 1)
      else answers(ONE)(socket, request)
    }
    setTimeout(answer, 10)
  }
  for (let i = 0; i < 60; i++) await read()
  t.ok(reads.hedges.asked >= 3, `${reads.hedges.asked}`)
  t.ok(reads.hedges.asked <= 5, `${reads.hedges.asked}`)
  t.equal(second.requests.length, reads.hedges.asked)
})

t.test('the allowance is a twentieth of the reads, of which ten are saved', async (t) => {
  const allowance = new HedgeAllowance()
  t.notOk(allowance.spend())
  const spent = Array.from({ length: 1_000 }, () => {
    allowance.earn()
    return allowance.spend()
  }).filter(Boolean)
  t.equal(spent.length, 50)
  for (let i = 0; i < 10_000; i++) allowance.earn()
  t.equal(Array.from({ length: 20 }, () => allowance.spend()).filter(Boolean).length, 10)
})

t.test('the 95th percentile is at most a quarter too high, and follows what changes', async (t) => {
  const latencies = new Latencies()
  for (let i = 0; i < 39; i++) latencies.add(10)
  t.equal(latencies.p95, null, 'of fewer than forty it is not known')
  latencies.add(10)
  t.ok(latencies.p95! >= 10 && latencies.p95! <= 12.5)
  for (let i = 0; i < 2; i++) latencies.add(400)
  t.ok(latencies.p95! <= 12.5, 'two of 42 are slower')
  latencies.add(400)
  t.ok(latencies.p95! >= 400 && latencies.p95! <= 500)
  for (let i = 0; i < 3_000; i++) latencies.add(3)
  t.ok(latencies.p95! >= 3 && latencies.p95! <= 3.75)
  for (let i = 0; i < 3_000; i++) latencies.add(1e9)
  t.ok(latencies.p95! < 60_000, 'what takes for ever counts as half a minute')
  for (let i = 0; i < 3_000; i++) latencies.add(0)
  t.equal(latencies.p95, 1)
})
