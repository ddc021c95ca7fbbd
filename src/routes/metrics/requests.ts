/** Clients' requests, the replies, and what they took of the budgets. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { BudgetUse } from '../../http/limit/budgets.ts'
import type { DecisionCounts } from '../../http/limit/shared-windows.ts'
import { type Exchange, NO_ROUTE } from '../../http/request/exchange.ts'
import { RULES } from '../../proof/rules.ts'
import { CODES } from '../../runtime/errors.ts'
import { LATENCY_BUCKETS } from './buckets.ts'
import { Scraped } from './scraped.ts'

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
  let isBegun = false
  const requests = new Counter({
    name: 'swapgate_requests_total',
    help: 'Replies by method, route pattern and status',
    labelNames: ['method', 'route', 'status'] as const,
    registers,
    collect() {
      if (isBegun) return
      isBegun = true
      for (const { method, path: route } of [...sources.routes(), { method: 'GET', path: NO_ROUTE }]) {
        this.inc({ method, route, status: 200 }, 0)
      }
    },
  })
  const replies = new Counter({
    name: 'swapgate_replies_total',
    help: 'The same without routes; of every status from the start',
    labelNames: ['status'] as const,
    registers,
  })
  for (const status of STATUSES) replies.inc({ status }, 0)
  const durations = new Histogram({
    name: 'swapgate_request_duration_seconds',
    help: 'From the request header to the reply, by route pattern; without event streams',
    labelNames: ['route'] as const,
    buckets: LATENCY_BUCKETS,
    registers,
  })
  const sent = new Counter({ name: 'swapgate_reply_bytes_total', help: 'Bytes of reply bodies', registers })
  const failures = new Counter({
    name: 'swapgate_errors_total',
    help: 'Replies with an error, by route pattern and code',
    labelNames: ['route', 'code'] as const,
    registers,
  })
  const codes = new Counter({
    name: 'swapgate_error_codes_total',
    help: 'Replies with an error, by code; of every code from the start',
    labelNames: ['code'] as const,
    registers,
  })
  for (const code of FAILURES) codes.inc({ code }, 0)
  const rules = new Counter({
    name: 'swapgate_material_refusals_total',
    help: 'Replies with material_refused, by the rule that did not hold; of every rule from the start',
    labelNames: ['rule'] as const,
    registers,
  })
  for (const rule of [...RULES, OTHER_RULE]) rules.inc({ rule }, 0)
  const verdicts = new Counter({
    name: 'swapgate_relay_verdicts_total',
    help: 'What became of relayed calls, by JSON-RPC method: answered, gone (the client left), or the code of the refusal',
    labelNames: ['method', 'verdict'] as const,
    registers,
    collect() {
      for (const method of sources.rpcMethods()) {
        const verdicts = SUBMISSIONS.has(method) ? ['answered', 'gone', ...FAILURES] : ['answered']
        for (const verdict of verdicts) this.inc({ method, verdict }, 0)
      }
    },
  })
  const refused = new Counter({
    name: 'swapgate_budget_refusals_total',
    help: 'Requests that a budget refused, by budget and by window (client or global)',
    labelNames: ['budget', 'window'] as const,
    registers,
    collect() {
      for (const { name } of sources.budgets()) {
        for (const window of WINDOWS) this.inc({ budget: name, window }, 0)
      }
    },
  })
  const scraped = new Scraped(registers)
  scraped.gauge(
    'swapgate_budget_spent',
    'What all clients have spent of a budget in the window of 60 s that runs',
    ['budget'],
    () => sources.budgets().map(({ name, spent }) => [{ budget: name }, spent]),
  )
  scraped.gauge(
    'swapgate_budget_limit',
    'What a budget has for all clients in a window; +Inf where it is lifted',
    ['budget'],
    () => sources.budgets().map(({ name, limit }) => [{ budget: name }, limit]),
  )
  new Gauge({
    name: 'swapgate_redis_up',
    help: '1 while Redis answers; 0 while it is away or degraded, and the instance decides alone what Redis leaves unanswered; absent where none is configured',
    registers,
    collect() {
      const sharing = sources.sharing()
      if (sharing === null) this.remove()
      else this.set(sharing.isUp ? 1 : 0)
    },
  })
  scraped.counter(
    'swapgate_redis_failures_total',
    "Commands that Redis left unanswered while it was reached, by cause: the code of Redis's own error, such as OOM, or timeout, reset, unknown",
    ['cause'],
    () => [...(sources.sharing()?.failures ?? [])].map(([cause, count]) => [{ cause }, count]),
  )
  scraped.counter(
    'swapgate_budget_decisions_total',
    'Requests that were decided by budgets which instances share: for all of them (shared), or by this one alone (local)',
    ['place'],
    () => Object.entries(sources.sharing()?.decisions ?? {}).map(([place, count]) => [{ place }, count]),
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
