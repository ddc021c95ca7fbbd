import { Type } from 'typebox'
import { integer, nullable, number, string } from './shared.ts'

const HealthState = (description: string) =>
  Type.Enum(['ok', 'degraded', 'refused', 'cooling', 'untried'], { description })

export const Health = Type.Object({
  status: Type.Enum(['ok', 'degraded', 'draining'], {
    description:
      'degraded: requests are accepted, but no provider and no node that was asked answers; draining: the service stops',
  }),
  mode: Type.Enum(['sandbox', 'live']),
  version: Type.String(),
  uptime: number('seconds'),
  redis: nullable(
    Type.Enum(['ok', 'degraded', 'away'], {
      description:
        'through which instances share budgets; away: this instance counts for itself; degraded: it does so for what Redis leaves unanswered; null if none is configured',
    }),
  ),
  redisCause: nullable(
    string(
      'why Redis is away or degraded: the code of its own error, such as OOM, or a cause such as timeout; null while it is neither',
    ),
  ),
  providers: Type.Array(
    Type.Object({
      name: Type.String(),
      state: HealthState(
        'cooling: gets no calls for a while, after failures or a 429; refused: it answers, but refuses the gateway or belongs to another cluster; degraded: its last call failed, it never succeeded, or it limits a part of the calls',
      ),
      submissions: Type.Optional(HealthState('the same for the transactions sent to it')),
      lastSuccessAgoMs: nullable(Type.Integer()),
      failures: integer('consecutive failures'),
      lastError: nullable(
        Type.Object({
          code: Type.String(),
          status: nullable(integer('the HTTP status of the answer')),
          agoMs: Type.Integer(),
        }),
      ),
    }),
  ),
  sandbox: Type.Optional(
    Type.Object({
      solanaRpc: string('URL of the simulated node, which has a faucet: requestAirdrop'),
      evmRpc: string('base URL of the simulated EVM nodes, each at /{chain key}'),
      control: string('URL at which faults of the simulated providers are set'),
    }),
  ),
})
