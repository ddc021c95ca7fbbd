/** What is shed when requests would wait for too long: of which clients, of what kind, and when it ends. */
import t from 'tap'
import { STANDING_WINDOW_MS } from '../../../src/flow/event-loop.ts'
import {
  CALM_MS,
  MIN_LIMIT,
  Shedding,
  type SheddingPriority,
  TARGET_MS,
} from '../../../src/http/overload/shedding.ts'

const PRIORITIES = ['research', 'quote', 'build'] as const
const CALM_WINDOWS = CALM_MS / STANDING_WINDOW_MS

/** A shedding; `turn.ms` is how late the turn of the loop is. */
function start() {
  const changes: boolean[] = []
  const turn = { ms: 0 }
  const shedding = new Shedding({
    turnMs: () => turn.ms,
    onChange: (isActive) => changes.push(isActive),
  })
  return {
    shedding,
    changes,
    turn,
    /** So many windows, of which the thread was busy for a part. */
    windows(count: number, utilization: number): void {
      for (let i = 0; i < count; i++) shedding.tick(0, STANDING_WINDOW_MS, utilization)
    },
    /** So many requests of a crowd of a hundred that asks alike begin. */
    begin(count: number): void {
      for (let i = 0; i < count; i++) shedding.costs.begin(`crowd-${i % 100}`)
    },
    /** So many of them end. */
    end(count: number): void {
      for (let i = 0; i < count; i++) shedding.costs.end(`crowd-${i % 100}`, 0, 0)
    },
    /** Which priorities are admitted for a client. */
    admitted(client = 'crowd-1'): readonly SheddingPriority[] {
      return PRIORITIES.filter((priority) => shedding.mayAdmit(priority, client))
    },
  }
}

/** Requests that take half a millisecond each, of which 900 are under way: 450 ms. */
function overloaded() {
  const all = start()
  all.begin(1_000)
  for (let i = 0; i < 60; i++) {
    all.begin(100)
    all.end(100)
    all.windows(1, 1)
  }
  all.end(100)
  return all
}

t.test('shedding begins when a request would wait for too long while the thread has no rest', async (t) => {
  const { shedding, begin, end, windows, changes } = start()
  for (let i = 0; i < 60; i++) {
    begin(100)
    windows(1, 1)
    end(100)
  }
  begin(2 * TARGET_MS - 1)
  windows(20, 0.5)
  t.notOk(shedding.mustAsk(), 'most of it waits for upstreams')
  t.same(changes, [])
})

t.test('one busy window is not an overload: it may be one long task', async (t) => {
  const { shedding, begin, windows, changes } = start()
  begin(500)
  windows(1, 1)
  t.same(changes, [])
  windows(1, 0.2)
  windows(1, 1)
  t.same(changes, [])
  shedding.tick(TARGET_MS, TARGET_MS, 1)
  t.same(changes, [true], 'two are')
})

t.test('it begins within a window where it is known how long requests take', async (t) => {
  const { shedding, begin, end, windows, turn, changes } = start()
  for (let i = 0; i < 60; i++) {
    begin(50)
    windows(1, 1)
    end(50)
  }
  begin(TARGET_MS - 1)
  turn.ms = 1
  t.notOk(shedding.mustAsk(), 'a millisecond each')
  begin(2)
  turn.ms = 0
  t.notOk(shedding.mustAsk(), 'the loop is on time')
  turn.ms = 1
  t.ok(shedding.mustAsk())
  t.same(changes, [true])
  t.ok(shedding.mayAdmit('research', 'crowd-1'), 'nothing is refused before it is known whose fault it is')
})

t.test('research is shed first, quotes and reads next, builds and submissions last', async (t) => {
  const { shedding, end, begin, admitted } = overloaded()
  t.same(admitted(), ['build'])
  // Within the target, 300 are answered.
  end(600)
  t.same(admitted(), ['quote', 'build'])
  end(150)
  t.same(admitted(), PRIORITIES)
  begin(3_000)
  t.same(admitted(), [])
  for (const priority of PRIORITIES) t.notOk(shedding.admits(priority, 'crowd-1'))
  t.same(shedding.shed, { research: 1, quote: 1, build: 1 })
})

t.test('requests that are answered at once wait for the turns of the loop', async (t) => {
  const { shedding, begin, end, turn, admitted } = start()
  begin(100)
  end(100)
  turn.ms = TARGET_MS - 1
  t.notOk(shedding.mustAsk())
  turn.ms = TARGET_MS
  t.ok(shedding.mustAsk())
  t.same(admitted(), ['build'])
  turn.ms = TARGET_MS - 1
  t.same(admitted(), ['quote', 'build'])
  turn.ms = TARGET_MS / 2 - 1
  t.same(admitted(), PRIORITIES)
  turn.ms = 8 * TARGET_MS
  t.same(admitted(), [])
})

t.test('with fifty requests in flight nothing is refused, however long they take', async (t) => {
  const { shedding, begin, end, windows, admitted } = start()
  begin(MIN_LIMIT + 1)
  for (let i = 0; i < 20; i++) {
    begin(1)
    end(1)
    windows(1, 1)
  }
  t.ok(shedding.isActive)
  t.same(admitted(), ['build'])
  end(1)
  t.same(admitted(), ['quote', 'build'])
})

t.test('few requests are not an overload, however slow the machine is, below a second', async (t) => {
  const { shedding, begin, end, turn, changes, admitted } = start()
  for (let i = 0; i < 20; i++) {
    begin(MIN_LIMIT / 2)
    shedding.tick(CALM_MS - 1, CALM_MS - 1, 1)
    end(MIN_LIMIT / 2)
  }
  turn.ms = CALM_MS
  t.notOk(shedding.mustAsk())
  t.same(changes, [])
  shedding.tick(CALM_MS, CALM_MS, 1)
  t.same(changes, [true])
  t.same(admitted(), PRIORITIES, 'and nothing is refused but what greedy clients ask')
})

t.test('the first request of a client is refused as late as a build', async (t) => {
  const { shedding, admitted, begin } = overloaded()
  t.same(admitted('new'), PRIORITIES)
  t.notOk(shedding.admits('research', 'crowd-1'))
  shedding.costs.begin('new')
  t.same(admitted('new'), ['build'], 'its second one is refused as any other')
  begin(3_000)
  t.same(admitted('newer'), [])
})

t.test('a client that costs far more than most is refused', async (t) => {
  const { shedding, windows, admitted, end } = overloaded()
  shedding.costs.work('greedy', 80)
  windows(1, 1)
  t.same(admitted('greedy'), [], 'whatever it asks for')
  t.same(admitted(), ['build'])
  end(900)
  windows(1, 0.5)
  t.same(admitted('greedy'), [], 'the loop is on time without it')
  windows(9, 0.5)
  t.same(admitted('greedy'), PRIORITIES, 'half of what it cost is forgotten')
})

t.test('if greedy clients made the others wait, these are answered', async (t) => {
  const { shedding, windows, admitted } = overloaded()
  for (let i = 0; i < 20; i++) {
    shedding.costs.work('greedy', 50)
    windows(1, 1)
  }
  t.same(admitted('greedy'), [])
  t.same(admitted(), PRIORITIES, 'refusing them would not end it sooner')
  t.same(admitted('new'), PRIORITIES)
  windows(1, 0.5)
  t.same(admitted(), PRIORITIES, 'nor when the loop is on time for a moment')
})

t.test(
  'before it is known who cost what, a client with most of what is under way is suspected',
  async (t) => {
    const { shedding, begin, windows, turn, admitted } = start()
    begin(50)
    for (let i = 0; i < 60; i++) shedding.costs.begin('attacker')
    windows(1, 1)
    turn.ms = TARGET_MS
    t.ok(shedding.mustAsk())
    t.same(admitted(), PRIORITIES)
    t.same(admitted('new'), PRIORITIES)
    const crowd = start()
    crowd.begin(110)
    crowd.windows(1, 1)
    crowd.turn.ms = TARGET_MS
    t.ok(crowd.shedding.mustAsk())
    t.same(crowd.admitted(), ['build'])
  },
)

t.test('refusals are charged to their client', async (t) => {
  const { shedding, windows, admitted } = overloaded()
  shedding.costs.begin('stubborn')
  for (let i = 0; i < 2_000; i++) shedding.admits('research', 'stubborn')
  windows(1, 1)
  t.same(admitted('stubborn'), [])
})

t.test('the limit grows while something is refused and the thread has rest', async (t) => {
  const { shedding, end, begin, windows, admitted } = overloaded()
  end(900)
  begin(800)
  t.same(admitted(), ['build'])
  for (let i = 0; i < 20; i++) {
    shedding.admits('quote', 'crowd-1')
    windows(1, 0.5)
  }
  t.same(admitted(), ['quote', 'build'])
})

t.test('it ends when nothing was refused for a second and nothing waits', async (t) => {
  const { shedding, changes, windows, end, begin } = overloaded()
  begin(3_000)
  t.notOk(shedding.admits('research', 'crowd-1'))
  end(3_900)
  windows(CALM_WINDOWS, 0.2)
  t.ok(shedding.isActive, 'a second after the window of the refusal')
  shedding.tick(CALM_MS, STANDING_WINDOW_MS, 1)
  windows(CALM_WINDOWS - 1, 0.2)
  t.same(changes, [true])
  windows(1, 0.2)
  t.same(changes, [true, false])
  t.notOk(shedding.mustAsk())
})

t.test('nothing is left to count once no client has cost anything', async (t) => {
  const { shedding } = start()
  shedding.costs.begin('a')
  t.notOk(shedding.tick(0, STANDING_WINDOW_MS, 0.1))
  shedding.costs.end('a', 0, 0)
  let windows = 0
  while (!shedding.tick(0, STANDING_WINDOW_MS, 0)) windows++
  t.ok(windows < 100, `${windows} windows`)
})
