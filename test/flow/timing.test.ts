import t from 'tap'
import { PhaseTimer, Timing, timed } from '../../src/flow/timing.ts'
import { handClock } from '../fixtures/clock.ts'

t.test('a span is the time in which at least one thing went on', (t) => {
  const clock = handClock()
  const span = new PhaseTimer(clock)
  t.ok(span.at(clock.now()) < 0, 'nothing has begun')
  span.begin() // one     0 ........ 30
  clock.advance(10)
  span.begin() // another    10 ......... 40
  clock.advance(20)
  span.end()
  t.equal(span.at(clock.now()), 30, 'what goes on counts up to now')
  clock.advance(10)
  span.end()
  clock.advance(100)
  t.equal(span.at(clock.now()), 40)
  span.begin() // a third, after a gap
  clock.advance(2)
  t.equal(span.at(clock.now()), 42)
  t.end()
})

t.test('the header has what there was, in ms, and the total', (t) => {
  const clock = handClock()
  const timing = new Timing(clock)
  t.equal(timing.header(), 'total;dur=0.000')
  timing.upstream.begin()
  clock.advance(1.2345678)
  t.equal(timing.header(), 'upstream;dur=1.235, total;dur=1.235', 'whole microseconds')
  timing.verify.begin()
  timing.verify.end()
  timing.validate.begin()
  timing.validate.end()
  timing.budget.begin()
  timing.budget.end()
  clock.advance(1)
  t.equal(
    timing.header(),
    'validate;dur=0.000, budget;dur=0.000, verify;dur=0.000, upstream;dur=2.235, total;dur=2.235',
    'in the order of the work, whatever began first',
  )
  t.end()
})

t.test('durations are whole microseconds, rounded', (t) => {
  const cases: [ms: number, text: string][] = [
    [0, '0.000'],
    [0.0004, '0.000'],
    [0.0006, '0.001'],
    [0.0129, '0.013'],
    [0.9999, '1.000'],
    [7.0507, '7.051'],
    [12_345.678, '12345.678'],
  ]
  for (const [ms, text] of cases) {
    let now = 0
    const timing = new Timing({ ...handClock(), now: () => now })
    now = ms
    t.equal(timing.header(), `total;dur=${text}`)
  }
  t.end()
})

t.test('work is timed whether it fails or not', async (t) => {
  const clock = handClock()
  const span = new PhaseTimer(clock)
  const late = async (): Promise<number> => {
    clock.advance(3)
    return 7
  }
  t.equal(await timed(span, late), 7)
  await t.rejects(
    timed(span, async () => {
      clock.advance(4)
      throw new TypeError('no')
    }),
    { message: 'no' },
  )
  clock.advance(50)
  t.equal(span.at(clock.now()), 7)
  t.equal(await timed(undefined, late), 7)
})
