import t from 'tap'
import { PacedRefusals } from '../../../src/relay/subscriptions/paced-refusals.ts'
import { handClock } from '../../fixtures/clock.ts'

function paced() {
  const clock = handClock()
  const refusals = new PacedRefusals(clock)
  const sent: string[] = []
  const add = (client: string, name: string, of: object = refusals) =>
    refusals.add(client, of, () => sent.push(name))
  return { clock, refusals, sent, add }
}

t.test('one a second for each client, in their order', async (t) => {
  const { clock, refusals, sent, add } = paced()
  for (const name of ['a1', 'a2', 'a3']) t.ok(add('a', name))
  t.ok(add('b', 'b1'))
  t.same(sent, ['a1', 'b1'])
  clock.advance(999)
  t.same(sent.length, 2)
  clock.advance(1)
  t.same(sent, ['a1', 'b1', 'a2'])
  t.equal(refusals.size, 1, 'b has nothing to wait for')
  clock.advance(1_000)
  t.same(sent.slice(3), ['a3'])
  clock.advance(500)
  add('a', 'a4')
  t.equal(sent.length, 4, 'a second has not passed')
  clock.advance(500)
  t.same(sent.slice(4), ['a4'])
  clock.advance(1_000)
  t.equal(refusals.size + clock.waiting, 0, 'nothing is left')
})

t.test('a client has a hundred that wait, and takes back those of a connection', async (t) => {
  const { clock, refusals, sent, add } = paced()
  const one = {}
  const other = {}
  for (let i = 0; i <= 100; i++) t.equal(add('a', `${i}`, i % 2 === 0 ? one : other), true)
  t.equal(add('a', 'too many', one), false)
  t.equal(add('b', 'b'), true, 'which is its own affair')
  refusals.takeBack('a', one)
  refusals.takeBack('c', one)
  clock.advance(2_000)
  t.same(sent, ['0', 'b', '1', '3'])
  refusals.close()
  t.equal(refusals.size + clock.waiting, 0)
})
