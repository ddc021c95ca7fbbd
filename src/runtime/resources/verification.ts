import { type Static, Type } from 'typebox'
import { LEVELS } from '../levels.ts'
import { Fee } from './quote.ts'
import { integer, nullable, OPEN, string, UNVERIFIED } from './shared.ts'

/** How material was verified before it was handed out: docs/verification.md. */
export const Verification = Type.Object(
  {
    level: Type.Enum([...LEVELS], { description: 'the level of verification that the material reached' }),
    checks: Type.Array(Type.String(), { description: 'the rules that were checked and hold' }),
    stated: Type.Array(Type.String(), { description: "facts that rest on the provider's word alone" }),
    fees: Type.Optional(
      Type.Array(Fee, { description: 'that the material takes; the minimum is net of them' }),
    ),
    refundFee: Type.Optional(
      Type.Object(
        {
          bps: integer('of the amount sent, rounded up'),
          amount: string('base units of what is sent'),
        },
        {
          description: 'of an order that somebody has to fill: what a refund costs, if nobody does',
          ...UNVERIFIED,
        },
      ),
    ),
    simulation: nullable(
      Type.Object({
        by: string('how the material was executed'),
        at: nullable(integer('block, slot or checkpoint')),
        changes: Type.Array(Type.Object({ token: Type.String(), amount: Type.String() })),
      }),
    ),
  },
  OPEN,
)

export type Verification = Static<typeof Verification>
