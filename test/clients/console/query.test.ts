import t from 'tap'
import { type Exchange, SwapgateError } from '../../../src/clients/client/index.ts'
import { Query, type QueryCallOptions, type QueryOptions } from '../../../src/clients/console/data/query.ts'

const EXCHANGE: Exchange = {
  operation: 'health',
  method: 'GET',
  url: '/api/health',
  body: null,
  status: 200,
  ms: 1,
  serverTiming: {},
  requestId: null,
  error: null,
}

/** A page whose time the test moves, and whose service answers what the test says. */
class World {
  time = 1_000_000
  awake = true
  isBack = false
  readonly asked: QueryCallOptions[] = []
  readonly #answers: ((asking: QueryCallOptions) => Promise<string>)[] = []
  readonly #timers = new Set<{ at: number; then: () => void }>()
  readonly #watchers = new Set<() => void>()

  query(options: QueryOptions = { everyMs: 10_000 }): Query<string> {
    const ask = (asking: QueryCallOptions): Promise<string> => {
      this.asked.push(asking)
      const answer = this.#answers.shift()
      return answer === undefined ? new Promise(() => {}) : answer(asking)
    }
    const clock = {
      now: () => this.time,
      after: (ms: number, then: () => void) => {
        const timer = { at: this.time + ms, then }
        this.#timers.add(timer)
        return () => void this.#timers.delete(timer)
      },
    }
    const attention = {
      isAwake: () => this.awake,
      cameBack: () => this.isBack,
      watch: (listener: () => void) => {
        this.#watchers.add(listener)
        return () => void this.#watchers.delete(listener)
      },
    }
    return new Query(ask, options, clock, attention)
  }

  /** What the next questions are answered with; an error fails one. */
  will(...answers: readonly (string | SwapgateError)[]): void {
    for (const answer of answers) {
      this.#answers.push(async ({ onExchange }) => {
        onExchange(EXCHANGE)
        if (answer instanceof SwapgateError) throw answer
        return answer
      })
    }
  }

  async pass(ms: number): Promise<void> {
    const end = this.time + ms
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve))
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
      if (next === undefined) break
      this.time = Math.max(this.time, next.at)
      this.#timers.delete(next)
      next.then()
    }
    this.time = end
  }

  look(awake: boolean): void {
    this.awake = awake
    for (const watcher of this.#watchers) watcher()
  }

  reconnect(): void {
    this.isBack = true
    for (const watcher of this.#watchers) watcher()
    this.isBack = false
  }
}

const network = new SwapgateError('network', 'No answer came.')

t.test('it asks at once, and again at an interval after each answer', async (t) => {
  const world = new World()
  world.will('one', 'two')
  const query = world.query()
  t.equal(world.asked.length, 0, 'nobody looks')
  query.subscribe(() => {})
  await world.pass(0)
  t.match(query.snapshot, { data: 'one', at: 1_000_000, error: null, askedAt: null, nextAt: 1_010_000 })
  t.equal(query.snapshot.exchange, EXCHANGE)
  await world.pass(9_999)
  t.equal(world.asked.length, 1)
  await world.pass(1)
  t.match(query.snapshot, { data: 'two', at: 1_010_000 })
})

t.test(
  'what was answered stays when the next one fails, and it is asked again, ever more rarely',
  async (t) => {
    const world = new World()
    world.will('one', ...new Array(7).fill(network), 'two')
    const query = world.query()
    query.subscribe(() => {})
    await world.pass(10_000)
    t.match(query.snapshot, { data: 'one', at: 1_000_000, error: { code: 'network' }, nextAt: 1_011_000 })
    const pauses: number[] = []
    for (let i = 0; i < 6; i++) {
      const { nextAt } = query.snapshot
      pauses.push(nextAt! - world.time)
      await world.pass(nextAt! - world.time)
    }
    t.same(pauses, [1_000, 2_000, 4_000, 8_000, 15_000, 15_000])
    await world.pass(15_000)
    t.match(query.snapshot, { data: 'two', error: null })
    t.equal(query.snapshot.nextAt! - world.time, 10_000, 'and then as before')
  },
)

t.test("a refusal's retry time is respected", async (t) => {
  const world = new World()
  world.will(new SwapgateError('budget_exhausted', 'Later.', { status: 429, retryAfterMs: 42_000 }), 'one')
  const query = world.query()
  query.subscribe(() => {})
  await world.pass(41_999)
  t.equal(world.asked.length, 1)
  await world.pass(1)
  t.equal(query.snapshot.data, 'one')
})

t.test('a faulty request is not repeated', async (t) => {
  const world = new World()
  world.will(new SwapgateError('invalid_parameter', 'No.', { status: 400 }))
  const query = world.query()
  query.subscribe(() => {})
  await world.pass(600_000)
  t.equal(world.asked.length, 1)
  t.match(query.snapshot, {
    data: null,
    error: { code: 'invalid_parameter' },
    nextAt: null,
    exchange: EXCHANGE,
  })
})

t.test('a budget that is nearly used up makes the pause longer', async (t) => {
  const world = new World()
  world.will('one', 'two')
  const query = world.query({ everyMs: 1_000, budgetPauseMs: () => 30_000 })
  query.subscribe(() => {})
  await world.pass(29_999)
  t.equal(world.asked.length, 1)
  await world.pass(1)
  t.equal(world.asked.length, 2)
})

t.test('a hidden page asks nothing; once visible again, what is due is asked at once', async (t) => {
  const world = new World()
  world.will('one', 'two')
  const query = world.query()
  query.subscribe(() => {})
  await world.pass(5_000)
  world.look(false)
  await world.pass(60_000)
  t.equal(world.asked.length, 1)
  world.look(true)
  await world.pass(0)
  t.equal(query.snapshot.data, 'two')
})

t.test('a network that is back ends the pause', async (t) => {
  const world = new World()
  world.will(network, network, network, 'one')
  const query = world.query()
  query.subscribe(() => {})
  await world.pass(3_500)
  t.equal(world.asked.length, 3)
  world.reconnect()
  await world.pass(0)
  t.equal(query.snapshot.data, 'one')
})

t.test('leaving a view cancels its query, and returning shows the old answer', async (t) => {
  const world = new World()
  world.will('one')
  const query = world.query()
  const leave = query.subscribe(() => {})
  await world.pass(10_000)
  t.equal(world.asked.length, 2, 'the second is under way')
  leave()
  t.equal(world.asked[1]!.signal.aborted, true)
  await world.pass(60_000)
  t.equal(world.asked.length, 2)
  t.equal(query.snapshot.data, 'one')
})
