import t from 'tap'
import { Cooldowns, parseRetryAfter } from '../../src/upstream/cooldown.ts'
import { clockOf } from '../fixtures/clock.ts'

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
    ['1.5', null],
    ['9999999999', null],
    ['soon', null],
    ['soon GMT', null],
    ['Sun, 06 Nov 1994 08:49:47', null],
  ]
  for (const [value, ms] of cases) t.equal(parseRetryAfter(value, now), ms, value)
})
