import t from 'tap'
import { SlotPace, UNMEASURED_SLOT_MS } from '../../../../src/upstream/nodes/solana/slot-pace.ts'
import { CONFIRMED, FINALIZED, PROCESSED } from '../../../../src/upstream/nodes/solana/slots.ts'
import { handClock } from '../../../fixtures/clock.ts'
import fc from '../../../fixtures/fast-check.ts'

/** A cluster whose hosts are asked now and then. */
function cluster() {
  const clock = handClock()
  const pace = new SlotPace(clock)
  let slots = 1_000
  let slotMs = 400
  /** Lets time pass; after each half second all hosts answer. @param hosts  what each makes of the true slot */
  const run = (ms: number, hosts: Record<string, (slot: number) => number>, at: 0 | 1 | 2 = PROCESSED) => {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.advance(500)
      slots += 500 / slotMs
      for (const [host, tell] of Object.entries(hosts)) pace.saw(host, at, tell(Math.floor(slots)))
    }
    return pace.slotMs
  }
  return {
    clock,
    pace,
    run,
    turn: (ms: number) => {
      slotMs = ms
    },
  }
}

const honest = (slot: number) => slot
const isAbout = (ms: number, expected: number) => Math.abs(ms - expected) <= expected * 0.15

t.test('the pace is measured, and a change of it within eight seconds', async (t) => {
  const { run, turn, pace } = cluster()
  t.equal(pace.slotMs, UNMEASURED_SLOT_MS)
  t.equal(run(2_000, { a: honest, b: honest }), UNMEASURED_SLOT_MS, 'it takes a while')
  t.ok(isAbout(run(1_000, { a: honest, b: honest }), 400))
  for (const slotMs of [200, 100, 400]) {
    turn(slotMs)
    t.ok(isAbout(run(8_500, { a: honest, b: honest }), slotMs), `${slotMs}`)
  }
})

t.test('one node alone is believed, within bounds', async (t) => {
  t.ok(isAbout(cluster().run(5_000, { a: honest }), 400))
  t.equal(cluster().run(5_000, { a: (slot) => slot * 1_000 }), 50)
  t.equal(cluster().run(60_000, { a: (slot) => Math.floor(slot / 10) }), 1_000)
})

t.test('a node that stands still or goes back has no vote', async (t) => {
  const { run, turn } = cluster()
  run(10_000, { a: honest, b: honest })
  turn(200)
  t.ok(isAbout(run(10_000, { a: honest, b: () => 1_000 }), 200))
  turn(100)
  t.ok(isAbout(run(10_000, { a: honest, b: (slot) => 1e9 - slot }), 100))
})

t.test('a host that reported nothing for ten seconds starts again', async (t) => {
  const { run, turn, clock } = cluster()
  run(10_000, { a: honest })
  turn(200)
  clock.advance(60_000)
  t.ok(isAbout(run(2_000, { a: honest }), 400), 'the minute, of which nothing is known, counts for nothing')
  t.ok(isAbout(run(1_000, { a: honest }), 200))
})

t.test('several nodes of one host have one vote', async (t) => {
  const { pace, run, clock } = cluster()
  run(10_000, { a: honest, b: honest })
  const before = pace.slotMs
  let slot = 5_000
  for (let i = 0; i < 40; i++) {
    clock.advance(100)
    pace.saw('c', PROCESSED, (slot += 50))
    pace.saw('c', PROCESSED, (slot += 50))
  }
  t.equal(pace.slotMs, before)
})

t.test('processed slots count before those that jump when finality changes', async (t) => {
  const { run } = cluster()
  let behind = 32
  for (let i = 0; i < 20; i++) {
    run(500, { a: honest })
    run(500, { a: (slot) => slot - behind }, FINALIZED)
    if (i === 12) behind = 1
  }
  t.ok(isAbout(run(500, { a: honest }), 400))
  t.ok(isAbout(cluster().run(10_000, { a: (slot) => slot - 1 }, CONFIRMED), 400), 'if there are any')
})

t.test('a minority of liars does not move the pace away from the true one', async () => {
  const lie = fc.oneof(
    fc.integer({ min: 1, max: 1_000 }).map((factor) => (slot: number) => slot * factor),
    fc.integer({ min: 2, max: 50 }).map((part) => (slot: number) => Math.floor(slot / part)),
    fc.constant(() => 7),
    fc.constant((slot: number) => (slot % 7 === 0 ? 1e14 : slot)),
    fc.constant((slot: number) => 1e9 - slot),
  )
  fc.assert(
    fc.property(
      fc.array(lie, { minLength: 1, maxLength: 2 }),
      fc.constantFrom(400, 200, 100),
      fc.boolean(),
      (lies, slotMs, isAlone) => {
        const { run, turn } = cluster()
        turn(slotMs)
        // One honest host beside one liar, after a time without it; or an honest majority from the beginning.
        const liars = lies.slice(0, isAlone ? 1 : 2)
        const others = Array.from({ length: isAlone ? 1 : liars.length + 1 }, (_, i) => [`h${i}`, honest])
        const well = Object.fromEntries(others) as Record<string, typeof honest>
        if (isAlone) run(10_000, well)
        const all = { ...Object.fromEntries(liars.map((tell, i) => [`a${i}`, tell])), ...well }
        if (!isAbout(run(30_000, all), slotMs)) throw new Error('a liar set the pace')
      },
    ),
    { numRuns: 200 },
  )
})

t.test(
  'beside one liar, an honest host that was never alone is no worse off than without a measure',
  async (t) => {
    for (const factor of [0.02, 0.5, 2, 100]) {
      const { run, turn } = cluster()
      turn(400)
      const measured = run(30_000, { a: honest, b: (slot) => Math.floor(slot * factor) })
      t.ok(measured >= UNMEASURED_SLOT_MS - 1 && measured <= 460, `${factor}: ${measured}`)
    }
  },
)
