/**
 * What instances keep together towards an upstream, in a real Redis: by the same
 * rules as each keeps alone, and alone where there is no Redis.
 */
import type { ChildProcess } from 'node:child_process'
import t from 'tap'
import type { Priority } from '../../../../src/flow/call.ts'
import { GATEWAY } from '../../../../src/flow/cancellation.ts'
import { RedisLimits } from '../../../../src/gateway/redis/quotas.ts'
import type { Admission } from '../../../../src/upstream/admission/admission.ts'
import { Governor, RESERVED_PERCENT, shareOf } from '../../../../src/upstream/admission/governor.ts'
import type { UpstreamOptions } from '../../../../src/upstream/upstream.ts'
import { clockOf } from '../../../fixtures/clock.ts'
import fc from '../../../fixtures/fast-check.ts'
import type { Work } from '../../../fixtures/quota-child.ts'
import { openStore, skipWithoutRedis, startRedis, until } from '../../../fixtures/redis.ts'
import {
  admissionOver,
  askMany,
  countingProvider,
  startProcesses,
  upstreamOver,
  work,
} from '../../../fixtures/shared-limits.ts'

const skip = skipWithoutRedis()
const PRIORITIES = Object.keys(RESERVED_PERCENT) as Priority[]

/** Until the next call of the gateway's own; 0 where this one was spent. */
async function waitMs(admission: Admission, lane?: string): Promise<number> {
  const verdict = await admission.spend(lane, lane ?? 'all', 'build', GATEWAY)
  return typeof verdict === 'number' ? verdict : verdict.waitMs
}

const step = fc.record({
  ms: fc.oneof(
    { weight: 6, arbitrary: fc.nat(500) },
    { weight: 2, arbitrary: fc.nat(20_000) },
    { weight: 1, arbitrary: fc.integer({ min: 59_000, max: 61_000 }) },
    { weight: 1, arbitrary: fc.nat(8_000_000) },
  ),
  priority: fc.constantFrom(...PRIORITIES),
  client: fc.constantFrom(GATEWAY, 'a', 'a', 'b', 'c'),
})
const quota = fc.record({
  calls: fc.integer({ min: 1, max: 90 }),
  windowMs: fc.constantFrom(1_000, 7_000, 10_000, 60_000, 7_200_000),
  burst: fc.constantFrom(1, 7, 30),
})

t.test('decides as a governor does, also where keys have ended by themselves', { skip }, async (t) => {
  const redis = await startRedis(t)
  const { store } = await openStore(t, redis.url)
  let runs = 0
  let admitted = 0
  let refused = 0
  let ended = 0
  await fc.assert(
    fc.asyncProperty(quota, fc.array(step, { minLength: 60, maxLength: 120 }), async (quota, steps) => {
      let now = 1_763_800_000_000
      const identity = { label: 'p', carries: 'calls', fingerprint: `run${runs++}` }
      const limits = new RedisLimits(store, identity, () => now)
      const governor = new Governor(quota, clockOf({ now: () => now }))
      const key = (name: string): string => store.key(`p:calls:${identity.fingerprint}`, name)
      const endsAt = new Map<string, number>()
      for (const { ms, priority, client } of steps) {
        now += ms
        for (const [name, at] of endsAt) {
          if (now < at) continue
          ended++
          endsAt.delete(name)
          await store.command(key(name), ['DEL', key(name)])
        }
        const expected = governor.admit(priority, client)
        const quotas = [{ lane: null, sizes: governor.sizes, unbookedMs: 0 }]
        const decision = await limits.decide({ lane: 'all', quotas, priority, client, probeMs: 1_000 })
        if (decision?.waitMs !== expected) {
          throw new Error(`${decision?.waitMs} in the place of ${expected} at ${now}`)
        }
        if (decision.cooldown !== null) throw new Error('nothing is held back')
        const { left } = governor.state
        const told = Math.floor((decision.creditsMs[0]! + 1.5) / governor.sizes.costMs)
        if (Math.abs(told - left) > 1) throw new Error(`${told} are left in the place of ${left}`)
        if (expected === 0) admitted++
        else refused++
        const names = ['quota', `share:${shareOf(priority, client)}`]
        const lefts = await Promise.all(names.map((name) => store.command(key(name), ['PTTL', key(name)])))
        for (const [i, name] of names.entries()) {
          const leftMs = lefts[i] as number
          if (leftMs === -1) throw new Error(`${name} never ends`)
          // What has passed since is in Redis's time, which goes on by itself.
          if (leftMs > 0) endsAt.set(name, now + leftMs + 20)
        }
      }
    }),
    { numRuns: 20, seed: 20_261_122 },
  )
  t.equal(runs, 20)
  t.comment(`${admitted} were admitted, ${refused} were not, ${ended} keys had ended`)
  t.ok(admitted > 200 && refused > 200 && ended > 200)
})

t.test('a clock that steps back neither adds to a quota nor takes from it', { skip }, async (t) => {
  const redis = await startRedis(t)
  const { store } = await openStore(t, redis.url, { answerMs: 5_000 })
  let now = 1_763_800_000_000
  const identity = { label: 'p', carries: 'calls', fingerprint: 'stepping' }
  const limits = new RedisLimits(store, identity, () => now)
  const { sizes } = new Governor({ calls: 10, windowMs: 10_000 }, clockOf({ now: () => now }))
  const quotas = [{ lane: null, sizes, unbookedMs: 0 }]
  const spend = async (client: string) =>
    (await limits.decide({ lane: 'all', quotas, priority: 'build', client, probeMs: 1_000 }))!
  t.match(await spend(GATEWAY), { waitMs: 0, creditsMs: [9_000] })
  now -= 5_000
  t.match(await spend(GATEWAY), { waitMs: 0, creditsMs: [8_000] })
  now += 1_000
  t.match(await spend(GATEWAY), { waitMs: 0, creditsMs: [8_000] }, 'from there on it fills as it did')
  t.match(await spend('a'), { waitMs: 0, creditsMs: [7_000] })
  now -= 3_600_000
  t.match(await spend('a'), { waitMs: 0, creditsMs: [6_000] }, "nor to a client's share")
})

t.test(
  'a lane has its own quota in addition to the whole one, as in a single instance',
  { skip },
  async (t) => {
    const redis = await startRedis(t)
    const { store } = await openStore(t, redis.url)
    const quotas = {
      quota: { calls: 5, windowMs: 3_600_000 },
      laneQuota: { calls: 3, windowMs: 3_600_000 },
    }
    const together = admissionOver(t, store, quotas)
    const alone = admissionOver(t, null, quotas)
    for (const lane of ['a', 'a', 'a', 'a', 'b', 'b', 'b', 'a', undefined]) {
      const isMade = (await waitMs(together, lane)) === 0
      t.equal(isMade, (await waitMs(alone, lane)) === 0, lane ?? 'no lane')
    }
  },
)

t.test("a client has its share of a lane's quota and of the whole, as alone", { skip }, async (t) => {
  const redis = await startRedis(t)
  const { store } = await openStore(t, redis.url, { answerMs: 10_000 })
  const hour = { calls: 10, windowMs: 3_600_000 }
  const quotas = { quota: hour, laneQuota: hour }
  const [together, alone] = [admissionOver(t, store, quotas), admissionOver(t, null, quotas)]
  const made = async (admission: Admission, lane: string, client: string): Promise<boolean> => {
    const verdict = await admission.spend(lane, lane, 'build', client)
    return (typeof verdict === 'number' ? verdict : verdict.waitMs) === 0
  }
  for (const [lane, client, isMade] of [
    ['z', 'b', true],
    ['x', 'a', true],
    ['x', 'a', true],
    ['x', 'a', false],
    ['y', 'a', false],
    ['y', 'b', true],
    ['x', 'b', false],
    ['x', 'c', true],
    ['y', 'c', true],
    ['z', 'c', false],
  ] as const) {
    const name = `${client} on ${lane}`
    t.same([await made(together, lane, client), await made(alone, lane, client)], [isMade, isMade], name)
  }
})

t.test('a client has all that is spare once no other has asked for a minute', { skip }, async (t) => {
  const redis = await startRedis(t)
  const { store } = await openStore(t, redis.url, { answerMs: 10_000 })
  for (const [afterMs, calls] of [
    [59_999, 4],
    [60_000, 10],
  ] as const) {
    let now = 1_763_800_000_000
    const identity = { label: 'p', carries: 'calls', fingerprint: `after ${afterMs}` }
    const limits = new RedisLimits(store, identity, () => now)
    const governor = new Governor({ calls: 20, windowMs: 10_000 }, clockOf({ now: () => now }))
    const quotas = [{ lane: null, sizes: governor.sizes, unbookedMs: 0 }]
    const spend = async (client: string): Promise<boolean> => {
      const decision = await limits.decide({ lane: 'all', quotas, priority: 'build', client, probeMs: 1_000 })
      t.equal(decision!.waitMs, governor.admit('build', client))
      return decision!.waitMs === 0
    }
    await spend('a')
    now += afterMs
    let made = 0
    while (await spend('b')) made++
    t.equal(made, calls, `${afterMs} ms after another has asked`)
  }
})

t.test('instances with another key, or at another host, share nothing', { skip }, async (t) => {
  const redis = await startRedis(t)
  const { store } = await openStore(t, redis.url)
  const provider = await countingProvider(t)
  const askAll = async (options: Partial<UpstreamOptions>): Promise<number> => {
    const upstream = upstreamOver(t, store, {
      url: provider.url,
      quota: { calls: 4, windowMs: 3_600_000 },
      ...options,
    })
    return (await askMany(upstream, 10)).filter((outcome) => outcome === 'made').length
  }
  t.equal(await askAll({}), 4)
  t.equal(await askAll({}), 0, 'the same')
  t.equal(await askAll({ headers: { 'x-api-key': 'another' } }), 4)
  t.equal(await askAll({ url: `${provider.url}/v2` }), 4)
  t.equal(await askAll({ label: 'other' }), 4)
  t.equal(await askAll({ carries: 'quotes' }), 4)
  t.notMatch(redis.cli('KEYS', '*'), /another|127\.0\.0\.1/, 'and nothing of a key or a host stands in Redis')
})

t.test('four processes together make as many calls as one may', { skip }, async (t) => {
  const redis = await startRedis(t)
  const provider = await countingProvider(t)
  const processes = await startProcesses(t, 4, redis.url, provider.url, 100)
  const outcomes = await Promise.all(
    processes.map((one) => work(one, { calls: 50, client: GATEWAY, priority: 'build' })),
  )
  t.equal(outcomes.flat().filter((outcome) => outcome === 'made').length, 100)
  t.equal(provider.calls(), 100, 'of 200 that were asked for')
  t.same(new Set(outcomes.flat()), new Set(['made', 'upstream_rate_limited']))

  // One whose calls were all early has not seen yet that nothing is left, and might go on alone with what was.
  for (const one of processes) {
    t.same(await work(one, { calls: 1, client: GATEWAY, priority: 'build' }), ['upstream_rate_limited'])
  }
  await redis.kill()
  const later = await Promise.all(
    processes.map((one) => work(one, { calls: 50, client: GATEWAY, priority: 'build' })),
  )
  t.equal(later.flat().filter((outcome) => outcome === 'made').length, 0)
  t.equal(provider.calls(), 100, 'nor does any have a bucket of its own left when Redis is lost')
})

t.test('a greedy client at one process leaves a bystander at another its share', { skip }, async (t) => {
  const redis = await startRedis(t)
  const provider = await countingProvider(t)
  const processes = await startProcesses(t, 2, redis.url, provider.url, 100)
  const [one, other] = processes as [ChildProcess, ChildProcess]
  const made = async (process: ChildProcess, asked: Work): Promise<number> =>
    (await work(process, asked)).filter((outcome) => outcome === 'made').length
  t.equal(await made(one, { calls: 100, client: 'greedy', priority: 'quote' }), 50)
  t.equal(await made(other, { calls: 20, client: 'bystander', priority: 'quote' }), 20)
  t.equal(await made(one, { calls: 100, client: 'greedy', priority: 'quote' }), 0)
  t.equal(await made(other, { calls: 100, client: 'greedy', priority: 'quote' }), 0, 'nor at another')
  t.equal(await made(other, { calls: 20, client: 'greedy', priority: 'build' }), 20)
})

t.test('an instance that decided alone books it once Redis is back', { skip }, async (t) => {
  const redis = await startRedis(t)
  const { store } = await openStore(t, redis.url)
  const options = { quota: { calls: 10, windowMs: 3_600_000 } }
  const admission = admissionOver(t, store, options)
  for (let i = 0; i < 3; i++) t.equal(await waitMs(admission), 0)
  await redis.kill()
  for (let i = 0; i < 4; i++) t.equal(await waitMs(admission), 0, 'Redis is gone, and nobody has to know')
  await redis.restart()
  await until(() => store.state === 'ok')
  // The new one remembers nothing: it learns of four calls, and of the one that tells it.
  t.equal(await waitMs(admission), 0)
  const other = admissionOver(t, store, options)
  let made = 0
  while ((await waitMs(other)) === 0) made++
  t.equal(made, 5)
})

t.test(
  "another program's values under a quota's keys decide nothing, and do not stay",
  { skip },
  async (t) => {
    const redis = await startRedis(t)
    const { store } = await openStore(t, redis.url)
    const now = 4e12
    const limits = new RedisLimits(store, { label: 'p', carries: 'calls', fingerprint: 'f' }, () => now)
    // Redis counts the life of a key by its own clock: long enough for the look at it behind each decision.
    const sizes = { fullMs: 100_000, costMs: 10_000, shareMs: 50_000 }
    const quotas = [{ lane: null, sizes, unbookedMs: 0 }]
    const decide = () =>
      limits.decide({ lane: 'all', quotas, priority: 'build', client: 'a', probeMs: 1_000 })
    const key = (name: string) => store.key('p:calls:f', name)
    const [pause, bucket, share] = [key('pause:all'), key('quota'), key(`share:${shareOf('build', 'a')}`)]
    const fresh = { waitMs: 0, cooldown: null, creditsMs: [90_000] }
    t.match(await decide(), fresh)
    for (const [title, command] of [
      ['a cooldown that is a text', ['SET', pause, 'x']],
      ['a quota that is a list', ['RPUSH', bucket, 'x']],
      ['a share that is a set', ['SADD', share, 'x']],
      ['a cooldown that is over', ['HSET', pause, 'ends', String(now), 'probeAt', String(now)]],
      ['a cooldown of years', ['HSET', pause, 'ends', '1e300', 'probeAt', '1e300']],
      ['a cooldown that never ends', ['HSET', pause, 'ends', 'inf', 'probeAt', 'inf']],
      ['a cooldown that is no time', ['HSET', pause, 'ends', 'nan', 'probeAt', 'x']],
      ['a cooldown without a probe', ['HSET', pause, 'ends', '1e300']],
      ['a quota above all', ['HSET', bucket, 'credit', '1e300', 'at', '0']],
      ['a quota that is no number', ['HSET', bucket, 'credit', 'nan', 'at', 'nan']],
    ] as const) {
      redis.cli('DEL', pause, bucket, share)
      t.notMatch(redis.cli(...command), /ERR/, title)
      t.match(await decide(), fresh, title)
      t.equal(redis.cli('EXISTS', pause), '0', title)
      for (const kept of [bucket, share]) t.match(redis.cli('PTTL', kept), /^[1-9]/, title)
    }
    redis.cli('DEL', pause, bucket, share)
    redis.cli('HSET', bucket, 'credit', '-1e300', 'at', String(now))
    t.match(await decide(), { waitMs: 10_000, creditsMs: [0] }, 'a debt is no longer than the quota')
    redis.cli('DEL', pause, bucket, share)
    redis.cli('HSET', pause, 'ends', String(now + 500_000), 'probeAt', String(now + 500))
    t.match(await decide(), { cooldown: { leftMs: 500_000, probeInMs: 500 } })
    const left = Number(redis.cli('PTTL', pause))
    t.ok(left > 0 && left <= 500_000, 'and one that is in force gets its end')
    redis.cli('DEL', pause)
    redis.cli('SET', pause, 'x')
    t.ok(
      await limits.startCooldown('all', { leftMs: 500_000, probeInMs: 500 }),
      'nor does it keep one from starting',
    )
    t.match(await limits.look('all'), { leftMs: 500_000 })
    t.equal(store.state, 'ok')
  },
)

t.test("a reply of Redis that isn't a decision decides nothing", async (t) => {
  const answers: unknown[] = [
    undefined,
    null,
    'OK',
    [],
    [0, 0],
    [0, 0, 0],
    [0, 0, 0, 1, 2],
    ['0', 0, 0, 1],
    [-1, 0, 0, 1],
    [0.5, 0, 0, 1],
    [0, 9, 9, 1],
    [Number.MAX_SAFE_INTEGER, 0, 0, 1],
    [0, 0, 0, null],
  ]
  for (const answer of answers) {
    const run = async () => answer
    const lying = { key: (tag: string, name: string) => `${tag} ${name}`, run, command: run }
    const admission = admissionOver(t, lying, { quota: { calls: 2, windowMs: 3_600_000 } })
    const waits = []
    for (let i = 0; i < 3; i++) waits.push(await waitMs(admission))
    t.same(waits.slice(0, 2), [0, 0], JSON.stringify(answer))
    t.ok(waits[2]! > 0)
    t.same(admission.cooldowns.active, [])
    const limits = new RedisLimits(lying, { label: 'p', carries: 'calls', fingerprint: 'f' })
    // Three zeros are an answer to who only looks: nothing is held back.
    const expected = JSON.stringify(answer) === '[0,0,0]' ? null : undefined
    t.equal(await limits.look('all'), expected, `${JSON.stringify(answer)} to a look`)
  }
})
