/** What is wrong with an instance now, and what to do about it: upstreams first, the worst of them at the top. */
import { count, failure, ms, percent } from '../format.ts'
import remedies from './remedies.json' with { type: 'json' }
import type { InstanceReport } from './report.ts'

export interface Problem {
  readonly what: string
  readonly state: 'refused' | 'cooling' | 'degraded'
  readonly why: string
  readonly remedy: string
}

const STATES = Object.keys(remedies.upstreams) as (keyof typeof remedies.upstreams)[]
/** The share of a budget at which it is a problem. */
const NEARLY = 0.9
/** As in the alerts SwapgateManyErrors, SwapgateSlow and SwapgateEventLoopLate. */
export const THRESHOLDS = { failedPercent: 10, p95Ms: 5_000, lateMs: 100 } as const

/** The replies with a 5xx, in percent of the last minute's; null without any. */
export const failedPercentOf = ({ requests, failed }: InstanceReport['lastMinute']): number | null =>
  requests === 0 ? null : (100 * failed) / requests

export function problemsOf(report: InstanceReport): readonly Problem[] {
  const { lastMinute, loopDelay, redis, redisCause, budgets, droppedLines } = report
  const problems: Problem[] = STATES.flatMap((state) =>
    report.upstreams
      .filter((upstream) => upstream.state === state)
      .map(({ name, failures, lastError }) => ({
        what: name,
        state,
        why: lastError === null ? `${count(failures)} failures in a row` : failure(lastError),
        remedy: remedies.upstreams[state],
      })),
  )
  const add = (what: string, why: string, remedy: string): void => {
    problems.push({ what, state: 'degraded', why, remedy })
  }
  if (redis !== null && redis !== 'ok')
    add('Redis', `${redis}${redisCause === null ? '' : `: ${redisCause}`}`, remedies.redis)
  if (lastMinute.shed > 0)
    add('Overload', `${count(lastMinute.shed)} requests got a 503 in the last minute`, remedies.overload)
  const failedPercent = failedPercentOf(lastMinute) ?? 0
  if (failedPercent > THRESHOLDS.failedPercent)
    add('Errors', `${percent(failedPercent)} of the replies are 5xx`, remedies.errors)
  const { p95Ms } = lastMinute
  if (p95Ms !== null && p95Ms > THRESHOLDS.p95Ms) add('Duration', `p95 of ${ms(p95Ms)}`, remedies.slow)
  if (loopDelay.p99Ms > THRESHOLDS.lateMs)
    add('Event loop', `p99 lag of ${ms(loopDelay.p99Ms)}`, remedies.loop)
  for (const { name, spent, limit } of budgets) {
    if (limit === null || spent < NEARLY * limit) continue
    add(`budget ${name}`, `${count(spent)} of ${count(limit)} spent`, remedies.budget)
  }
  if (droppedLines > 0) add('Log', `${count(droppedLines)} lines dropped since the start`, remedies.log)
  return problems
}
