import { Type } from 'typebox'
import type { Counts } from '../http/counts/counts.ts'
import { FunnelDays, FunnelSummary, KEPT_DAYS } from '../http/counts/funnel.ts'
import { get } from '../http/route.ts'
import type { Clock } from '../runtime/clock.ts'
import { eachSecond, OPERATIONS } from './operations.ts'

const HOW = `Days are UTC. The steps of one swap are not linked, and clients are not told apart. Counts are kept in memory for ${KEPT_DAYS} days; a restart clears them, and \`since\` is the start.`

/** GET /api/funnel (§4.10): how far swaps get, day by day. */
export const funnel = ({ funnel }: Counts, clock: Clock) =>
  get({
    path: '/api/funnel',
    input: Type.Object({}),
    budgets: [],
    description: {
      summary: 'Quotes, builds, submissions and confirmations, by day',
      stability: 'unverified',
      group: OPERATIONS,
      text: HOW,
      result: FunnelDays,
      example: DAYS,
      errors: [],
    },
    handle: eachSecond(clock, () => funnel.days()),
  })

/** GET /api/funnel/summary (§4.10): totals of several days. */
export const funnelSummary = ({ funnel }: Counts) =>
  get({
    path: '/api/funnel/summary',
    input: Type.Object({
      days: Type.Integer({
        description: 'number of days, including today',
        minimum: 1,
        maximum: KEPT_DAYS,
        default: 7,
      }),
    }),
    budgets: [],
    description: {
      summary: 'Totals of several days, and the conversion from step to step',
      stability: 'unverified',
      group: OPERATIONS,
      text: HOW,
      result: FunnelSummary,
      example: SUMMARY,
      errors: [400],
    },
    handle: ({ days }) => Buffer.from(JSON.stringify(funnel.summary(days))),
  })

const FAMILIES: FunnelSummary['families'] = {
  evm: { quote: 11, build: 3, submit: null, confirmed: null },
  solana: { quote: 9, build: 4, submit: 4, confirmed: 3 },
  sui: { quote: 0, build: 0, submit: null, confirmed: null },
  ton: { quote: 0, build: 0, submit: null, confirmed: null },
}
const TIMES = { since: '2026-11-20T12:00:00.000Z', asOf: 1_795_305_600_000 }
const TOTALS = { quote: 20, build: 7, submit: 4, confirmed: 3 }

const DAYS: FunnelDays = {
  ...TIMES,
  today: { day: '2026-11-22', totals: TOTALS, families: FAMILIES },
  days: [
    { day: '2026-11-21', totals: { quote: 0, build: 0, submit: 0, confirmed: 0 } },
    { day: '2026-11-20', totals: { quote: 0, build: 0, submit: 0, confirmed: 0 } },
  ],
}

const SUMMARY: FunnelSummary = {
  ...TIMES,
  from: '2026-11-20',
  to: '2026-11-22',
  totals: TOTALS,
  families: FAMILIES,
  conversion: { quoteToBuildBps: 3_500, buildToSubmitBps: 10_000, submitToConfirmedBps: 7_500 },
}
