/** What is charged to which client. */
import t from 'tap'
import { ClientCosts, REQUEST_MS } from '../../../src/http/overload/client-costs.ts'

const near = (actual: number, expected: number): boolean => Math.abs(actual - expected) < 1e-9

t.test('a client is charged for its requests, their calls and their bytes', async (t) => {
  const costs = new ClientCosts()
  costs.begin('a')
  costs.begin('a')
  costs.end('a', 3, 2 * 1_048_576)
  t.ok(near(costs.of('a'), 2 * REQUEST_MS + 0.3 + 8), String(costs.of('a')))
  t.equal(costs.of('b'), 0)
  costs.end('b', 100, 1e9)
  t.equal(costs.of('b'), 0, 'nothing ends that has not begun')
})

t.test(
  'it is charged for time that its routes compute, for refusals, and for work without a request',
  async (t) => {
    const costs = new ClientCosts()
    costs.work('a', 12)
    t.ok(near(costs.of('a'), 12))
    costs.charge('b', 0.5, 1_048_576)
    t.ok(near(costs.of('b'), 0.05 + 4))
    for (let i = 0; i < 100; i++) costs.refuse('c')
    t.ok(near(costs.of('c'), 100 * REQUEST_MS))
    t.ok(costs.has('c'))
    t.notOk(costs.has('d'))
  },
)

t.test('requests in flight are expected to take as long as recent ones', async (t) => {
  const costs = new ClientCosts()
  costs.endWindow(10_000, 1, 1)
  for (let i = 0; i < 10; i++) costs.begin('a')
  costs.begin('b')
  t.equal(costs.underWay, 11)
  t.equal(costs.waitMs, 0, 'nothing is known yet')
  costs.endWindow(22, 0.5, 1)
  t.ok(
    near(costs.waitMs, 22),
    'eleven requests kept the thread busy for 22 ms, even if others had the processor',
  )
  for (let i = 0; i < 5; i++) costs.end('a', 0, 0)
  t.ok(near(costs.waitMs, 12))
  costs.endWindow(38, 1, 1)
  t.ok(near(costs.waitMs, (6 * 60) / 16), 'five more have ended')
  for (let i = 0; i < 5; i++) costs.end('a', 0, 0)
  costs.end('b', 0, 0)
  t.equal(costs.waitMs, 0)
})

t.test(
  'what else the thread worked goes to those whose requests were under way, within a bound',
  async (t) => {
    const costs = new ClientCosts()
    for (let i = 0; i < 60; i++) costs.begin('greedy')
    costs.begin('modest')
    costs.end('modest', 0, 0)
    costs.endWindow(30, 1, 1)
    const [greedy, modest] = [costs.of('greedy'), costs.of('modest')]
    t.ok(near(greedy + modest, 30), `${greedy} and ${modest}`)
    t.ok(near(greedy, 60 * modest), `${greedy} and ${modest}`)
    costs.endWindow(30, 1, 1)
    t.ok(near(costs.of('modest'), modest), 'it has nothing under way any more')
    const alone = new ClientCosts()
    alone.begin('alone')
    alone.refuse('refused')
    const before = alone.of('refused')
    alone.endWindow(100, 1, 1)
    t.ok(near(alone.of('alone'), REQUEST_MS + 5), 'the gateway has work of its own')
    t.equal(alone.of('refused'), before)
  },
)

t.test('a client without requests in flight and with next to no cost is forgotten', async (t) => {
  const costs = new ClientCosts()
  costs.begin('over')
  costs.begin('open')
  costs.end('over', 0, 0)
  for (let window = 0; window < 20; window++) costs.endWindow(0, 1, 0.8)
  t.equal(costs.clients, 1)
  costs.end('open', 0, 0)
  costs.endWindow(0, 1, 0)
  t.equal(costs.clients, 0)
})

t.test('a flood of addresses is forgotten within two seconds', async (t) => {
  const costs = new ClientCosts()
  for (let i = 0; i < 30_000; i++) {
    costs.begin(`${i}`)
    costs.end(`${i}`, 0, 0)
  }
  t.equal(costs.clients, 30_000)
  for (let window = 0; window < 20; window++) costs.endWindow(0, 1, 0.8)
  t.equal(costs.clients, 0)
})

t.test('the busiest client is the one with the most requests under way', async (t) => {
  const costs = new ClientCosts()
  t.equal(costs.partOfBusiest(), 0)
  for (const client of ['a', 'b', 'a', 'a']) costs.begin(client)
  t.equal(costs.partOfBusiest(), 0.75)
  costs.end('a', 0, 0)
  costs.end('a', 0, 0)
  t.equal(costs.partOfBusiest(), 0.5)
})
