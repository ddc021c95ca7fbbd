import { LRUCache } from 'lru-cache'
import t from 'tap'
import { boundedCache } from '../../src/runtime/bounded-cache.ts'
import { clockOf } from '../fixtures/clock.ts'

t.test('the number of entries is bounded, and the most recently used ones stay', async (t) => {
  const cache = boundedCache<number, string>({ max: 3 })
  for (const key of [1, 2, 3]) cache.set(key, `${key}`)
  cache.get(1)
  cache.set(3, 'again')
  cache.set(4, '4')
  t.same([...cache.keys()].sort(), [1, 3, 4])
  t.equal(cache.size, 3)
  t.equal(cache.get(3), 'again')
})

t.test('its lifetimes hold as in any cache', async (t) => {
  const time = { now: 1_000 }
  const clock = clockOf({ now: () => time.now })
  const cache = boundedCache<string, number>({ max: 10_000, ttlMs: 50, clock })
  cache.set('key', 1)
  time.now += 50
  t.equal(cache.get('key'), 1)
  time.now += 1
  t.equal(cache.get('key'), undefined)
})

t.test('places are allocated as they are filled', async (t) => {
  const placesOf = (cache: LRUCache<string, number>) => LRUCache.unsafeExposeInternals(cache).keyList.length
  const cache = boundedCache<string, number>({ max: 10_000 })
  t.equal(placesOf(cache), 0)
  cache.set('key', 1)
  t.equal(placesOf(cache), 1)
  t.equal(placesOf(new LRUCache({ max: 10_000 })), 10_000, 'as for max')
})
