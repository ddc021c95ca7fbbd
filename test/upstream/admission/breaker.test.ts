import t from 'tap'
import { Breaker, type CallFault } from '../../../src/upstream/admission/breaker.ts'
import { clockOf } from '../../fixtures/clock.ts'
import fc from '../../fixtures/fast-check.ts'

/** A breaker and a hand on its clock. */
function breaker() {
  const clock = { now: 1_000 }
  return { clock, breaker: new Breaker(clockOf({ now: () => clock.now })) }
}

type Verdict = 'succeeded' | CallFault | 'released'

/** A call that begins and ends at once. @returns whether it was admitted */
function call(b: Breaker, verdict: Verdict, client = 'one', question = 'what?', begunAt = 0): boolean {
  const pass = b.admit(client)
  if (pass === 0) return false
  if (verdict === 'succeeded' || verdict === 'released') b[verdict](pass)
  else b.failed(pass, verdict, { client, question, begunAt })
  return true
}

t.test('opens after five failures in a row', async (t) => {
  const { breaker: b } = breaker()
  for (const verdict of ['wrong', 'wrong', 'wrong', 'wrong', 'succeeded'] as const) t.ok(call(b, verdict))
  for (let i = 0; i < 5; i++) t.ok(call(b, 'wrong'), 'the success began a new row')
  t.equal(b.admit('one'), 0)
  t.notOk(b.isReady)
  t.ok(b.isOpen)
  t.equal(b.waitMs, 1_000)
})

t.test('lets one probe through after the cool-down, which doubles up to a minute', async (t) => {
  const { clock, breaker: b } = breaker()
  for (let i = 0; i < 5; i++) call(b, 'wrong')
  for (const coolDownMs of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
    t.equal(b.waitMs, coolDownMs)
    clock.now += coolDownMs - 1
    t.equal(b.admit('one'), 0)
    clock.now += 1
    t.ok(b.isReady)
    t.equal(b.waitMs, 0)
    const probe = b.admit('one')
    t.not(probe, 0)
    t.equal(b.admit('one'), 0, 'one probe, not two')
    t.equal(b.waitMs, 1_000)
    t.ok(b.isOpen)
    b.failed(probe, 'wrong', { client: 'one', question: 'what?', begunAt: clock.now })
  }
  clock.now += 60_000
  t.ok(call(b, 'succeeded'))
  t.notOk(b.isOpen)
  for (let i = 0; i < 5; i++) call(b, 'wrong')
  t.equal(b.waitMs, 1_000, 'and a success begins the doubling anew')
})

t.test('a probe that is given up leaves its place to the next', async (t) => {
  const { clock, breaker: b } = breaker()
  for (let i = 0; i < 5; i++) call(b, 'wrong')
  clock.now += 1_000
  t.ok(call(b, 'released'))
  t.ok(call(b, 'succeeded'))
  t.ok(b.isReady)
})

t.test('verdicts of calls that were admitted before it opened no longer count', async (t) => {
  const { clock, breaker: b } = breaker()
  const asked = { client: 'one', question: 'what?', begunAt: 0 }
  const late = [b.admit('one'), b.admit('one'), b.admit('one')]
  for (let i = 0; i < 5; i++) call(b, 'wrong')
  clock.now += 999
  b.failed(late[0]!, 'wrong', asked)
  t.equal(b.waitMs, 1, 'they do not prolong the cool-down')
  clock.now += 1
  const probe = b.admit('one')
  b.failed(late[1]!, 'wrong', asked)
  b.released(late[1]!)
  t.equal(b.admit('one'), 0, 'nor answer for the probe')
  b.succeeded(late[2]!)
  t.equal(b.admit('one'), 0)
  b.succeeded(probe)
  t.ok(b.isReady)
})

t.test('a client that knows a question which fails cannot open it while others ask', async (t) => {
  const { breaker: b } = breaker()
  call(b, 'succeeded', 'other')
  for (let i = 0; i < 20; i++) call(b, 'wrong', 'attacker', 'the same')
  for (let i = 0; i < 20; i++) call(b, 'wrong', 'attacker', `another ${i}`)
  t.ok(b.isReady)
  call(b, 'wrong', 'other')
  t.notOk(b.isReady, 'what fails for another too is the upstream')
})

t.test('one client alone needs no witness, whatever it asks', async (t) => {
  const { clock, breaker: b } = breaker()
  call(b, 'succeeded', 'other')
  call(b, 'succeeded', 'one')
  clock.now += 30_000
  for (let i = 0; i < 5; i++) call(b, 'wrong', 'one', 'the same')
  t.notOk(b.isReady, 'the others have not asked for half a minute')
})

t.test('a timeout counts only if nothing was answered since the call began', async (t) => {
  const { clock, breaker: b } = breaker()
  const begunAt = clock.now
  clock.now += 5_000
  b.answered()
  for (let i = 0; i < 9; i++) {
    clock.now += 1_000
    call(b, 'silent', 'one', `slow ${i}`, begunAt)
  }
  t.ok(b.isReady, 'the upstream answered others meanwhile')
  for (let i = 0; i < 5; i++) {
    clock.now += 1_000
    call(b, 'silent', 'one', `slow ${i}`, clock.now - 500)
  }
  t.notOk(b.isReady)
})

t.test('an answer at the moment at which a call began does not speak for the upstream', async (t) => {
  const { clock, breaker: b } = breaker()
  b.answered()
  const begunAt = clock.now
  for (let i = 0; i < 5; i++) {
    clock.now += 1_000
    call(b, 'silent', 'one', `slow ${i}`, begunAt)
  }
  t.notOk(b.isReady)
})

t.test('calls that expire together are one failure', async (t) => {
  const { clock, breaker: b } = breaker()
  for (let i = 0; i < 40; i++) call(b, 'silent', 'one', `slow ${i}`, clock.now)
  t.ok(b.isReady)
})

t.test("a failed connection is never the question's fault", async (t) => {
  const { breaker: b } = breaker()
  call(b, 'succeeded', 'other')
  for (let i = 0; i < 5; i++) call(b, 'unreachable', 'one', 'the same')
  t.notOk(b.isReady)
})

t.test('however calls end, it never waits above a minute and never shuts for good', async () => {
  const step = fc.record({
    verdict: fc.constantFrom<(Verdict | 'answered')[]>(
      'succeeded',
      'wrong',
      'silent',
      'unreachable',
      'released',
      'answered',
    ),
    elapsed: fc.nat(5_000),
    client: fc.constantFrom('a', 'b', 'c'),
    question: fc.constantFrom('x', 'y'),
    // Which of the calls under way ends now.
    which: fc.nat(),
    begins: fc.nat(3),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const { clock, breaker: b } = breaker()
      const passes: { pass: number; client: string; question: string; begunAt: number }[] = []
      for (const { verdict, elapsed, client, question, which, begins } of steps) {
        clock.now += elapsed
        for (let i = 0; i < begins; i++) {
          const pass = b.admit(client)
          if (pass !== 0) passes.push({ pass, client, question, begunAt: clock.now })
        }
        if (verdict === 'answered') b.answered()
        else if (passes.length > 0) {
          const [{ pass, ...asked }] = passes.splice(which % passes.length, 1) as [(typeof passes)[number]]
          if (verdict === 'succeeded' || verdict === 'released') b[verdict](pass)
          else b.failed(pass, verdict, asked)
        }
        if (b.waitMs > 60_000 || (b.waitMs === 0) !== b.isReady) return false
      }
      for (const { pass } of passes) b.released(pass)
      clock.now += 60_000
      return b.admit('a') !== 0
    }),
  )
})
