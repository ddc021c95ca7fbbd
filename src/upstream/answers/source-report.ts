/**
 * The outcome of asking one source, as it appears in answers.
 */
import { type Static, Type } from 'typebox'
import type { SourceAnswer, SourceFailure } from './stale-if-error.ts'

export const SourceReport = Type.Object({
  provider: Type.String(),
  status: Type.Enum(['ok', 'stale', 'missing', 'failed'], {
    description: 'stale: it failed, and its last answer is shown; missing: it does not know the token',
  }),
  at: Type.Union([Type.Integer({ description: 'when it answered, ms epoch' }), Type.Null()]),
  code: Type.Optional(Type.String({ description: 'why it is not ok' })),
  retryAfterMs: Type.Optional(Type.Integer()),
})
export type SourceReport = Static<typeof SourceReport>

export function reportOf(provider: string, answer: SourceAnswer<unknown>): SourceReport {
  const failure = answer.kind === 'failed' ? answer.failure : answer.kind === 'given' ? answer.staleBy : null
  const given = failure === null ? 'ok' : 'stale'
  return {
    provider,
    status: answer.kind === 'given' ? given : answer.kind === 'none' ? 'missing' : 'failed',
    at: answer.kind === 'failed' ? null : answer.at,
    ...(failure === null ? {} : reasonOf(failure)),
  }
}

export function reasonOf({ code, retryAfterMs }: SourceFailure): { code: string; retryAfterMs?: number } {
  return { code, ...(retryAfterMs === null ? {} : { retryAfterMs }) }
}
