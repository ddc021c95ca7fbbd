/** What is charged to which client. */
import t from 'tap'
import { ClientCosts, REQUEST_MS } from '../../src/http/client-costs.ts'

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

t.test('what is under way takes as long as requests have of late, of each client two', async (t) => {
  const costs = new ClientCosts()
  for (let i = 0; i < 10; i++) costs.begin('a')
  costs.begin('b')
  t.ok(near(costs.underWayMs, 3 * REQUEST_MS), `${costs.underWayMs}`)
  for (let i = 0; i < 8; i++) costs.end('a', 0, 0)
  t.ok(near(costs.underWayMs, 3 * REQUEST_MS))
  costs.end('a', 0, 0)
  t.ok(near(costs.underWayMs, 2 * REQUEST_MS))
  costs.share(11)
  t.ok(near(costs.averageMs, 1), 'eleven requests and 11 ms')
  t.ok(near(costs.underWayMs, 2 * costs.averageMs))
  for (const client of ['a', 'b', 'b']) costs.end(client, 0, 0)
  t.equal(costs.underWayMs, 0)
})

t.test('a client is charged for what is done without a request, too', async (t) => {
  const costs = new ClientCosts()
  costs.charge('a', 0.5, 1_048_576)
  t.ok(near(costs.of('a'), 0.05 + 4), String(costs.of('a')))
  costs.share(10)
  t.ok(near(costs.of('a'), 10), 'it is charged its share of the rest')
  costs.fade(0)
  t.equal(costs.clients, 0)
})

t.test(
  'what else the thread worked goes to those whose requests were under way, within a bound',
  async (t) => {
    const costs = new ClientCosts()
    for (let i = 0; i < 60; i++) costs.begin('greedy')
    costs.begin('modest')
    costs.end('modest', 0, 0)
    costs.share(100)
    costs.fade(1)
    const [greedy, modest] = [costs.of('greedy'), costs.of('modest')]
    t.ok(near(greedy + modest, 100), `${greedy} and ${modest}`)
    t.ok(greedy > 99 && modest < 0.5, `${greedy} and ${modest}`)
    const alone = new ClientCosts()
    alone.begin('modest')
    alone.end('modest', 0, 0)
    alone.share(100)
    t.ok(near(alone.of('modest'), 5 * REQUEST_MS), 'the gateway has work of its own')
    alone.fade(1)
    alone.share(100)
    t.ok(
      near(alone.of('modest'), 5 * REQUEST_MS),
      'nobody is charged for what is done while nothing is under way',
    )
  },
)

t.test('a request counts with the average until the window ends, then with what is charged', async (t) => {
  const costs = new ClientCosts()
  for (let window = 0; window < 30; window++) {
    costs.begin('a')
    costs.end('a', 0, 0)
    costs.share(0.4)
    costs.fade(0)
  }
  t.ok(costs.requestMs > 0.39 && costs.requestMs <= 0.4, String(costs.requestMs))
  for (let i = 0; i < 10; i++) costs.begin('b')
  t.ok(near(costs.of('b'), 10 * costs.requestMs))
  costs.fade(0.8)
  t.ok(near(costs.of('b'), 8 * REQUEST_MS))
})

t.test('a fair cost cuts the highest, until all together cost the part that is left', async (t) => {
  const costs = new ClientCosts()
  t.equal(costs.fairMs(0.5), 0)
  for (const [client, count] of [
    ['a', 1],
    ['b', 2],
    ['c', 37],
  ] as const) {
    for (let i = 0; i < count; i++) costs.begin(client)
  }
  t.ok(near(costs.fairMs(0.5), 17 * REQUEST_MS), '1 + 2 + 17 of 40')
  t.ok(near(costs.fairMs(0.1), 1.5 * REQUEST_MS), '1 + 1.5 + 1.5 of 40')
})

t.test('what a few were admitted before the window is told from what a crowd was', async (t) => {
  const costs = new ClientCosts()
  for (let i = 0; i < 60; i++) costs.begin('greedy')
  for (let i = 0; i < 20; i++) costs.begin(`${i}`)
  costs.share(100)
  t.equal(costs.earlierPart(0), 0, 'all of it was admitted in this one')
  costs.fade(0.8)
  costs.share(100)
  const part = costs.earlierPart(0)
  t.ok(part > 0.7 && part < 0.8, `60 of 80 requests: ${part}`)
  t.equal(costs.earlierPart(1_000), 0, 'none costs that much')
  const crowd = new ClientCosts()
  for (let i = 0; i < 80; i++) crowd.begin(`${i}`)
  crowd.fade(0.8)
  crowd.share(100)
  t.equal(crowd.earlierPart(0), 0, 'nobody stands out')
})

t.test('who has nothing under way and costs next to nothing is forgotten', async (t) => {
  const costs = new ClientCosts()
  costs.begin('over')
  costs.begin('open')
  costs.end('over', 0, 0)
  for (let window = 0; window < 20; window++) costs.fade(0.8)
  t.equal(costs.clients, 1)
  costs.end('open', 0, 0)
  costs.fade(0)
  t.equal(costs.clients, 0)
})
