import fc from 'fast-check'
import t from 'tap'
import { Breaker, parseRetryAfter } from '../../src/upstream/breaker.ts'
import { clockOf } from '../fixtures/clock.ts'

/** A breaker and a hand on its clock. */
function breaker() {
  const clock = { now: 1_000 }
  return { clock, breaker: new Breaker(clockOf({ now: () => clock.now })) }
}

type Verdict = 'succeeded' | 'failed' | 'released'

function call(b: Breaker, verdict: Verdict): boolean {
  const pass = b.admit()
  if (pass !== 0) b[verdict](pass)
  return pass !== 0
}

t.test('opens after five failures in a row', async (t) => {
  const { breaker: b } = breaker()
  for (const verdict of ['failed', 'failed', 'failed', 'failed', 'succeeded'] as const) t.ok(call(b, verdict))
  for (let i = 0; i < 5; i++) t.ok(call(b, 'failed'), 'the success began a new row')
  t.equal(b.admit(), 0)
  t.notOk(b.isReady)
  t.equal(b.waitMs, 1_000)
  t.match(b.state, { state: 'cooling', failures: 5 })
})

t.test('lets one probe through after the cool-down, which doubles up to a minute', async (t) => {
  const { clock, breaker: b } = breaker()
  for (let i = 0; i < 5; i++) call(b, 'failed')
  for (const coolDownMs of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
    t.equal(b.waitMs, coolDownMs)
    clock.now += coolDownMs - 1
    t.equal(b.admit(), 0)
    clock.now += 1
    t.ok(b.isReady)
    t.equal(b.waitMs, 0)
    const probe = b.admit()
    t.not(probe, 0)
    t.equal(b.admit(), 0, 'one probe, not two')
    t.equal(b.waitMs, 1_000)
    t.equal(b.state.state, 'cooling')
    b.failed(probe)
  }
  clock.now += 60_000
  t.ok(call(b, 'succeeded'))
  t.same(b.state, { state: 'ok', lastSuccessAgoMs: 0, failures: 0 })
  for (let i = 0; i < 5; i++) call(b, 'failed')
  t.equal(b.waitMs, 1_000, 'and a success begins the doubling anew')
})

t.test('a probe that is given up leaves its place to the next', async (t) => {
  const { clock, breaker: b } = breaker()
  for (let i = 0; i < 5; i++) call(b, 'failed')
  clock.now += 1_000
  t.ok(call(b, 'released'))
  t.ok(call(b, 'succeeded'))
  t.ok(b.isReady)
})

t.test('verdicts of calls that were admitted before it opened no longer count', async (t) => {
  const { clock, breaker: b } = breaker()
  const late = [b.admit(), b.admit(), b.admit(), b.admit()]
  for (let i = 0; i < 5; i++) call(b, 'failed')
  clock.now += 999
  b.failed(late[0]!)
  b.limited(late[1]!, 60_000)
  t.equal(b.waitMs, 1, 'they do not prolong the cool-down')
  clock.now += 1
  const probe = b.admit()
  b.failed(late[2]!)
  b.released(late[2]!)
  t.equal(b.admit(), 0, 'nor answer for the probe')
  b.succeeded(late[3]!)
  t.equal(b.admit(), 0)
  t.equal(b.state.lastSuccessAgoMs, 0, 'but a success is one')
  b.succeeded(probe)
  t.ok(b.isReady)
})

t.test('a 429 opens it at once, for as long as it asks, within bounds', async (t) => {
  const cases: [retryAfterMs: number | null, waitMs: number][] = [
    [null, 1_000],
    [0, 1_000],
    [2_500, 2_500],
    [60_000, 60_000],
    [3_600_000, 60_000],
  ]
  for (const [retryAfterMs, waitMs] of cases) {
    const { clock, breaker: b } = breaker()
    b.limited(b.admit(), retryAfterMs)
    t.equal(b.waitMs, waitMs)
    t.same(b.state, { state: 'cooling', lastSuccessAgoMs: null, failures: 0 })
    clock.now += waitMs
    t.ok(call(b, 'succeeded'))
    t.equal(b.state.state, 'ok')
  }
})

t.test('tells what it knows', async (t) => {
  const { clock, breaker: b } = breaker()
  t.same(b.state, { state: 'untried', lastSuccessAgoMs: null, failures: 0 })
  call(b, 'released')
  t.equal(b.state.state, 'untried')
  call(b, 'failed')
  t.same(b.state, { state: 'ok', lastSuccessAgoMs: null, failures: 1 })
  call(b, 'succeeded')
  clock.now += 1_500
  t.same(b.state, { state: 'ok', lastSuccessAgoMs: 1_500, failures: 0 })
})

t.test('however calls end, it never waits above a minute and never shuts for good', async () => {
  const step = fc.record({
    verdict: fc.constantFrom('succeeded', 'failed', 'released', 'limited'),
    elapsed: fc.nat(5_000),
    // Which of the calls under way ends now.
    which: fc.nat(),
    begins: fc.nat(3),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const { clock, breaker: b } = breaker()
      const underWay: number[] = []
      for (const { verdict, elapsed, which, begins } of steps) {
        for (let i = 0; i < begins; i++) {
          const pass = b.admit()
          if (pass !== 0) underWay.push(pass)
        }
        clock.now += elapsed
        const [pass] = underWay.splice(which % (underWay.length || 1), 1)
        if (pass !== undefined && verdict === 'limited') b.limited(pass, elapsed * 100)
        else if (pass !== undefined) b[verdict as Verdict](pass)
        if (b.waitMs < 0 || b.waitMs > 60_000 || (b.waitMs === 0) !== b.isReady) return false
      }
      for (const pass of underWay) b.released(pass)
      clock.now += 60_000
      return call(b, 'succeeded') && b.state.state === 'ok'
    }),
  )
})

t.test('reads Retry-After in seconds and as a date', async (t) => {
  const now = Date.UTC(1994, 10, 6, 8, 49, 37)
  const cases: [value: string, ms: number | null][] = [
    ['0', 0],
    ['7', 7_000],
    ['120', 120_000],
    ['Sun, 06 Nov 1994 08:49:47 GMT', 10_000],
    ['Sunday, 06-Nov-94 08:49:38 GMT', 1_000],
    ['Sun, 06 Nov 1994 08:49:00 GMT', 0],
    ['', null],
    ['-1', null],
    ['1.5', null],
    ['9999999999', null],
    ['soon', null],
    ['soon GMT', null],
    ['Sun, 06 Nov 1994 08:49:47', null],
  ]
  for (const [value, ms] of cases) t.equal(parseRetryAfter(value, now), ms, value)
})
