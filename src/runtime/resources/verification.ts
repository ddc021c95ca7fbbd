import { type Static, Type } from 'typebox'
import { LEVELS } from '../levels.ts'
import facts from './facts.json' with { type: 'json' }
import { Fee } from './quote.ts'
import { integer, nullable, OPEN, optionals, string, UNVERIFIED } from './shared.ts'
import texts from './texts.json' with { type: 'json' }

const { verification: text } = texts

/** How material was verified before it was handed out: docs/verification.md. */
export const Verification = Type.Object(
  {
    level: Type.Enum([...LEVELS], { description: 'the level of verification that the material reached' }),
    checks: Type.Array(Type.String(), { description: 'the rules that were checked and hold' }),
    stated: Type.Array(Type.String(), { description: "facts that rest on the provider's word alone" }),
    // What the provers read in the material; each family of chains has its own.
    ...optionals(facts, UNVERIFIED),
    fees: Type.Optional(Type.Array(Fee, { description: text.fees })),
    refundFee: Type.Optional(
      Type.Object(
        {
          bps: integer('of the amount sent, rounded up'),
          amount: string('base units of what is sent'),
        },
        { description: text.refundFee, ...UNVERIFIED },
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
