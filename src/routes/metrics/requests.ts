/** Clients' requests, the replies, and what they took of the budgets. */
import { Counter, Gauge } from 'prom-client'
import type { BudgetUse } from '../../http/limit/budgets.ts'
import type { DecisionCounts } from '../../http/limit/shared-windows.ts'
import { type Exchange, NO_ROUTE } from '../../http/request/exchange.ts'
import { RULES } from '../../proof/rules.ts'
import { CODES } from '../../runtime/errors.ts'
import type { Meters } from './meters.ts'

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
export function measureRequests(meters: Meters, sources: RequestSources): { observe: Observe } {
  const requests = meters.counted('swapgate_requests_total', ['method', 'route', 'status'], () =>
    [...sources.routes(), { method: 'GET', path: NO_ROUTE }].map(({ method, path }) => ({
      method,
      route: path,
      status: 200,
    })),
  )
  const replies = meters.counted('swapgate_replies_total', ['status'], () =>
    [...STATUSES].map((status) => ({ status })),
  )
  const durations = meters.durations('swapgate_request_duration_seconds', 'route')
  const sent = new Counter(meters.named('swapgate_reply_bytes_total'))
  const failures = meters.counted('swapgate_errors_total', ['route', 'code'])
  const codes = meters.counted('swapgate_error_codes_total', ['code'], () =>
    FAILURES.map((code) => ({ code })),
  )
  const rules = meters.counted('swapgate_material_refusals_total', ['rule'], () =>
    [...RULES, OTHER_RULE].map((rule) => ({ rule })),
  )
  const verdicts = meters.counted('swapgate_relay_verdicts_total', ['method', 'verdict'], () =>
    [...sources.rpcMethods()].flatMap((method) => {
      const verdicts = SUBMISSIONS.has(method) ? ['answered', 'gone', ...FAILURES] : ['answered']
      return verdicts.map((verdict) => ({ method, verdict }))
    }),
  )
  const refused = meters.counted('swapgate_budget_refusals_total', ['budget', 'window'], () =>
    sources.budgets().flatMap(({ name }) => WINDOWS.map((window) => ({ budget: name, window }))),
  )
  meters.gauge('swapgate_budget_spent', ['budget'], () =>
    sources.budgets().map(({ name, spent }) => [{ budget: name }, spent]),
  )
  meters.gauge('swapgate_budget_limit', ['budget'], () =>
    sources.budgets().map(({ name, limit }) => [{ budget: name }, limit]),
  )
  new Gauge({
    ...meters.named('swapgate_redis_up'),
    collect() {
      const sharing = sources.sharing()
      if (sharing === null) this.remove()
      else this.set(sharing.isUp ? 1 : 0)
    },
  })
  meters.counter('swapgate_redis_failures_total', ['cause'], () =>
    [...(sources.sharing()?.failures ?? [])].map(([cause, count]) => [{ cause }, count]),
  )
  meters.counter('swapgate_budget_decisions_total', ['place'], () =>
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
