import t from 'tap'
import { RedisInstances } from '../../../src/gateway/redis/instances.ts'
import type { Store } from '../../../src/gateway/redis/store.ts'
import { openStore, skipWithoutRedis, startRedis, until } from '../../fixtures/redis.ts'

const join = (store: Store, isDraining = false): RedisInstances =>
  new RedisInstances({ store, isDraining: () => isDraining, beatMs: 20 })

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
  const { store: apart } = await openStore(t, redis.url)
  const first = join(apart)
  t.equal(first.seen, null, 'Redis has not said yet')
  await until(() => seenBy(first) === 'itself ready')
  redis.cli('HSET', key, 'of nobody', 'something')
  const second = join(store, true)
  await until(() => seenBy(first) === 'itself ready,other draining')
  await until(() => seenBy(second) === 'itself draining,other ready')
  apart.close()
  await until(() => seenBy(second) === 'itself draining')
  await redis.kill()
  await until(() => second.seen === null)
})
