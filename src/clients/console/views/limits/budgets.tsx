/** This client's budgets as they drain and refill, from the headers of the service's answers. */
import { useState } from 'preact/hooks'
import { isSwapgateError, type Limit, type Settings } from '../../../client/index.ts'
import { useLimits } from '../../data/hooks.ts'
import { client } from '../../data/service.ts'
import { Figure } from '../../parts/figure.tsx'

export function Budgets({ config }: { readonly config: Settings }) {
  const limits = useLimits()
  return (
    <>
      <ul class="budgets">
        {Object.entries(config.limits).map(([name, { client: quota, windowSeconds }]) => (
          <Budget
            key={name}
            name={name}
            quota={quota}
            windowSeconds={windowSeconds}
            told={limits.find((limit) => limit.name === `${name}-client`) ?? null}
          />
        ))}
      </ul>
      <Spend />
    </>
  )
}

function Budget({
  name,
  quota,
  windowSeconds,
  told,
}: {
  readonly name: string
  readonly quota: number | null
  readonly windowSeconds: number
  readonly told: Limit | null
}) {
  if (quota === null) {
    return (
      <li>
        <span class="budget-name">{name}</span>
        <span class="budget-left">no limit</span>
      </li>
    )
  }
  const left = told?.remaining ?? null
  return (
    <li>
      <span class="budget-name">{name}</span>
      <span class="budget-left">
        <Figure
          value={left}
          format={String}
          source="RateLimit header of the last answer that spent it"
          at={told === null ? null : Date.now() - told.ageMs}
          unknown={`This page has not used it in this window: at most ${quota} are left.`}
        />
        {` of ${quota}`}
      </span>
      <div class={`bar ${left === null ? 'idle' : left * 4 < quota ? 'low' : ''}`} aria-hidden="true">
        <span style={{ width: `${(100 * (left ?? quota)) / quota}%` }} />
      </div>
      <small>
        {told === null
          ? `per ${windowSeconds} s; not used by this page in this window`
          : `refills in ${Math.ceil(told.resetMs / 1_000)} s`}
      </small>
    </li>
  )
}

/** A button that spends one request, to show the budget draining. */
function Spend() {
  const [said, say] = useState('')
  const spend = async (): Promise<void> => {
    try {
      say(`Slot ${await client.rpc<number>('getSlot', [], { maxWaitMs: 0 })}.`)
    } catch (error) {
      if (!isSwapgateError(error)) throw error
      say(`${error.message} (${error.code})`)
    }
  }
  return (
    <p class="spend">
      <button type="button" onClick={spend}>
        Ask for the slot
      </button>
      <span>spends one request of rpcRead.</span>
      <span role="status">{said}</span>
    </p>
  )
}
