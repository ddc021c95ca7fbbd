/** The service that served this page: its client, the queries that are kept, and what the requests came to. */
import { type CallOptions, createClient } from '../../client/index.ts'
import { CLOCK } from '../clock.ts'
import { attentionOf } from './attention.ts'
import { Exchanges } from './exchanges.ts'
import { type Ask, Query, type QueryOptions } from './query.ts'

/** Queries that nobody looks at, kept so that a view that is opened again has something to show. */
const KEPT = 40

export const exchanges = new Exchanges()

export const client = createClient({
  baseUrl: '',
  onExchange: (exchange) => exchanges.note(exchange, CLOCK.now()),
})

const attention = attentionOf(document, window)
const queries = new Map<string, Query<unknown>>()

/**
 * The query of this name, made where there is none yet.
 *
 * @param name  tells questions apart: it has all that `ask` depends on
 */
export function queryOf<T>(name: string, ask: Ask<T>, options: QueryOptions): Query<T> {
  const known = queries.get(name)
  queries.delete(name)
  const query = known ?? new Query<unknown>(ask, options, CLOCK, attention)
  queries.set(name, query)
  for (const [old, { isWatched }] of queries) {
    if (queries.size <= KEPT) break
    if (!isWatched && old !== name) queries.delete(old)
  }
  return query as Query<T>
}

/**
 * How long to leave a budget alone that this page alone would use up: to the end
 * of its window once half of it is spent.
 */
export function spare(budget: string): () => number {
  return () => {
    const limit = client.limits.find(({ name }) => name === `${budget}-client`)
    return limit !== undefined && limit.remaining * 2 < (limit.quota ?? 0) ? limit.resetMs : 0
  }
}

export type { CallOptions }
