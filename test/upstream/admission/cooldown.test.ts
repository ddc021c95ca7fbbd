import t from 'tap'
import { Cooldowns, parseCooldown, parseRetryAfter } from '../../../src/upstream/admission/cooldown.ts'
import { clockOf } from '../../fixtures/clock.ts'

function pauses(options = { maxMs: 60_000, probeMs: 10_000 }) {
  const clock = { now: 1_000 }
  return { clock, pauses: new Cooldowns(clockOf({ now: () => clock.now }), options) }
}

t.test('a 429 pauses its lane for as long as it asks, within bounds, and no other', async (t) => {
  const cases: [askedMs: number | null, leftMs: number][] = [
    [null, 1_000],
    [0, 1_000],
    [2_500, 2_500],
    [60_000, 60_000],
    [3_600_000, 60_000],
  ]
  for (const [askedMs, leftMs] of cases) {
    const { clock, pauses: p } = pauses({ maxMs: 60_000, probeMs: 90_000 })
    t.notOk(p.isAny)
    p.limited('getBalance', askedMs)
    t.equal(p.leftMs('getBalance'), leftMs)
    t.notOk(p.isReady('getBalance'))
    t.ok(p.isReady('getSlot'))
    t.equal(p.leftMs('getSlot'), 0)
    t.ok(p.isAny)
    clock.now += leftMs
    t.ok(p.isReady('getBalance'))
    t.notOk(p.isAny)
  }
})

t.test('in a long pause a call goes through once in a while, to see', async (t) => {
  const { clock, pauses: p } = pauses()
  p.limited('all', 60_000)
  clock.now += 9_999
  t.notOk(p.isReady('all'))
  clock.now += 1
  t.ok(p.isReady('all'))
  p.begin('all')
  t.notOk(p.isReady('all'), 'one, not two')
  t.equal(p.leftMs('all'), 50_000, 'what the upstream asked for is what callers are told')
  p.limited('all', 50_000)
  clock.now += 10_000
  t.ok(p.isReady('all'))
  p.begin('all')
  p.succeeded('all')
  t.ok(p.isReady('all'))
  t.equal(p.leftMs('all'), 0, 'an answer ends the pause')
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
    ['1.5', 1_500],
    ['0.5', 500],
    ['0.0001', 1],
    ['1.', null],
    ['.5', null],
    ['1e3', null],
    ['9999999999', null],
    ['soon', null],
    ['soon GMT', null],
    ['Sun, 06 Nov 1994 08:49:47', null],
  ]
  for (const [value, ms] of cases) t.equal(parseRetryAfter(value, now), ms, value)
})

t.test(
  'a 429 says how long in the header of its provider, and Retry-After counts before the others',
  async (t) => {
    const now = 1_800_000_000_000
    const cases: [headers: Record<string, string>, ms: number | null][] = [
      [{}, null],
      [{ 'retry-after': '7' }, 7_000],
      [{ 'retry-after': '7', 'x-ratelimit-reset': '9', 'ratelimit-reset': '11' }, 7_000],
      [{ 'retry-after': 'soon', 'ratelimit-reset': '11' }, null],
      [{ 'x-ratelimit-reset': '9', 'ratelimit-reset': '11' }, 9_000],
      [{ 'ratelimit-reset': '11' }, 11_000],
      [{ 'x-ratelimit-reset': '1800000004' }, 4_000],
      [{ 'x-ratelimit-reset': '1799999999' }, 0],
      [{ 'x-ratelimit-reset': '1000000000' }, 0],
      [{ 'x-ratelimit-reset': '999999999' }, 999_999_999_000],
      [{ 'ratelimit-reset': '12345678901' }, null],
      [{ 'ratelimit-reset': '1.5' }, 2_000],
      [{ 'x-ratelimit-reset-after': '3' }, 3_000],
      [{ 'x-ratelimit-reset-after': '0.25', 'x-ratelimit-reset': '1800000004' }, 250],
      [{ 'x-ratelimit-reset-after': 'soon', 'ratelimit-reset': '11' }, 11_000],
      [{ 'retry-after': '7', 'x-ratelimit-reset-after': '3' }, 7_000],
    ]
    for (const [headers, ms] of cases) t.equal(parseCooldown(headers, now), ms, JSON.stringify(headers))
  },
)

t.test(
  'what other instances say of a lane is taken, but for a cooldown that they do not know yet',
  async (t) => {
    const { clock, pauses: p } = pauses()
    p.adopt('all', { leftMs: 90_000, probeInMs: 20_000 })
    t.equal(p.leftMs('all'), 60_000, 'within the bounds of this one')
    t.same(p.toShare('all'), { leftMs: 60_000, probeInMs: 10_000 })
    clock.now += 9_999
    t.notOk(p.isReady('all'))
    clock.now += 1
    t.ok(p.isReady('all'))
    t.same(p.toShare('all'), { leftMs: 50_000, probeInMs: 0 })
    p.adopt('all', null)
    t.notOk(p.has('all'), 'its end is taken, too')
    t.equal(p.toShare('all'), null)

    p.limited('all', 30_000)
    p.adopt('all', null)
    p.adopt('all', { leftMs: 1, probeInMs: 1 })
    t.same(p.toShare('all'), { leftMs: 30_000, probeInMs: 10_000 })
    t.same(p.active, [{ lane: 'all', leftMs: 30_000 }])
    p.markShared('all')
    p.adopt('all', null)
    t.same(p.active, [])
  },
)

t.test('listeners hear once that a lane stops, and once that it is answered again', async (t) => {
  const told: string[] = []
  const p = new Cooldowns(clockOf({ now: () => 1_000 }), {
    maxMs: 60_000,
    probeMs: 10_000,
    onStarted: (lane) => told.push(`${lane} stops`),
    onEnded: (lane) => told.push(`${lane} is back`),
  })
  p.succeeded('a')
  p.limited('a', null)
  p.succeeded('b')
  p.succeeded('a')
  p.succeeded('a')
  t.same(told, ['a stops', 'a is back'])
})
