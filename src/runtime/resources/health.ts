import { Type } from 'typebox'
import { integer, nullable, number, string } from './shared.ts'
import texts from './texts.json' with { type: 'json' }

const { health: text } = texts

/** The states of an upstream. */
export const STATES = ['ok', 'degraded', 'refused', 'cooling', 'untried'] as const

const HealthState = (description: string) => Type.Enum(STATES, { description })

export const Health = Type.Object({
  status: Type.Enum(['ok', 'degraded', 'draining'], { description: text.status }),
  mode: Type.Enum(['sandbox', 'live']),
  version: Type.String(),
  uptime: number('seconds'),
  redis: nullable(Type.Enum(['ok', 'degraded', 'away'], { description: text.redis })),
  redisCause: nullable(string(text.redisCause)),
  providers: Type.Array(
    Type.Object({
      name: Type.String(),
      state: HealthState(text.state),
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
      solanaRpc: string(text.solanaRpc),
      evmRpc: string('base URL of the simulated EVM nodes, each at /{chain key}'),
      control: string('URL at which faults of the simulated providers are set'),
    }),
  ),
})
