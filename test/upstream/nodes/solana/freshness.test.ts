import t from 'tap'
import { Freshness } from '../../../../src/upstream/nodes/solana/freshness.ts'
import { CONFIRMED, FINALIZED, PROCESSED } from '../../../../src/upstream/nodes/solana/slots.ts'
import type { Upstream } from '../../../../src/upstream/upstream.ts'
import { handClock } from '../../../fixtures/clock.ts'

/** What Freshness needs to know of a node. */
interface Node {
  readonly name: string
  readonly host: string
  isBarred: boolean
}

/** @param names  one letter each */
function nodesOf(names: string, hosts = names) {
  const clock = handClock()
  const pace = { slotMs: 200 }
  const nodes = [...names].map((name, i): Node => ({ name, host: hosts[i]!, isBarred: false }))
  const freshness = new Freshness(nodes as unknown as Upstream[], { clock, maxBehindMs: 2_000, pace })
  const at = (name: string) => nodes.find((node) => node.name === name) as unknown as Upstream
  const namesOf = (found: readonly Upstream[]) => found.map((node) => (node as unknown as Node).name).join('')
  return {
    clock,
    pace,
    nodes,
    saw: (name: string, slot: number, level: 0 | 1 | 2 = PROCESSED) => freshness.saw(at(name), level, slot),
    isBehind: (name: string) => freshness.isBehind(at(name)),
    order: (level: 0 | 1 | 2 = PROCESSED, slot = 0, last = '') =>
      namesOf(freshness.order(level, slot, (node) => last.includes((node as unknown as Node).name))),
    due: () => namesOf(freshness.due()),
  }
}

t.test('a node is behind when it has been for two seconds by more than two seconds', async (t) => {
  for (const slotMs of [400, 200, 100]) {
    const { clock, pace, saw, isBehind, order } = nodesOf('ab')
    pace.slotMs = slotMs
    const limit = 2_000 / slotMs
    const answer = (a: number, b: number) => {
      saw('a', a)
      saw('b', b)
    }
    for (let i = 0; i < 3; i++) {
      answer(100 + i * limit, 100 + (i + 1) * limit)
      clock.advance(2_000)
    }
    t.notOk(isBehind('a'), 'two seconds are no more than two')
    answer(100 + 3 * limit, 101 + 4 * limit)
    clock.advance(1_999)
    answer(99 + 4 * limit, 100 + 5 * limit)
    t.notOk(isBehind('a'))
    t.equal(order(), 'ab')
    clock.advance(1)
    answer(100 + 4 * limit, 101 + 5 * limit)
    t.ok(isBehind('a'), `${limit} slots`)
    t.equal(order(), 'ba')
    answer(101 + 4 * limit, 101 + 5 * limit)
    t.notOk(isBehind('a'), 'it has caught up')
  }
})

t.test('answers of different moments are compared by the pace; one alone says nothing', async (t) => {
  const { clock, saw, isBehind } = nodesOf('ab')
  let slot = 100
  const round = (behind: number) => {
    saw('a', slot)
    clock.advance(1_000)
    saw('b', slot + 5 + behind)
    clock.advance(1_000)
    slot += 10
  }
  for (let i = 0; i < 3; i++) round(10)
  t.notOk(isBehind('a'), 'it was asked a second before')
  for (let i = 0; i < 3; i++) round(12)
  t.ok(isBehind('a'))
  clock.advance(2_001)
  saw('a', slot + 20)
  t.ok(isBehind('a'), 'nobody else has answered recently')
  clock.advance(1_000)
  saw('b', slot + 25)
  t.notOk(isBehind('a'))
})

t.test('a node of another cluster is not a measure', async (t) => {
  const { clock, nodes, saw, isBehind } = nodesOf('ab')
  nodes[1]!.isBarred = true
  for (let i = 0; i < 2; i++) {
    saw('b', 1_000)
    saw('a', 100)
    clock.advance(2_000)
  }
  t.notOk(isBehind('a'))
})

t.test('of three hosts, one that is ahead of the others is not their measure', async (t) => {
  const rounds = ({ clock, saw }: ReturnType<typeof nodesOf>, slots: Record<string, number>) => {
    for (let i = 0; i < 3; i++) {
      for (const [name, slot] of Object.entries(slots)) saw(name, slot + 10 * i)
      clock.advance(2_000)
    }
  }
  const three = nodesOf('abc')
  rounds(three, { a: 100, b: 101, c: 1e12 })
  t.equal(three.order(), 'abc', 'a liar does not get the reads')
  rounds(three, { a: 100, b: 150, c: 150 })
  t.equal(three.order(), 'bca', 'two are right')
  const twoHosts = nodesOf('abc', 'xyy')
  rounds(twoHosts, { a: 100, b: 150, c: 150 })
  t.equal(twoHosts.order(), 'bca')
  const oneParty = nodesOf('abcd', 'xyzz')
  rounds(oneParty, { a: 100, b: 100, c: 150, d: 150 })
  t.equal(oneParty.order(), 'abcd', 'two nodes of one host are one')
})

t.test('those that have the slot come first, those asked for last come last', async (t) => {
  const { saw, order } = nodesOf('abc')
  saw('a', 90)
  saw('b', 100)
  saw('c', 99, CONFIRMED)
  t.equal(order(PROCESSED, 0), 'abc')
  t.equal(order(PROCESSED, 90), 'abc')
  t.equal(order(PROCESSED, 91), 'bca')
  t.equal(order(PROCESSED, 100), 'bac')
  t.equal(order(CONFIRMED, 99), 'cab', 'what is processed need not be confirmed')
  t.equal(order(FINALIZED, 1), 'abc', 'nobody has it')
  t.equal(order(PROCESSED, 91, 'b'), 'cab')
  t.equal(order(PROCESSED, 100, 'a'), 'bca', 'also behind one that lacks the slot')
  t.equal(order(PROCESSED, 0, 'a'), 'bca')
  t.equal(order(PROCESSED, 0, 'abc'), 'abc')
})

t.test('nodes whose slot has not been seen recently are polled every two seconds', async (t) => {
  const { clock, saw, due } = nodesOf('ab')
  t.equal(due(), '')
  clock.advance(1_999)
  saw('a', 1)
  t.equal(due(), '')
  clock.advance(1)
  t.equal(due(), 'b')
  clock.advance(1_999)
  t.equal(due(), '')
  clock.advance(1)
  t.equal(due(), 'ab')
  const alone = nodesOf('a')
  alone.clock.advance(10_000)
  t.equal(alone.due(), '', 'one alone is compared with nobody')
})
