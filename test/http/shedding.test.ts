/** What is shed when the event loop is late: whose, of what kind, and when it is over. */
import t from 'tap'
import { Shedding, type SheddingPriority, TARGET_MS } from '../../src/http/shedding.ts'
import { STANDING_WINDOW_MS } from '../../src/runtime/event-loop.ts'

const LATE_MS = 2 * TARGET_MS
/** Turns of the event loop in a window. */
const TURNS = 5

/** What a turn was like for the event loop. */
interface Load {
  readonly delayMs: number
  readonly utilization: number
  /** The clients of the requests that were answered. */
  readonly ended: readonly string[]
}

/** @param begun  the clients of the requests that were admitted in a turn */
type Capacity = (begun: readonly string[]) => Load

interface Asker {
  readonly client: string
  readonly priority: SheddingPriority
  /** Requests in a window. */
  readonly count: number
}

/** A shedding, and what its clients get in the windows that it is told of. */
function start() {
  const changes: boolean[] = []
  const turn = { lateMs: 0 }
  const shedding = new Shedding({
    turnMs: () => turn.lateMs,
    onChange: (isActive) => changes.push(isActive),
  })
  /** Admitted requests of each asker, in so many windows of so long a delay. */
  const run = (windows: number, loop: number | Capacity, askers: readonly Asker[]) => {
    const admitted = askers.map(() => 0)
    const begun: string[] = []
    for (let i = 0; i < windows; i++) {
      let leastMs = Infinity
      let used = 0
      for (let turn = 0; turn < TURNS; turn++) {
        for (const [n, { client, priority, count }] of askers.entries()) {
          for (let j = 0; j < count; j++) {
            if ((n + j) % TURNS !== turn) continue
            if (shedding.mustAsk() && !shedding.admits(priority, client)) continue
            shedding.begin(client)
            begun.push(client)
            admitted[n]!++
          }
        }
        const { delayMs, utilization, ended } =
          typeof loop === 'number'
            ? { delayMs: loop, utilization: loop > 0 ? 1 : 0, ended: begun }
            : loop(begun)
        for (const client of ended) shedding.costs.end(client, 0, 0)
        begun.length = 0
        leastMs = Math.min(leastMs, delayMs)
        used += utilization
      }
      shedding.tick(leastMs, STANDING_WINDOW_MS, used / TURNS)
    }
    return admitted
  }
  return { shedding, turn, changes, run }
}

const crowd = (count: number, priority: SheddingPriority): readonly Asker[] =>
  Array.from({ length: count }, (_, i) => ({ client: `${priority}-${i}`, priority, count: 1 }))

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

/** A loop that can take so many requests in a window of 100 ms: what is left over waits for the next. */
const capacity = (max: number): Capacity => {
  const waiting: string[] = []
  return (begun) => {
    waiting.push(...begun)
    const turn = max / TURNS
    const utilization = Math.min(1, waiting.length / turn)
    const ended = waiting.splice(0, turn)
    return { delayMs: (100 * waiting.length) / max, utilization, ended }
  }
}

t.test('two late windows, or a delay below the target, shed nothing', async (t) => {
  const { shedding, changes, run } = start()
  const asker: Asker = { client: 'a', priority: 'research', count: 50 }
  t.same(run(2, 10_000, [asker]), [100])
  t.same(run(1, 0, [asker]), [50])
  t.same(run(20, TARGET_MS - 1, [asker]), [1_000])
  t.notOk(shedding.isActive)
  t.same(changes, [])
})

t.test('research goes first, then quotes and reads, and builds last', async (t) => {
  const { shedding, run } = start()
  const askers = [...crowd(100, 'research'), ...crowd(100, 'quote'), ...crowd(100, 'build')]
  const shares = (admitted: readonly number[], windows: number): readonly number[] =>
    [0, 100, 200].map((from) => sum(admitted.slice(from, from + 100)) / windows)

  run(30, capacity(250), askers)
  const [research, quotes, builds] = shares(run(50, capacity(250), askers), 50)
  t.ok(research! > 20 && research! < 60, `${research} of 100 for research`)
  t.equal(quotes, 100)
  t.equal(builds, 100)

  run(30, capacity(150), askers)
  const [less, some, all] = shares(run(50, capacity(150), askers), 50)
  t.ok(less! < 15, `${less} of 100 for research`)
  t.ok(some! > 25 && some! < 60, `${some} of 100 for quotes`)
  t.ok(all! > 98, `${all} of 100 for builds`)

  run(60, capacity(50), askers)
  const [none, few, left] = shares(run(50, capacity(50), askers), 50)
  t.ok(none! + few! < 15, `${none} for research and ${few} for quotes`)
  t.ok(left! > 25, `${left} for builds`)
  t.ok(shedding.shed.research > shedding.shed.quote && shedding.shed.quote > shedding.shed.build)
})

t.test('whoever asks most is shed first, whatever it asks for, and the others notice nothing', async (t) => {
  const others: readonly Asker[] = crowd(20, 'research')
  for (const priority of ['research', 'quote', 'build'] as const) {
    const { run } = start()
    const greedy: Asker = { client: 'greedy', priority, count: 2_000 }
    run(40, capacity(400), [greedy, ...others])
    const [got, ...rest] = run(50, capacity(400), [greedy, ...others])
    t.equal(sum(rest), 50 * others.length, `${priority}: none of the others' requests is shed`)
    t.ok(got! > 50 * 340, `${priority}: the greedy one gets what is left, ${got! / 50} of 380`)
  }
})

t.test('a turn that is late after one that was takes no more: research first, builds last', async (t) => {
  const { shedding, turn, changes } = start()
  const admitted = (): readonly boolean[] =>
    (['research', 'quote', 'build'] as const).map((priority) => shedding.admits(priority, priority))
  turn.lateMs = 1.9 * TARGET_MS
  t.notOk(shedding.mustAsk(), 'not yet')
  turn.lateMs = 2 * TARGET_MS
  t.ok(shedding.mustAsk())
  t.same(changes, [true], 'an overload begins at once')
  t.same(admitted(), [false, false, true])
  turn.lateMs = 8 * TARGET_MS
  t.same(admitted(), [false, false, false])
  turn.lateMs = 1.2 * TARGET_MS
  t.same(admitted(), [false, true, true])
  turn.lateMs = 0.9 * TARGET_MS
  t.same(admitted(), [true, true, true])
  t.same(shedding.shed, { research: 3, quote: 2, build: 1 })
})

t.test(
  'what a crowd has under way begins an overload earlier and bounds it, what one client has does not',
  async (t) => {
    const begin = (clients: number) => {
      const { shedding, turn } = start()
      // 200 requests of half a millisecond in each window.
      for (let i = 0; i < 40; i++) {
        for (let j = 0; j < 200; j++) {
          shedding.begin(`client ${j}`)
          shedding.costs.end(`client ${j}`, 0, 0)
        }
        shedding.tick(0, STANDING_WINDOW_MS, 1)
      }
      // The window before the crowd comes is quiet.
      shedding.tick(0, STANDING_WINDOW_MS, 0.3)
      for (let i = 0; i < 400; i++) shedding.begin(`later ${i % clients}`)
      turn.lateMs = TARGET_MS
      return { shedding, turn }
    }
    t.notOk(begin(1).shedding.mustAsk(), 'of one client two count')
    t.notOk(begin(31).shedding.mustAsk(), 'few requests are no crowd')
    const { shedding, turn } = begin(200)
    turn.lateMs = TARGET_MS / 5 - 1
    t.notOk(shedding.mustAsk(), 'the turns are short')
    turn.lateMs = TARGET_MS / 5
    t.ok(shedding.mustAsk())
    t.notOk(shedding.admits('research', 'a'), 'before the window ends')
    t.notOk(shedding.admits('quote', 'a'))
    t.ok(shedding.admits('build', 'a'), '200 ms are no reason to shed builds')
    for (let i = 0; i < 500; i++) shedding.begin(`more ${i}`)
    t.ok(shedding.admits('build', 'a'), 'nor are 450')
    for (let i = 0; i < 100; i++) shedding.begin(`most ${i}`)
    t.notOk(shedding.admits('build', 'a'), '500 are')
    shedding.tick(TARGET_MS, STANDING_WINDOW_MS, 0.9)
    t.ok(shedding.admits('quote', 'a'), 'the thread rests: what is under way waits for upstreams')
  },
)

t.test('in a late turn the client that asks most gets less', async (t) => {
  const { shedding, turn } = start()
  turn.lateMs = 2 * TARGET_MS
  t.ok(shedding.mustAsk())
  turn.lateMs = 0
  for (let i = 0; i < 10; i++) {
    t.ok(shedding.admits('research', 'greedy'))
    shedding.begin('greedy')
  }
  turn.lateMs = 0.9 * TARGET_MS
  for (let i = 0; i < 100; i++) {
    if (shedding.admits('research', 'greedy') || shedding.admits('quote', 'greedy')) t.fail('it had enough')
    if (!shedding.admits('research', `other ${i}`)) t.fail('the others are answered meanwhile')
  }
  t.pass()
})

t.test('where turns were full the figure falls, though no window was late', async (t) => {
  const { shedding, turn, run } = start()
  const askers = crowd(100, 'research')
  run(4, LATE_MS, askers)
  run(20, TARGET_MS / 2, askers)
  const before = sum(run(20, TARGET_MS / 2, askers))
  turn.lateMs = TARGET_MS
  run(20, TARGET_MS / 2, askers)
  turn.lateMs = 0
  const after = sum(run(20, TARGET_MS / 2, askers))
  t.ok(after < before / 2, `${after} after ${before}`)
  t.ok(shedding.isActive)
})

t.test('it rises the faster, the less the event loop has to do', async (t) => {
  const risen = (utilization: number): number => {
    const { run } = start()
    const askers = crowd(1_000, 'research')
    run(30, LATE_MS, askers)
    return sum(run(10, (ended) => ({ delayMs: 0, utilization, ended }), askers))
  }
  const [busy, half, idle] = [risen(1), risen(0.5), risen(0.1)]
  t.ok(busy < half && half < idle, `${busy} ${half} ${idle}`)
})

t.test('what is admitted stays near what can be answered', async (t) => {
  const { run } = start()
  const askers = crowd(900, 'research')
  const loop = capacity(300)
  run(40, loop, askers)
  const admitted = sum(run(100, loop, askers)) / 100
  t.ok(admitted > 0.9 * 300 && admitted < 1.05 * 300, `${admitted} of 300`)
})

t.test('it is over when nothing was shed for a second, and does not flap before', async (t) => {
  const { shedding, changes, run } = start()
  const askers = crowd(900, 'research')
  run(100, capacity(300), askers)
  t.same(changes, [true], 'it begins once')
  run(200, capacity(300), crowd(100, 'research'))
  t.same(changes, [true, false])
  t.notOk(shedding.isActive)
})

t.test('a flood of addresses takes no more memory than 10,000 of them', async (t) => {
  const { shedding, run } = start()
  run(5, LATE_MS, crowd(30_000, 'research'))
  t.ok(shedding.costs.clients <= 10_000)
})
