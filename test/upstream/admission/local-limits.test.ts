/** The limits that threads keep together: one quota and one cooldown, whoever spends or meets them. */
import t from 'tap'
import { GATEWAY } from '../../../src/flow/cancellation.ts'
import { localLimits } from '../../../src/upstream/admission/local-limits.ts'
import { handClock } from '../../fixtures/clock.ts'
import { admissionOver } from '../../fixtures/shared-limits.ts'

const UPSTREAM = { label: 'provider', carries: 'calls', fingerprint: 'f' }
const SIZES = { fullMs: 10_000, costMs: 1_000, shareMs: 2_000 }

const ask = (more: object = {}) => ({
  lane: 'all',
  quotas: [{ lane: null, sizes: SIZES, unbookedMs: 0 }],
  priority: 'build' as const,
  client: GATEWAY,
  probeMs: 500,
  ...more,
})

t.test('a quota is spent by all together, and fills with time', async (t) => {
  const clock = handClock()
  const share = localLimits(clock)
  const threads = [share(UPSTREAM), share(UPSTREAM)]
  for (let nth = 0; nth < 10; nth++) {
    const { waitMs, creditsMs } = (await threads[nth % 2]!.decide(ask()))!
    t.equal(waitMs, 0)
    t.ok(Math.abs(creditsMs[0]! - (9_000 - nth * 1_000)) < 0.01)
  }
  t.equal((await threads[0]!.decide(ask()))!.waitMs, 1_000)
  const other = share({ ...UPSTREAM, fingerprint: 'g' })
  t.equal((await other.decide(ask()))!.waitMs, 0, 'another key has a quota of its own')
})

t.test(
  'a cooldown that one thread meets holds for all, one probe goes through, and an answer ends it',
  async (t) => {
    const clock = handClock()
    const share = localLimits(clock)
    const [one, two] = [share(UPSTREAM), share(UPSTREAM)]
    t.equal(await one!.look('all'), null)
    t.equal(await one!.startCooldown('all', { leftMs: 5_000, probeInMs: 0 }), true)
    t.match(await two!.decide(ask()), { waitMs: 0, cooldown: { probeInMs: 0 }, creditsMs: { length: 1 } })
    t.match(await one!.decide(ask()), { cooldown: { probeInMs: 500 }, creditsMs: [] }, 'the next is held')
    t.equal((await two!.look('all'))!.leftMs, 5_000)
    t.equal(await two!.look('other'), null)
    two!.endCooldown('all')
    t.equal((await one!.decide(ask()))!.cooldown, null)
  },
)

t.test('admissions over it admit together what one would', async (t) => {
  const clock = handClock()
  const share = localLimits(clock)
  const quota = { calls: 20, windowMs: 20_000 }
  const threads = [1, 2, 3].map(() => admissionOver(t, null, { clock, quota, shared: share(UPSTREAM) }))
  let admitted = 0
  for (let nth = 0; nth < 60; nth++) {
    const verdict = await threads[nth % 3]!.spend(undefined, 'all', 'build', GATEWAY)
    if (typeof verdict !== 'number' && verdict.waitMs === 0) admitted++
  }
  t.equal(admitted, 20)
})
