import { Type } from 'typebox'
import type { Counts } from '../../http/counts/counts.ts'
import { FunnelDays, FunnelSummary, KEPT_DAYS } from '../../http/counts/funnel.ts'
import { get } from '../../http/route.ts'
import type { Clock } from '../../runtime/clock.ts'
import { integer } from '../../runtime/resources/shared.ts'
import recorded from '../examples/operations.json' with { type: 'json' }
import { STATISTICS } from '../groups.ts'
import { eachSecond } from './operations.ts'

const HOW = `Days are UTC. The steps of one swap are not linked, and clients are not distinguished. Counts are kept in memory for ${KEPT_DAYS} days; a restart clears them, and \`since\` is the start.`

/** GET /api/funnel (§4.10): how far swaps get, day by day. */
export const funnel = ({ funnel }: Counts, clock: Clock) =>
  get({
    path: '/api/funnel',
    input: Type.Object({}),
    description: {
      id: 'getFunnel',
      summary: 'Quotes, builds, submissions and confirmations, by day',
      stability: 'unverified',
      group: STATISTICS,
      text: HOW,
      result: FunnelDays,
      example: recorded.funnelDays,
      errors: [],
    },
    handle: eachSecond(clock, () => funnel.days()),
  })

/** GET /api/funnel/summary (§4.10): totals of several days. */
export const funnelSummary = ({ funnel }: Counts) =>
  get({
    path: '/api/funnel/summary',
    input: Type.Object({
      days: integer('number of days, including today', { minimum: 1, maximum: KEPT_DAYS, default: 7 }),
    }),
    description: {
      id: 'getFunnelSummary',
      summary: 'Totals of several days, and the conversion from step to step',
      stability: 'unverified',
      group: STATISTICS,
      text: HOW,
      result: FunnelSummary,
      example: recorded.funnelSummary,
      errors: [400],
    },
    handle: ({ days }) => Buffer.from(JSON.stringify(funnel.summary(days))),
  })
