import t from 'tap'
import {
  mergedStates,
  newerError,
  UpstreamHealth,
  type UpstreamState,
  untried,
} from '../../src/upstream/health.ts'
import { clockOf } from '../fixtures/clock.ts'

t.test('a state follows from the last answers', async (t) => {
  let now = 1_000
  const standing = new UpstreamHealth(clockOf({ now: () => now }))
  const state = (): UpstreamState => standing.state('node', false, false)
  t.same(state(), { name: 'node', state: 'untried', lastSuccessAgoMs: null, failures: 0, lastError: null })
  t.same(untried('node'), state())
  standing.ended({ failure: 'upstream_status', isFault: false, status: 400 })
  t.match(state(), { state: 'degraded', failures: 0 }, 'it never did what it was asked')
  standing.ended({ failure: null, isFault: false, status: 200 })
  now += 50
  t.match(state(), { state: 'ok', lastSuccessAgoMs: 50, lastError: { agoMs: 50 } })
  standing.ended({ failure: 'upstream_status', isFault: false, status: 413 })
  t.match(state(), { state: 'ok', lastError: { status: 400 } }, 'a refusal of the question is no news')
  standing.ended({ failure: 'upstream_rate_limited', isFault: false, status: 429 })
  t.match(state(), { state: 'ok', lastError: { code: 'upstream_rate_limited', status: 429, agoMs: 0 } })
  t.match(standing.state('node', false, true), { state: 'degraded' }, 'limited in part')
  standing.ended({ failure: 'upstream_failed', isFault: true, status: 503 })
  t.match(state(), { state: 'degraded', failures: 1 })
  t.match(standing.state('node', true, false), { state: 'cooling' })
  standing.ended({ failure: null, isFault: false, status: 200 })
  t.match(state(), { state: 'ok', failures: 0 })
  for (const expected of ['ok', 'ok', 'refused']) {
    standing.ended({ failure: 'upstream_refused', isFault: false, status: 401 })
    t.match(
      state(),
      { state: expected },
      'it answered a while ago, so that one 401 may be about the question',
    )
  }
  standing.ended({ failure: null, isFault: false, status: 200 })
  for (const expected of ['ok', 'ok', 'degraded']) {
    standing.ended({ failure: 'upstream_failed', isFault: false, status: 200 })
    t.match(state(), { state: expected })
  }
})

t.test('several upstreams of one name are one', async (t) => {
  const error = (agoMs: number) => ({ code: 'upstream_failed', status: 503, agoMs }) as const
  const one = (
    state: UpstreamState['state'],
    lastSuccessAgoMs: number | null = null,
    lastError: UpstreamState['lastError'] = null,
  ): UpstreamState => ({
    name: 'xprov',
    state,
    lastSuccessAgoMs,
    failures: lastError === null ? 0 : 1,
    lastError,
  })
  const cases: [UpstreamState['state'], UpstreamState['state'], UpstreamState['state']][] = [
    ['untried', 'untried', 'untried'],
    ['untried', 'refused', 'refused'],
    ['cooling', 'untried', 'cooling'],
    ['ok', 'ok', 'ok'],
    ['ok', 'cooling', 'degraded'],
    ['refused', 'cooling', 'degraded'],
  ]
  for (const [first, second, both] of cases)
    t.match(mergedStates([one(first), one(second)]), [{ state: both }])
  t.same(mergedStates([one('ok', 9), one('degraded', 7, error(3)), { ...one('ok'), name: 'velora' }]), [
    one('degraded', 7, error(3)),
    { ...one('ok'), name: 'velora' },
  ])
  t.same(mergedStates([one('cooling', 9, error(5)), one('cooling', null, error(3))]), [
    one('cooling', 9, error(3)),
  ])
})

t.test('of two upstreams with one name, the later success and the later error are shown', async (t) => {
  const error = (agoMs: number) => ({ code: 'upstream_failed', status: 503, agoMs }) as const
  const state = (lastSuccessAgoMs: number | null) => ({ ...untried('a'), lastSuccessAgoMs })
  for (const [one, other, both] of [
    [null, null, null],
    [5, null, 5],
    [null, 7, 7],
    [5, 7, 5],
    [7, 5, 5],
  ] as const) {
    t.match(mergedStates([state(one), state(other)]), [{ lastSuccessAgoMs: both }])
    const errorOf = (agoMs: number | null) => (agoMs === null ? null : error(agoMs))
    t.same(newerError(errorOf(one), errorOf(other)), errorOf(both))
  }
})

t.test('one that never succeeded is refused at its first refusal', async (t) => {
  const health = new UpstreamHealth(clockOf({ now: () => 1_000 }))
  health.ended({ failure: 'upstream_refused', isFault: false, status: 401 })
  t.match(health.state('a', false, false), { state: 'refused', failures: 1, lastSuccessAgoMs: null })
  t.match(health.state('a', true, false), { state: 'cooling' })
  health.ended({ failure: null, isFault: false, status: 200 })
  t.match(health.state('a', false, false), { state: 'ok', failures: 0 })
  health.barred('upstream_unusable')
  t.match(health.state('a', true, true), { state: 'refused', lastError: { status: null } })
})
