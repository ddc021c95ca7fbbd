/** What is shed when the event loop is late: of which clients, of what kind, and when it ends. */
import t from 'tap'
import { BURST_MS, ONSET_MS, Shedding, type SheddingPriority, TARGET_MS } from '../../src/http/shedding.ts'
import { STANDING_WINDOW_MS } from '../../src/runtime/event-loop.ts'

const PRIORITIES = ['research', 'quote', 'build'] as const

/** A shedding; `turn.ms` is how long requests have waited for this turn. */
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
    /** So many windows in which each turn was so late. */
    windows(count: number, delayMs: number): void {
      for (let i = 0; i < count; i++) shedding.tick(delayMs, STANDING_WINDOW_MS, delayMs > 0 ? 1 : 0.5)
    },
    /** Which priorities are admitted for a client that has cost something, of which the average client has. */
    admitted(client = 'asker'): readonly SheddingPriority[] {
      return PRIORITIES.filter((priority) => shedding.mayAdmit(priority, client))
    },
  }
}

/** An overload by a crowd that asks alike, in which every client of `crowd-0` to `crowd-99` has cost the same. */
function overloaded() {
  const all = start()
  const { shedding, turn, windows } = all
  for (let round = 0; round < 20; round++) {
    for (let i = 0; i < 100; i++) {
      shedding.begin(`crowd-${i}`)
      shedding.costs.end(`crowd-${i}`, 0, 0)
    }
    windows(1, 2 * TARGET_MS)
  }
  turn.ms = ONSET_MS
  shedding.mustAsk()
  return all
}

t.test('shedding begins when a request would wait for the onset, and not before', async (t) => {
  const { shedding, turn, changes, windows } = start()
  windows(20, ONSET_MS - 1)
  turn.ms = ONSET_MS - 1
  t.notOk(shedding.mustAsk(), 'a delay that is answered in time sheds nothing')
  turn.ms = ONSET_MS
  t.ok(shedding.mustAsk())
  t.same(changes, [true])
})

t.test('research is shed first, quotes and reads next, builds and submissions last', async (t) => {
  const { shedding, turn, admitted } = overloaded()
  turn.ms = TARGET_MS - 1
  t.same(admitted('crowd-1'), PRIORITIES)
  turn.ms = TARGET_MS
  t.same(admitted('crowd-1'), ['quote', 'build'])
  turn.ms = 2 * TARGET_MS
  t.same(admitted('crowd-1'), ['build'])
  turn.ms = BURST_MS - 1
  t.same(admitted('crowd-1'), ['build'])
  turn.ms = BURST_MS
  t.same(admitted('crowd-1'), [])
  for (const priority of PRIORITIES) t.notOk(shedding.admits(priority, 'crowd-1'))
  t.same(shedding.shed, { research: 1, quote: 1, build: 1 })
})

t.test('while the thread has no rest, what is under way bounds the wait as well', async (t) => {
  const { shedding, turn, windows, admitted } = overloaded()
  turn.ms = 0
  const { requestMs } = shedding.costs
  const count = Math.ceil((2 * TARGET_MS) / requestMs)
  for (let i = 0; i < count; i++) shedding.begin(`crowd-${i % 100}`)
  t.same(admitted('crowd-1'), ['build'])
  windows(1, 0)
  t.same(admitted('crowd-1'), PRIORITIES, 'the thread rests: it waits for upstreams')
})

t.test('a first request waits for the turn, and not for all that is under way', async (t) => {
  const { shedding, turn, admitted } = overloaded()
  turn.ms = 0
  for (let i = 0; i < 10_000; i++) shedding.begin(`crowd-${i % 100}`)
  t.same(admitted('crowd-1'), [])
  t.same(admitted('new'), PRIORITIES)
  t.notOk(shedding.admits('research', 'crowd-1'))
  shedding.begin('new')
  t.same(admitted('new'), [], 'its second one waits as any other')
  turn.ms = TARGET_MS
  t.same(admitted('newer'), ['quote', 'build'])
})

t.test('a client that costs far more than most is refused while the loop is late', async (t) => {
  const { shedding, turn, windows, admitted } = overloaded()
  shedding.costs.work('greedy', 80)
  turn.ms = 0
  turn.ms = 0
  windows(1, 2 * TARGET_MS)
  t.same(admitted('greedy'), [], 'whatever it asks for')
  t.same(admitted('crowd-1'), PRIORITIES)
  windows(1, 0)
  t.same(admitted('greedy'), PRIORITIES, 'it may use what the others leave')
})

t.test('if greedy clients made the loop late, the others are answered', async (t) => {
  const { shedding, turn, windows, admitted } = overloaded()
  for (let i = 0; i < 4; i++) {
    shedding.costs.work('greedy', 100)
    windows(1, 5 * TARGET_MS)
  }
  turn.ms = 5 * TARGET_MS
  t.same(admitted('greedy'), [])
  t.same(admitted('crowd-1'), PRIORITIES, 'refusing them would not end it sooner')
  t.same(admitted('new'), PRIORITIES)
  turn.ms = BURST_MS
  t.same(admitted('crowd-1'), [])
})

t.test('refusals are charged to their client', async (t) => {
  const { shedding, turn, windows, admitted } = overloaded()
  turn.ms = BURST_MS
  for (let i = 0; i < 2_000; i++) shedding.admits('research', 'stubborn')
  turn.ms = 0
  windows(1, 2 * TARGET_MS)
  t.same(admitted('stubborn'), [])
})

t.test('it ends when nothing was refused for a second and the loop is on time', async (t) => {
  const { shedding, turn, changes, windows } = overloaded()
  turn.ms = 0
  windows(5, 0)
  turn.ms = BURST_MS
  t.notOk(shedding.admits('research', 'crowd-1'))
  turn.ms = 0
  windows(10, 0)
  t.ok(shedding.isActive, 'a second after the window of the refusal')
  windows(1, TARGET_MS)
  windows(9, 0)
  t.same(changes, [true])
  windows(1, 0)
  t.same(changes, [true, false])
  t.notOk(shedding.mustAsk())
})

t.test('nothing is left to count once no client has cost anything', async (t) => {
  const { shedding } = start()
  shedding.begin('a')
  t.notOk(shedding.tick(0, STANDING_WINDOW_MS, 0.1))
  shedding.costs.end('a', 0, 0)
  let windows = 0
  while (!shedding.tick(0, STANDING_WINDOW_MS, 0)) windows++
  t.ok(windows < 50, `${windows} windows`)
})
