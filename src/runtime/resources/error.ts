import { Type } from 'typebox'
import rows from './error-rows.json' with { type: 'json' }
import { OPEN, optionals, string } from './shared.ts'

/** The Error body (§7), with the extra properties that occur. */
export const ErrorBody = Type.Object(
  {
    error: string('what is wrong, and what would be accepted'),
    scope: Type.Optional(Type.String()),
    ...optionals(rows.input),
    provider: Type.Optional(Type.String()),
    upstreamStatus: Type.Optional(Type.Integer()),
    retryAfterMs: Type.Optional(Type.Integer()),
    budget: Type.Optional(Type.String()),
    ...optionals(rows.figures),
  },
  OPEN,
)
