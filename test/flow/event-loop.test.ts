import t from 'tap'
import { EventLoop, watchStandingDelay } from '../../src/flow/event-loop.ts'
import { openThreadCpuTime } from '../../src/flow/thread-cpu-time.ts'
import { Shedding } from '../../src/http/overload/shedding.ts'
import { handClock, until } from '../fixtures/clock.ts'

t.test('a delay is reported for a whole minute, and no longer', async (t) => {
  const clock = handClock()
  const loop = new EventLoop(clock)
  t.teardown(() => loop.close())
  t.same(loop.delay, { windowMs: 0, p50Ms: 0, p99Ms: 0, maxMs: 0 })
  for (let i = 0; i < 97; i++) loop.record(0)
  for (const delayMs of [12, 12, 120]) loop.record(delayMs)
  clock.advance(59_999)
  const first = loop.delay
  t.match(first, { windowMs: 59_999, p50Ms: 0, p99Ms: 12 })
  // A histogram keeps three digits.
  t.ok(Math.abs(first.maxMs - 120) < 0.2, String(first.maxMs))
  clock.advance(1)
  t.match(loop.delay, { windowMs: 60_000, maxMs: first.maxMs })
  clock.advance(59_999)
  t.equal(loop.delay.maxMs, first.maxMs, 'of the last whole minute')
  clock.advance(1)
  t.match(loop.delay, { windowMs: 60_000, p50Ms: 0, maxMs: 0 })
})

t.test('a scrape reads the delays since the last one', async (t) => {
  const loop = new EventLoop(handClock())
  t.teardown(() => loop.close())
  const scraped = (): [count: number, maxMs: number] => {
    let result: [number, number] | undefined
    loop.scrape(({ count, max }) => {
      result = [count, Math.round(max / 1e6)]
    })
    return result!
  }
  loop.record(7)
  t.same(scraped(), [0, 0], 'the first one begins')
  loop.record(5)
  loop.record(9)
  t.same(scraped(), [2, 9])
  t.same(scraped(), [0, 0])
  t.equal(Math.round(loop.delay.maxMs), 9, 'the minute is another')
})

t.test('once closed, it waits for nothing', async (t) => {
  const clock = handClock()
  const loop = new EventLoop(clock)
  t.equal(clock.waiting, 1)
  loop.close()
  t.equal(clock.waiting, 0)
})

/** A thread that does what the test says, and a shedding that is told of its delays. */
function simulate() {
  const passed = { nowMs: 5_000, idleMs: 3_000, cpuMs: 1_500 }
  const windows: { standingMs: number; utilization: number; cpuPart: number }[] = []
  const samples: number[] = []
  let sample: (() => void) | null = null
  const spend = ({ cpu = 0, stolen = 0, idle = 0 }: Turn): void => {
    passed.nowMs += cpu + stolen + idle
    passed.idleMs += idle
    passed.cpuMs += cpu
  }
  const delay = watchStandingDelay(
    (standingMs, windowMs, utilization, cpuPart) => {
      windows.push({ standingMs, utilization, cpuPart })
      return shedding.tick(standingMs, windowMs, utilization, cpuPart)
    },
    (delayMs) => samples.push(delayMs),
    {
      nowMs: () => passed.nowMs,
      idleMs: () => passed.idleMs,
      cpuMs: () => passed.cpuMs,
      start(run) {
        sample = run
      },
      stop() {
        sample = null
      },
      close() {
        sample = null
      },
    },
  )
  const shedding = new Shedding({ turnMs: delay.nowMs, onChange() {} })
  /** Of so many turns, each with a request of each client before its work, how many requests are shed. */
  const run = (turns: number, clients: number, turn: Turn): number => {
    let shed = 0
    for (let i = 0; i < turns; i++) {
      for (let client = 0; client < clients; client++) {
        spend({ cpu: (turn.cpu ?? 0) / clients, stolen: (turn.stolen ?? 0) / clients })
        const name = `client ${client}`
        if (shedding.mustAsk() && !shedding.admits('research', name)) shed++
        else {
          shedding.costs.begin(name)
          shedding.costs.end(name, 0, 0)
        }
      }
      spend({ idle: turn.idle ?? 0 })
      sample!()
    }
    return shed
  }
  return {
    delay,
    shedding,
    windows,
    samples,
    spend,
    sample: () => sample!(),
    run,
    isStopped: () => sample === null,
  }
}

/** What passes in a turn, ms. */
interface Turn {
  /** The thread works. */
  readonly cpu?: number
  /** The thread could work, but another has the processor. */
  readonly stolen?: number
  /** The loop waits for something to do. */
  readonly idle?: number
}

t.test('a delay is standing if it never ends', async (t) => {
  const { delay, windows, spend, sample } = simulate()
  spend({ cpu: 250 })
  t.equal(delay.nowMs(), 0, 'the turn before was not late')
  sample()
  spend({ idle: 10 })
  sample()
  t.same(windows, [{ standingMs: 0, utilization: 250 / 260, cpuPart: 1 }], 'one long task is none')

  spend({ cpu: 80 })
  sample()
  spend({ cpu: 60 })
  t.equal(delay.nowMs(), 50, 'this turn so far')
  spend({ cpu: 40 })
  t.equal(delay.nowMs(), 70, 'the turn before')
  sample()
  t.same(windows.slice(1), [{ standingMs: 70, utilization: 1, cpuPart: 1 }])

  spend({ cpu: 80, idle: 20 })
  sample()
  t.equal(delay.nowMs(), 0, 'it was idle in between')
})

t.test('a delay is what the thread had a processor for', async (t) => {
  const { delay, windows, spend, sample } = simulate()
  for (let turn = 0; turn < 2; turn++) {
    spend({ cpu: 30, stolen: 90 })
    sample()
  }
  t.same(windows, [{ standingMs: 20, utilization: 1, cpuPart: 1 / 4 }])
  spend({ cpu: 15, stolen: 1_000 })
  t.equal(delay.nowMs(), 5)
  spend({ cpu: 1, stolen: 2_000 })
  t.equal(delay.nowMs(), 6)
})

t.test('an account that is ahead of the clock, of several threads, makes no delay longer', async (t) => {
  const { delay, windows, spend, sample } = simulate()
  for (let turn = 0; turn < 2; turn++) {
    spend({ cpu: 160, stolen: -80 })
    sample()
  }
  t.same(windows, [{ standingMs: 70, utilization: 1, cpuPart: 1 }])
  t.equal(delay.nowMs(), 0)
})

t.test("nothing is shed because of other processes' load", async (t) => {
  for (const stolen of [50, 150, 1_000, 60_000]) {
    t.equal(simulate().run(1_000, 1, { cpu: 2, stolen }), 0, `one client, ${stolen} ms a turn stolen`)
    t.equal(simulate().run(1_000, 10, { cpu: 20, stolen }), 0, `ten clients, ${stolen} ms a turn stolen`)
    t.equal(simulate().run(1_000, 1, { cpu: 2, stolen, idle: 20 }), 0, `idle in between`)
  }
})

t.test('the service’s own load is shed, whatever other processes do', async (t) => {
  for (const stolen of [0, 50, 150, 1_000]) {
    const shed = simulate().run(1_000, 200, { cpu: 250, stolen })
    t.ok(shed > 90_000, `${shed} of 200,000 with ${stolen} ms a turn stolen`)
  }
})

t.test('it rests while nobody reads it and nothing is left to count, and a reading wakes it', async (t) => {
  const { delay, shedding, windows, samples, spend, sample, isStopped } = simulate()
  const pass = (turns: number): void => {
    for (let i = 0; i < turns && !isStopped(); i++) {
      spend({ idle: 10 })
      sample()
    }
  }
  t.notOk(isStopped(), 'the start is watched')
  pass(100)
  t.ok(isStopped())
  t.equal(windows.length, 1)

  // What passes while it rests is no delay.
  spend({ cpu: 5_000, idle: 60_000 })
  t.notOk(shedding.mustAsk())
  t.notOk(isStopped())
  shedding.costs.begin('client')
  spend({ cpu: 80 })
  sample()
  t.equal(samples.at(-1), 70)
  pass(10_000)
  t.notOk(isStopped(), 'a request is under way')
  shedding.costs.end('client', 1, 1_000)
  pass(10_000)
  t.ok(isStopped())
  t.equal(shedding.costs.of('client'), 0)

  t.notOk(shedding.mustAsk())
  spend({ cpu: 80 })
  sample()
  spend({ cpu: 80 })
  t.equal(delay.nowMs(), 70, 'after a rest it measures as before')
  delay.close()
  t.ok(isStopped())
  t.equal(delay.nowMs(), 0)
  t.ok(isStopped(), 'and is not woken once it is closed')
})

t.test('it does not rest while load is shed', async (t) => {
  const { run, shedding, isStopped, spend, sample } = simulate()
  run(100, 200, { cpu: 250 })
  t.ok(shedding.isActive)
  while (shedding.isActive) {
    t.notOk(isStopped())
    spend({ idle: 10 })
    sample()
  }
  while (!isStopped()) {
    spend({ idle: 10 })
    sample()
  }
  t.notOk(shedding.isActive)
})

t.test('once closed, there is no delay', async (t) => {
  const { delay, run, spend, isStopped } = simulate()
  run(2, 1, { cpu: 80 })
  spend({ cpu: 80 })
  t.equal(delay.nowMs(), 70)
  delay.close()
  t.ok(isStopped())
  t.equal(delay.nowMs(), 0)
})

t.test('the thread’s own clocks are read', async (t) => {
  const told: number[][] = []
  const delay = watchStandingDelay((...window) => {
    told.push(window)
    return false
  })
  t.teardown(() => delay.close())
  const time = openThreadCpuTime()
  t.teardown(() => time.close())
  let isOver = false
  const work = (): void => {
    if (isOver) return
    const from = time.cpuMs()
    while (time.cpuMs() - from < 80);
    setImmediate(work)
  }
  work()
  // The first window may have begun before the work.
  await until(() => told.length >= 2)
  isOver = true
  const [standingMs, windowMs, utilization, cpuPart] = told[1]!
  t.ok(standingMs! >= 60 && windowMs! >= 100 && utilization! > 0.99, String(told[1]))
  t.ok(cpuPart! > 0 && cpuPart! <= 1)
})
