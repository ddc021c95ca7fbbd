import { Type } from 'typebox'
import { integer, OPEN, string } from './shared.ts'

/** The Error body (§7), with the extra properties that occur. */
export const ErrorBody = Type.Object(
  {
    error: string('what is wrong, and what would be accepted'),
    scope: Type.Optional(Type.String()),
    code: Type.Optional(string('stable and machine-readable')),
    field: Type.Optional(string('the input that is wrong')),
    index: Type.Optional(integer('the index of the signature that is wrong')),
    transaction: Type.Optional(integer('the index of the transaction of a batch that is wrong')),
    provider: Type.Optional(Type.String()),
    upstreamStatus: Type.Optional(Type.Integer()),
    retryAfterMs: Type.Optional(Type.Integer()),
    budget: Type.Optional(Type.String()),
    rule: Type.Optional(string('the rule that the built material breaks')),
    minOut: Type.Optional(string("the quote's minimum output, in base units")),
    expectedOut: Type.Optional(string('the output that the market gives now, in base units')),
    amountIn: Type.Optional(string('what an exact output takes now, in base units')),
    maxIn: Type.Optional(string("the quote's maximum of that, in base units")),
    fairIn: Type.Optional(string('what that output is worth by independent prices, in base units')),
    fairOut: Type.Optional(string('what the amount is worth by independent prices, in base units')),
    required: Type.Optional(string('what the wallet has to hold, in base units')),
    available: Type.Optional(string('what the wallet holds of it, in base units')),
  },
  OPEN,
)
