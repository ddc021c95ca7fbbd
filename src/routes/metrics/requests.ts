/** Clients' requests, the replies, and what they took of the budgets. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { BudgetUse } from '../../http/limit/budgets.ts'
import type { DecisionCounts } from '../../http/limit/shared-windows.ts'
import { type Exchange, NO_ROUTE } from '../../http/request/exchange.ts'
import { RULES } from '../../proof/rules.ts'
import { CODES } from '../../runtime/errors.ts'
import { LATENCY_BUCKETS } from './buckets.ts'
import { counted, named, Scraped } from './scraped.ts'

/** Counts one reply. */
export type Observe = (exchange: ObservedExchange, status: number, bytes: number, durationMs: number) => void

export interface ObservedExchange
  extends Pick<Exchange, 'route' | 'rpc' | 'refusal' | 'failure' | 'gone' | 'isStream'>,
    Partial<Pick<Exchange, 'id' | 'timing'>> {
  readonly request: Pick<Exchange['request'], 'method'>
}

export interface RequestSources {
  /** The routes that are served. */
  routes(): readonly { readonly method: string; readonly path: string }[]
  /** The JSON-RPC methods that the relay takes. */
  rpcMethods(): Iterable<string>
  /** The budgets' use in the current window. */
  budgets(): readonly BudgetUse[]
  /** The budgets that instances share; null if each has its own. */
  sharing(): SharingMeasures | null
}

interface SharingMeasures {
  /** Whether Redis leaves nothing unanswered. */
  readonly isUp: boolean
  readonly decisions: DecisionCounts
  /** Commands that Redis left unanswered while it was reachable, by cause. */
  readonly failures: ReadonlyMap<string, number>
}

const WINDOWS = ['client', 'global'] as const
const FAILURES = Object.keys(CODES)
/** 499: the client left. */
const STATUSES: ReadonlySet<number> = new Set([
  200,
  304,
  499,
  ...Object.values(CODES).map((row) => row.status),
])
const SUBMISSIONS: ReadonlySet<string> = new Set(['sendTransaction', 'sendTransactions'])
const OTHER_RULE = 'other'

/**
 * Metrics whose increase alerts and the dashboard use exist from the start, at 0: Prometheus sees no increase
 * from nothing to 1. Other counters have more labels, and are shown as they are.
 */
export function measureRequests(registers: [Registry], sources: RequestSources): { observe: Observe } {
  const requests = counted('swapgate_requests_total', registers, ['method', 'route', 'status'], () =>
    [...sources.routes(), { method: 'GET', path: NO_ROUTE }].map(({ method, path }) => ({
      method,
      route: path,
      status: 200,
    })),
  )
  const replies = counted('swapgate_replies_total', registers, ['status'], () =>
    [...STATUSES].map((status) => ({ status })),
  )
  const durations = new Histogram({
    ...named('swapgate_request_duration_seconds', registers),
    labelNames: ['route'] as const,
    buckets: LATENCY_BUCKETS,
  })
  const sent = new Counter(named('swapgate_reply_bytes_total', registers))
  const failures = counted('swapgate_errors_total', registers, ['route', 'code'])
  const codes = counted('swapgate_error_codes_total', registers, ['code'], () =>
    FAILURES.map((code) => ({ code })),
  )
  const rules = counted('swapgate_material_refusals_total', registers, ['rule'], () =>
    [...RULES, OTHER_RULE].map((rule) => ({ rule })),
  )
  const verdicts = counted('swapgate_relay_verdicts_total', registers, ['method', 'verdict'], () =>
    [...sources.rpcMethods()].flatMap((method) => {
      const verdicts = SUBMISSIONS.has(method) ? ['answered', 'gone', ...FAILURES] : ['answered']
      return verdicts.map((verdict) => ({ method, verdict }))
    }),
  )
  const refused = counted('swapgate_budget_refusals_total', registers, ['budget', 'window'], () =>
    sources.budgets().flatMap(({ name }) => WINDOWS.map((window) => ({ budget: name, window }))),
  )
  const scraped = new Scraped(registers)
  scraped.gauge('swapgate_budget_spent', ['budget'], () =>
    sources.budgets().map(({ name, spent }) => [{ budget: name }, spent]),
  )
  scraped.gauge('swapgate_budget_limit', ['budget'], () =>
    sources.budgets().map(({ name, limit }) => [{ budget: name }, limit]),
  )
  new Gauge({
    ...named('swapgate_redis_up', registers),
    collect() {
      const sharing = sources.sharing()
      if (sharing === null) this.remove()
      else this.set(sharing.isUp ? 1 : 0)
    },
  })
  scraped.counter('swapgate_redis_failures_total', ['cause'], () =>
    [...(sources.sharing()?.failures ?? [])].map(([cause, count]) => [{ cause }, count]),
  )
  scraped.counter('swapgate_budget_decisions_total', ['place'], () =>
    Object.entries(sources.sharing()?.decisions ?? {}).map(([place, count]) => [{ place }, count]),
  )
  return {
    observe({ request, route, rpc, refusal, failure, gone, isStream }, status, bytes, durationMs) {
      // A method that HTTP doesn't have never gets this far: node refuses it.
      requests.inc({ method: request.method!, route, status })
      replies.inc({ status })
      if (!isStream) durations.observe({ route }, durationMs / 1_000)
      sent.inc(bytes)
      if (refusal !== null) refused.inc({ budget: refusal.name, window: refusal.refusedBy })
      if (failure !== null) {
        failures.inc({ route, code: failure.code })
        codes.inc({ code: failure.code })
        if (failure.code === 'material_refused') {
          const { rule } = failure.fields
          rules.inc({ rule: rule !== undefined && RULES.includes(rule) ? rule : OTHER_RULE })
        }
      }
      if (rpc !== null) verdicts.inc({ method: rpc, verdict: failure?.code ?? (gone ? 'gone' : 'answered') })
    },
  }
}
