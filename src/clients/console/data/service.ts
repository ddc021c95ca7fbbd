/** The service that served this page: its client, the cached queries and the request log. */
import { createClient } from '../../client/index.ts'
import { CLOCK } from '../clock.ts'
import type { TimedExchange } from './exchanges.ts'
import { Kept } from './kept.ts'
import { type Attention, Query, type QueryFunction, type QueryOptions } from './query.ts'

/** The number of queries kept, including unused ones, so that a reopened view has something to show. */
const MAX_QUERIES = 40

const MAX_EXCHANGES = 100

/** The last requests of this page, oldest first. */
export const exchanges = new Kept<readonly TimedExchange[]>([])

export const client = createClient({
  baseUrl: '',
  onExchange: (exchange) => {
    const timed = { ...exchange, at: CLOCK.now() }
    exchanges.set([...exchanges.value.slice(1 - MAX_EXCHANGES), timed])
  },
})

/** True while the watchers learn that the network is back. */
const isBack = new Kept(false)
document.addEventListener('visibilitychange', () => isBack.set(false))
addEventListener('online', () => {
  isBack.set(true)
  isBack.set(false)
})

export const attention: Attention = {
  isAwake: () => document.visibilityState !== 'hidden',
  cameBack: () => isBack.value,
  watch: (listener) => isBack.watch(listener),
}

const queries = new Map<string, Query<unknown>>()

/** A query that is not kept for the next view. */
export const newQuery = <T>(ask: QueryFunction<T>, options: QueryOptions): Query<T> =>
  new Query<T>(ask, options, CLOCK, attention)

/**
 * The query of this name, created if there is none yet.
 *
 * @param name  identifies the query, with everything that `ask` depends on
 */
export function queryOf<T>(name: string, ask: QueryFunction<T>, options: QueryOptions): Query<T> {
  const known = queries.get(name)
  queries.delete(name)
  const query = known ?? newQuery<unknown>(ask, options)
  queries.set(name, query)
  for (const [old, { isWatched }] of queries) {
    if (queries.size <= MAX_QUERIES) break
    if (!isWatched && old !== name) queries.delete(old)
  }
  return query as Query<T>
}

/**
 * How long this page's polling should spare a budget, ms: once half of it is spent,
 * until the end of its window.
 */
export function spare(budget: string): () => number {
  return () => {
    const limit = client.limits.find(({ name }) => name === `${budget}-client`)
    return limit !== undefined && limit.remaining * 2 < (limit.quota ?? 0) ? limit.resetMs : 0
  }
}
