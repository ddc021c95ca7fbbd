/** What keeps one upstream's calls from being made now, and how many are in progress; for operators. */
import { type Static, Type } from 'typebox'
import { STATES } from '../runtime/resources/health.ts'
import { Count, nullable } from '../runtime/resources/shared.ts'

const CARRIES = ['calls', 'quotes', 'reads', 'submissions'] as const
/** What an upstream is used for, if those of one name have different quotas. */
export type Carries = (typeof CARRIES)[number]

export const PHASES = ['closed', 'open', 'half-open'] as const

export const Diagnosis = Type.Object({
  name: Type.String(),
  carries: Type.Enum(CARRIES, { description: 'what goes through it, where one name has several quotas' }),
  state: Type.Enum(STATES, { description: 'as in GET /api/health' }),
  breaker: Type.Enum(PHASES),
  breakerMs: { ...Count, description: 'until a call is let through' },
  cooldowns: Type.Array(Type.Object({ lane: Type.String(), leftMs: Count }), {
    description: 'what a 429 holds back: an RPC method, or all',
  }),
  quota: nullable(
    Type.Object({
      calls: { ...Count, description: 'in a window' },
      windowMs: Count,
      burst: { ...Count, description: 'at once' },
      used: { ...Count, description: 'of the burst' },
      left: { ...Count, description: 'of the burst' },
    }),
    { description: 'what the gateway keeps to; null if none is published' },
  ),
  callsUnderWay: Count,
})
export type Diagnosis = Static<typeof Diagnosis>

export interface Diagnosable {
  readonly diagnosis: Diagnosis
}
