import { get } from '../../http/route.ts'
import type { Clock } from '../../runtime/clock.ts'
import recorded from '../examples/operations.json' with { type: 'json' }
import { described } from '../groups.ts'
import { Diagnostics, type DiagnosticsSources, diagnose } from '../metrics/diagnostics.ts'
import { eachSecond } from './operations.ts'

/** GET /api/diagnostics (§4.10): the state of this instance. */
export const diagnostics = (sources: DiagnosticsSources, clock: Clock) =>
  get({
    path: '/api/diagnostics',
    description: described('getDiagnostics', Diagnostics, { example: recorded.diagnostics }),
    handle: eachSecond(clock, () => diagnose(sources)),
  })
