/** What all clients together have spent of each budget in the current window, and those that have spent most. */
import { count } from '../format.ts'
import { Figure } from '../parts/figure.tsx'
import type { ClientUse } from './listener.ts'
import { pick, sumOf } from './series.ts'
import { from, type MetricsView } from './shown.ts'

interface BudgetsProps {
  readonly shown: MetricsView
  readonly clients: readonly ClientUse[]
}

export function Budgets({ shown, clients }: BudgetsProps) {
  return (
    <ul class="budgets">
      {pick(shown.now, 'swapgate_budget_limit').map(({ labels: { budget }, value: limit }) => (
        <Budget
          key={budget}
          budget={budget!}
          limit={limit}
          shown={shown}
          clients={clients.filter((client) => client.budget === budget)}
        />
      ))}
    </ul>
  )
}

interface BudgetProps {
  readonly budget: string
  /** Requests per window; Infinity without a limit. */
  readonly limit: number
  readonly shown: MetricsView
  readonly clients: readonly ClientUse[]
}

function Budget({ budget, limit, shown, clients }: BudgetProps) {
  const spent = sumOf(shown.now, 'swapgate_budget_spent', { budget }) ?? 0
  const refused = sumOf(shown.counted, 'swapgate_budget_refusals_total', { budget }) ?? 0
  return (
    <li>
      <span class="budget-name">{budget}</span>
      <span class="budget-left">
        <Figure value={spent} format={count} {...from(shown, 'budget_spent', false)} />
        {Number.isFinite(limit) ? ` of ${count(limit)}` : ', no limit'}
      </span>
      <div class={`bar ${spent * 4 > limit * 3 ? 'low' : ''}`} aria-hidden="true">
        <span style={{ width: `${Number.isFinite(limit) ? Math.min(100, (100 * spent) / limit) : 0}%` }} />
      </div>
      <small>
        <Figure value={refused} format={count} {...from(shown, 'budget_refusals_total')} />
        {refused === 1 ? ' request was refused' : ' requests were refused'}
      </small>
      {clients.length > 0 && (
        <small>
          {'Most by '}
          {clients.map(({ client, spent }) => `${client ?? 'a client'} (${count(spent)})`).join(', ')}
        </small>
      )}
    </li>
  )
}
