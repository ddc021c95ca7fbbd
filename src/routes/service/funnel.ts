import { Type } from 'typebox'
import type { Counts } from '../../http/counts/counts.ts'
import { FunnelDays, FunnelSummary, KEPT_DAYS } from '../../http/counts/funnel.ts'
import { get } from '../../http/route.ts'
import type { Clock } from '../../runtime/clock.ts'
import { integer } from '../../runtime/resources/shared.ts'
import recorded from '../examples/operations.json' with { type: 'json' }
import { described } from '../groups.ts'
import { eachSecond } from './operations.ts'

/** GET /api/funnel (§4.10): how far swaps get, day by day. */
export const funnel = ({ funnel }: Counts, clock: Clock) =>
  get({
    path: '/api/funnel',
    description: described('getFunnel', FunnelDays, { example: recorded.funnelDays }),
    handle: eachSecond(clock, () => funnel.days()),
  })

/** GET /api/funnel/summary (§4.10): totals of several days. */
export const funnelSummary = ({ funnel }: Counts) =>
  get({
    path: '/api/funnel/summary',
    input: Type.Object({
      days: integer('number of days, including today', { minimum: 1, maximum: KEPT_DAYS, default: 7 }),
    }),
    description: described('getFunnelSummary', FunnelSummary, { example: recorded.funnelSummary }),
    handle: ({ days }) => Buffer.from(JSON.stringify(funnel.summary(days))),
  })
