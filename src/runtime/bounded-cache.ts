import { LRUCache } from 'lru-cache'
import { CLOCK, type Clock } from './clock.ts'
import { recorded } from './tape.ts'

/** A cache made by `boundedCache`. */
export type BoundedCache<K extends {}, V extends {}> = LRUCache<K, V>

interface Bounds<K extends {}, V extends {}> {
  /** Entries, or the sum of their sizes; the least recently used one is evicted. */
  readonly max: number
  /** The size of an entry, at least 1; absent: each counts as one. */
  readonly sizeOf?: (value: V, key: K) => number
  /** How long an entry stays, ms; absent: until its place is needed, or as long as `set` says. */
  readonly ttlMs?: number
  readonly clock?: Clock
  /** Whether its owner records what it answers with. */
  readonly isRecorded?: boolean
  readonly dispose?: (value: V, key: K) => void
}

/**
 * For `max`, LRUCache allocates all of its places at once, and a gateway has dozens of caches, most of them
 * nearly empty: this one grows with its entries. A resolution of 0 reads the clock each time instead of keeping
 * a timer.
 */
export function boundedCache<K extends {}, V extends {}>(bounds: Bounds<K, V>): BoundedCache<K, V> {
  const { max, sizeOf = () => 1, ttlMs = 0, clock = CLOCK, isRecorded = false, dispose } = bounds
  const cache = new LRUCache<K, V>({
    ...{ maxSize: max, sizeCalculation: sizeOf },
    ...{ ttl: ttlMs, ttlResolution: 0, perf: clock },
    ...(dispose && { dispose }),
  })
  if (clock.tape !== undefined && !isRecorded) {
    const { get, has } = cache
    const keyOf = (key: K): string => (typeof key === 'string' ? key : JSON.stringify(key))
    cache.get = (key, how) => recorded(clock, `get ${keyOf(key)}`, () => get.call(cache, key, how))
    cache.has = (key, how) => recorded(clock, `has ${keyOf(key)}`, () => has.call(cache, key, how))
  }
  return cache
}
