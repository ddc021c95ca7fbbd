import t from 'tap'
import { Freshness } from '../../../src/upstream/nodes/freshness.ts'
import { CONFIRMED, FINALIZED, PROCESSED } from '../../../src/upstream/nodes/solana-slots.ts'
import type { Upstream } from '../../../src/upstream/upstream.ts'
import { handClock } from '../../fixtures/clock.ts'

/** What Freshness needs to know of a node. */
interface Node {
  readonly name: string
  isBarred: boolean
}

function nodesOf(...names: string[]) {
  const clock = handClock()
  const nodes = names.map((name): Node => ({ name, isBarred: false }))
  const freshness = new Freshness(nodes as unknown as Upstream[], clock, 10)
  const at = (name: string) => nodes.find((node) => node.name === name) as unknown as Upstream
  const namesOf = (found: readonly Upstream[]) => found.map((node) => (node as unknown as Node).name).join('')
  return {
    clock,
    nodes,
    saw: (name: string, slot: number, level: 0 | 1 | 2 = PROCESSED) => freshness.saw(at(name), level, slot),
    isBehind: (name: string) => freshness.isBehind(at(name)),
    order: (level: 0 | 1 | 2 = PROCESSED, slot = 0, last = '') =>
      namesOf(freshness.order(level, slot, (node) => last.includes((node as unknown as Node).name))),
    due: () => namesOf(freshness.due()),
  }
}

t.test('a node is behind when it has been for two seconds by more than ten slots', async (t) => {
  const { clock, saw, isBehind, order } = nodesOf('a', 'b')
  const answer = (a: number, b: number) => {
    saw('a', a)
    saw('b', b)
  }
  answer(100, 110)
  clock.advance(5_000)
  answer(110, 120)
  t.notOk(isBehind('a'), 'ten slots are no more than ten')
  answer(110, 121)
  clock.advance(1_999)
  answer(120, 131)
  t.notOk(isBehind('a'))
  t.equal(order(), 'ab')
  clock.advance(1)
  answer(120, 131)
  t.ok(isBehind('a'))
  t.equal(order(), 'ba')
  answer(125, 131)
  t.notOk(isBehind('a'), 'it has caught up')
})

t.test('answers are compared with those of the last 400 ms; one alone says nothing good', async (t) => {
  const { clock, saw, isBehind } = nodesOf('a', 'b')
  saw('a', 100)
  saw('b', 111)
  clock.advance(2_000)
  saw('a', 100)
  t.ok(isBehind('a'), 'one alone may be behind what was seen before')
  saw('a', 111)
  t.ok(isBehind('a'), 'but has not caught up by that')
  clock.advance(400)
  saw('b', 112)
  t.notOk(isBehind('a'))
})

t.test('a node of another cluster is nobody\u2019s measure', async (t) => {
  const { clock, nodes, saw, isBehind } = nodesOf('a', 'b')
  nodes[1]!.isBarred = true
  for (let i = 0; i < 2; i++) {
    saw('b', 1_000)
    saw('a', 100)
    clock.advance(2_000)
  }
  t.notOk(isBehind('a'))
})

t.test('those that have the slot come first, those asked for last come last', async (t) => {
  const { saw, order } = nodesOf('a', 'b', 'c')
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

t.test('nodes whose slot is not known of late are asked for it every two seconds', async (t) => {
  const { clock, saw, due } = nodesOf('a', 'b')
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
