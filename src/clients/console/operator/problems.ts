/** What an operator should look at, the worst first; and what was turned away, and why. */
import { pick, type Samples, sumOf, sumsBy } from './series.ts'

export interface Problem {
  readonly what: string
  readonly state: 'refused' | 'cooling' | 'degraded'
  readonly why: string
}

const WHY: Readonly<Record<string, string>> = {
  refused: 'It answers, but refuses the gateway: check its key and its URL.',
  cooling: 'It is left alone for a while, after failures or a 429.',
  degraded: 'It failed its last call, or some of its calls.',
}
const STATES = Object.keys(WHY)
/** The share of a budget from which it is told of. */
const NEARLY = 0.9

/** @param counted  the counters' increase in the span that is shown */
export function problemsOf(now: Samples, counted: Samples): readonly Problem[] {
  const upstreams = pick(now, 'swapgate_upstream_state')
    .filter(({ labels, value }) => value === 1 && STATES.includes(labels.state!))
    .sort((a, b) => STATES.indexOf(a.labels.state!) - STATES.indexOf(b.labels.state!))
    .map(({ labels: { upstream, state } }) => ({
      what: upstream!,
      state: state as Problem['state'],
      why: WHY[state!]!,
    }))
  const budgets = pick(now, 'swapgate_budget_limit').flatMap(({ labels: { budget }, value: limit }) => {
    const spent = sumOf(now, 'swapgate_budget_spent', { budget: budget! }) ?? 0
    const why = `All clients together have spent ${spent} of ${limit} in this minute.`
    return spent >= NEARLY * limit ? [{ what: `budget ${budget}`, state: 'degraded' as const, why }] : []
  })
  const isRedisAway = sumOf(now, 'swapgate_redis_up') === 0
  const dropped = sumOf(counted, 'swapgate_log_lines_dropped_total') ?? 0
  return [
    ...upstreams,
    ...(isRedisAway
      ? [{ what: 'Redis', state: 'degraded' as const, why: 'It is away: this instance decides alone.' }]
      : []),
    ...budgets,
    ...(dropped > 0
      ? [
          {
            what: 'log',
            state: 'degraded' as const,
            why: `${dropped} lines were dropped: nobody reads them.`,
          },
        ]
      : []),
  ]
}

export interface TurnedAway {
  readonly what: string
  readonly why: string
  readonly count: number
  /** The metric that counts it, without `swapgate_`. */
  readonly metric: string
}

const KINDS = [
  { what: 'Shed in an overload', metric: 'requests_shed_total', label: 'priority' },
  { what: 'Over a budget', metric: 'budget_refusals_total', label: 'budget' },
  { what: 'Answered with an error', metric: 'errors_total', label: 'code' },
  { what: 'Connection closed', metric: 'connections_closed_total', label: 'why' },
  { what: 'Upstream not asked', metric: 'upstream_held_back_total', label: 'by' },
] as const
/** Counted as shed, or by its budget. */
const ELSEWHERE = ['overloaded', 'budget_exhausted']

export function turnedAwayOf(counted: Samples): readonly TurnedAway[] {
  return KINDS.flatMap(({ what, metric, label }) =>
    sumsBy(pick(counted, `swapgate_${metric}`), label)
      .filter(([why]) => !ELSEWHERE.includes(why))
      .map(([why, count]) => ({ what, why, count, metric })),
  )
}
