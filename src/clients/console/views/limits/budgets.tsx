/** This client's budgets as they drain and refill, from the headers of the service's answers. */
import { useState } from 'preact/hooks'
import { isSwapgateError, type Limit, type Settings } from '../../../client/index.ts'
import { useLimits } from '../../data/hooks.ts'
import { client } from '../../data/service.ts'
import { budgetOf, textOf } from '../../data/words.ts'
import { Button } from '../../parts/controls.tsx'
import { Figure } from '../../parts/figure.tsx'

export function Budgets({ config }: { readonly config: Settings }) {
  const limits = useLimits()
  return (
    <ul class="budgets">
      {Object.entries(config.limits).map(([name, { client: quota, windowSeconds }]) => (
        <Budget
          key={name}
          name={budgetOf(name)}
          quota={quota}
          windowSeconds={windowSeconds}
          used={limits.find((limit) => limit.name === `${name}-client`) ?? null}
        />
      ))}
    </ul>
  )
}

interface BudgetProps {
  readonly name: string
  readonly quota: number | null
  readonly windowSeconds: number
  readonly used: Limit | null
}

function Budget({ name, quota, windowSeconds, used }: BudgetProps) {
  const left = used?.remaining ?? quota ?? 0
  const window = windowSeconds === 60 ? 'a minute' : `in ${windowSeconds} s`
  return (
    <li>
      <span class="budget-name">{name}</span>
      <span class="budget-left">
        {quota === null ? (
          'No limit'
        ) : used === null ? (
          `Up to ${quota} ${window}`
        ) : (
          <>
            <Figure
              value={used.remaining}
              format={String}
              source="The last answer that used it"
              at={Date.now() - used.ageMs}
            />
            {` left of ${quota}`}
          </>
        )}
      </span>
      {quota !== null && (
        <>
          <div class={`bar ${left * 4 < quota ? 'low' : ''}`} aria-hidden="true">
            <span style={{ width: `${(100 * left) / quota}%` }} />
          </div>
          <small>{used === null ? 'Unused' : `Resets in ${Math.ceil(used.resetMs / 1_000)} s`}</small>
        </>
      )}
    </li>
  )
}

/** A button that spends one request, to show the budget draining. */
export function Spend() {
  const [said, say] = useState('')
  const spend = async (): Promise<void> => {
    try {
      say(`Slot ${await client.rpc<number>('getSlot', [], { maxWaitMs: 0 })}.`)
    } catch (error) {
      if (!isSwapgateError(error)) throw error
      say(textOf(error))
    }
  }
  return (
    <p class="spend row">
      <Button onClick={spend}>Send a test read</Button>
      <span>Uses 1 Solana read.</span>
      <span role="status">{said}</span>
    </p>
  )
}
