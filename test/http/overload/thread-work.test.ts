/** Work that is charged by what it takes, and lets others have their turns. */
import t from 'tap'
import { ClientCosts } from '../../../src/http/overload/client-costs.ts'
import { ThreadWork } from '../../../src/http/overload/thread-work.ts'
import { explain } from '../../../src/routes/research/explain.ts'
import { DEADLINES } from '../../../src/swap/deadlines.ts'

const CLIENT = { key: 'a' } as never

/** Time that passes only where the test says so. */
function workOf(charged: number[]) {
  const at = { now: 0, cpu: 0 }
  const meter = { end() {}, work: (_: unknown, ms: number) => void charged.push(ms) }
  const work = new ThreadWork({ now: () => at.now }, { meter, client: CLIENT }, () => at.cpu)
  return { at, work }
}

t.test('a long piece ends, and another turn of the loop comes before the next', async (t) => {
  const charged: number[] = []
  const { at, work } = workOf(charged)
  let turns = 0
  setImmediate(() => turns++)
  at.now = at.cpu = 2
  await work.turn()
  t.equal(turns, 0, 'a short piece goes on')
  at.now = at.cpu = 4
  await work.turn()
  t.equal(turns, 1)
  t.same(charged, [4])
})

t.test('what it waits for is not charged, and what it does is', async (t) => {
  const charged: number[] = []
  const { at, work } = workOf(charged)
  at.cpu = 7
  await work.outside(async () => void (at.cpu = 100))
  at.cpu = 103
  work.end()
  t.same(charged, [7, 3])
})

t.test('a client pays for its own explanation, whatever else is in flight', (t) => {
  const costs = new ClientCosts()
  const [heavy, light] = ['heavy', 'light'] as never[]
  costs.begin(heavy!)
  costs.work(heavy!, 90)
  costs.end(heavy!, 0, 16_000)
  costs.begin(light!)
  costs.endWindow(95, 1, 1)
  t.ok(costs.of(heavy!) >= 90, `${costs.of(heavy!)}`)
  t.ok(costs.of(light!) < 5, `${costs.of(light!)}`)
  t.end()
})

t.test('an explanation charges its client', async (t) => {
  let chargedMs = 0
  const route = explain({
    nodes: {} as never,
    access: { refuses: () => false } as never,
    clock: { now: () => 0, date: () => 0 } as never,
    descriptors: { current: async () => null } as never,
    deadlines: DEADLINES,
  })
  const exchange = {
    client: CLIENT,
    meter: { end() {}, work: (_: unknown, ms: number) => void (chargedMs += ms) },
    scope: () => null,
    withBudget: (_: string, run: () => unknown) => run(),
  }
  const abi = Array.from({ length: 64 }, (_, i) => `function f${i}(uint256 a, (address b, bool c)[] d)`)
  const body = { chain: 'base', call: { to: `0x${'11'.repeat(20)}`, data: '0xdeadbeef' }, abi }
  // Its clock ticks in milliseconds on some kernels.
  for (let i = 0; i < 1_000 && chargedMs === 0; i++) await route.handle(body as never, exchange as never)
  t.ok(chargedMs > 0)
})
