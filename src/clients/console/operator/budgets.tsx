/** What all clients together have spent of each budget in the current window, and those that have spent most. */
import { count } from '../format.ts'
import { Figure } from '../parts/figure.tsx'
import { type BudgetInUse, SOURCE } from './report.ts'

export function Budgets({ budgets, at }: { readonly budgets: readonly BudgetInUse[]; readonly at: number }) {
  return (
    <ul class="budgets">
      {budgets.map(({ name, spent, limit, clients }) => (
        <li key={name}>
          <span class="budget-name">{name}</span>
          <span class="budget-left">
            <Figure value={spent} format={count} source={SOURCE} at={at} />
            {limit === null ? ', no limit' : ` of ${count(limit)}`}
          </span>
          <div class={`bar ${limit !== null && spent * 4 > limit * 3 ? 'low' : ''}`} aria-hidden="true">
            <span style={{ width: `${limit === null ? 0 : Math.min(100, (100 * spent) / limit)}%` }} />
          </div>
          {clients.length > 0 && (
            <small>
              {'Most by '}
              {clients.map(({ client, spent }) => `${client ?? 'a client'} (${count(spent)})`).join(', ')}
            </small>
          )}
        </li>
      ))}
    </ul>
  )
}
