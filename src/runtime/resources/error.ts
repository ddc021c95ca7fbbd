import { Type } from 'typebox'
import { OPEN } from './shared.ts'

/** The Error body (§7), with the extra properties that occur. */
export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'what is wrong, and what would be accepted' }),
    scope: Type.Optional(Type.String()),
    code: Type.Optional(Type.String({ description: 'stable and machine-readable' })),
    field: Type.Optional(Type.String({ description: 'the input that is wrong' })),
    index: Type.Optional(Type.Integer({ description: 'the index of the signature that is wrong' })),
    transaction: Type.Optional(
      Type.Integer({ description: 'the index of the transaction of a batch that is wrong' }),
    ),
    provider: Type.Optional(Type.String()),
    upstreamStatus: Type.Optional(Type.Integer()),
    retryAfterMs: Type.Optional(Type.Integer()),
    budget: Type.Optional(Type.String()),
    rule: Type.Optional(Type.String({ description: 'the rule that the built material breaks' })),
    minOut: Type.Optional(Type.String({ description: "the quote's minimum output, in base units" })),
    expectedOut: Type.Optional(
      Type.String({ description: 'the output that the market gives now, in base units' }),
    ),
    fairOut: Type.Optional(
      Type.String({ description: 'what the amount is worth by independent prices, in base units' }),
    ),
    required: Type.Optional(Type.String({ description: 'what the wallet has to hold, in base units' })),
    available: Type.Optional(Type.String({ description: 'what the wallet holds of it, in base units' })),
  },
  OPEN,
)
