/** A gateway's state, of two providers. Source: §4.10 */
import type { Static } from 'typebox'
import type { Health } from '../../runtime/resources.ts'
import { VERSION } from '../../runtime/version.ts'

export const HEALTH: Static<typeof Health> = {
  status: 'ok',
  mode: 'live',
  version: VERSION,
  uptime: 86_412,
  redis: null,
  providers: [
    {
      name: 'solana-1',
      state: 'ok',
      submissions: 'untried',
      lastSuccessAgoMs: 84,
      failures: 0,
      lastError: null,
    },
    {
      name: 'kyberswap',
      state: 'degraded',
      lastSuccessAgoMs: 5_301,
      failures: 1,
      lastError: { code: 'upstream_timeout', status: null, agoMs: 1_204 },
    },
  ],
}
