/** What an upstream's 429 to one instance holds back at the others. */
import t from 'tap'
import { movedClock } from '../../fixtures/clock.ts'
import { openStore, skipWithoutRedis, startRedis, until } from '../../fixtures/redis.ts'
import { askMany, countingProvider, upstreamOver } from '../../fixtures/shared-limits.ts'

const skip = skipWithoutRedis()
const PROBE_MS = 10_000

for (const [title, quota] of [
  ['an upstream without a quota', null],
  ['an upstream with a quota', { calls: 1_000, windowMs: 60_000 }],
] as const) {
  t.test(
    `${title}: a 429 to one holds all back, and one call of all goes through to see`,
    { skip },
    async (t) => {
      const redis = await startRedis(t)
      const clock = movedClock()
      const provider = await countingProvider(t)
      const instances = await Promise.all(
        [1, 2, 3].map(async () => {
          const { store } = await openStore(t, redis.url)
          return upstreamOver(t, store, { url: provider.url, quota, probeMs: PROBE_MS }, clock)
        }),
      )
      const [told] = instances
      /** How many calls went out, of four at each instance at one time. */
      const sent = async (): Promise<number> => {
        const before = provider.calls()
        await Promise.all(instances.map((instance) => askMany(instance, 4)))
        return provider.calls() - before
      }
      provider.limit(30)
      t.same(await askMany(told!, 1), ['upstream_rate_limited'])
      await until(() => redis.cli('KEYS', '*:pause:all') !== '')
      t.equal(await sent(), 0, 'all hold back')
      for (const instance of instances) {
        t.notOk(instance.isReady())
        t.equal(instance.waitMs(), 30_000)
      }
      clock.move(PROBE_MS)
      t.equal(await sent(), 1, 'one looks')
      clock.move(PROBE_MS)
      provider.limit(null)
      t.same(await askMany(told!, 1), ['made'], 'one looks again, and it is over')
      await until(() => instances.every(({ diagnosis }) => diagnosis.cooldowns.length === 0))
      t.equal(await sent(), 12)
    },
  )
}

t.test('a local cooldown continues when Redis is lost, and ends by itself', { skip }, async (t) => {
  const redis = await startRedis(t)
  const clock = movedClock()
  const provider = await countingProvider(t)
  const [one, other] = await Promise.all(
    [1, 2].map(async () => {
      const { store } = await openStore(t, redis.url)
      return upstreamOver(t, store, { url: provider.url, probeMs: PROBE_MS }, clock)
    }),
  )
  provider.limit(30)
  await askMany(one!, 1)
  await until(() => redis.cli('KEYS', '*:pause:all') !== '')
  await askMany(other!, 1)
  await redis.kill()
  t.notOk(one!.isReady())
  t.notOk(other!.isReady(), 'what it knows of the other, too')
  provider.limit(null)
  clock.move(PROBE_MS)
  t.same(await askMany(other!, 1), ['made'], 'each looks for itself')
  t.same(await askMany(one!, 1), ['made'])
  t.equal(provider.calls(), 3)
})

t.test(
  'instances that learn of a pause when its probe is due do not let several calls through',
  { skip },
  async (t) => {
    const redis = await startRedis(t)
    const clock = movedClock()
    const provider = await countingProvider(t)
    const [one, other] = await Promise.all(
      [1, 2].map(async () => {
        const { store } = await openStore(t, redis.url)
        return upstreamOver(t, store, { url: provider.url, probeMs: PROBE_MS }, clock)
      }),
    )
    provider.limit(30)
    await askMany(one!, 1)
    await until(() => redis.cli('KEYS', '*:pause:all') !== '')
    clock.move(PROBE_MS)
    await askMany(other!, 8)
    t.equal(provider.calls(), 2)
  },
)
