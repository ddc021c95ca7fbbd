import t, { type Test } from 'tap'
import { RedisInstances } from '../../../src/gateway/redis/instances.ts'
import type { Store } from '../../../src/gateway/redis/store.ts'
import { STILL } from '../../fixtures/clock.ts'
import { openStore, skipWithoutRedis, startRedis, until } from '../../fixtures/redis.ts'

function join(t: Test, store: Store, isDraining = false): RedisInstances {
  const instances = new RedisInstances({ store, clock: STILL, isDraining: () => isDraining, beatMs: 20 })
  t.teardown(() => instances.close())
  return instances
}

const seenBy = ({ seen }: RedisInstances): string | undefined =>
  seen
    ?.map(({ state, isThis }) => `${isThis ? 'itself' : 'other'} ${state}`)
    .sort()
    .join()

t.test('instances see each other; one that is silent has left', { skip: skipWithoutRedis() }, async (t) => {
  const redis = await startRedis(t)
  const { store } = await openStore(t, redis.url)
  const key = store.key('instances', 'beats')
  redis.cli('SET', key, 'of another program')
  const first = join(t, store)
  t.equal(first.seen, null, 'Redis has not said yet')
  await until(() => seenBy(first) === 'itself ready')
  redis.cli('HSET', key, 'of nobody', 'something')
  const second = join(t, store, true)
  await until(() => seenBy(first) === 'itself ready,other draining')
  await until(() => seenBy(second) === 'itself draining,other ready')
  first.close()
  await until(() => seenBy(second) === 'itself draining')
  await redis.kill()
  await until(() => second.seen === null)
})
