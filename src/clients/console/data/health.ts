import type { Health } from '../../client/index.ts'
import { useQuery, type WatchedQuery } from './hooks.ts'
import { client } from './service.ts'

const EVERY_MS = 5_000

/** The service's health, from one query that all components share. */
export const useHealth = (): WatchedQuery<Health> =>
  useQuery('health', (callOptions) => client.health(callOptions), { everyMs: EVERY_MS })
