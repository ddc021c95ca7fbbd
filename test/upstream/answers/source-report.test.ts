import t from 'tap'
import { reportOf, type SourceReport } from '../../../src/upstream/answers/source-report.ts'
import type { SourceAnswer, SourceFailure } from '../../../src/upstream/answers/stale-if-error.ts'

t.test('a report says what became of the question, and why it is not well', async (t) => {
  const failure: SourceFailure = { code: 'upstream_failed', retryAfterMs: null }
  const later: SourceFailure = { code: 'upstream_rate_limited', retryAfterMs: 7_000 }
  const given = { kind: 'given', value: 1, at: 5 } as const
  const cases: readonly (readonly [SourceAnswer<number>, Omit<SourceReport, 'provider'>])[] = [
    [
      { ...given, staleBy: null },
      { status: 'ok', at: 5 },
    ],
    [
      { ...given, staleBy: failure },
      { status: 'stale', at: 5, code: 'upstream_failed' },
    ],
    [
      { ...given, staleBy: later },
      { status: 'stale', at: 5, code: 'upstream_rate_limited', retryAfterMs: 7_000 },
    ],
    [
      { kind: 'none', at: 6 },
      { status: 'missing', at: 6 },
    ],
    [
      { kind: 'failed', failure },
      { status: 'failed', at: null, code: 'upstream_failed' },
    ],
    [
      { kind: 'failed', failure: later },
      { status: 'failed', at: null, code: 'upstream_rate_limited', retryAfterMs: 7_000 },
    ],
  ]
  for (const [answer, report] of cases) t.strictSame(reportOf('one', answer), { provider: 'one', ...report })
})
