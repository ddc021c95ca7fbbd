import type { Health } from '../../client/index.ts'
import { useQuery, type Watched } from './hooks.ts'
import { client } from './service.ts'

const EVERY_MS = 5_000

/** The service's state: asked once for all who show it. */
export const useHealth = (): Watched<Health> =>
  useQuery('health', (asking) => client.health(asking), { everyMs: EVERY_MS })
