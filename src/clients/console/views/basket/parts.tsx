/** The rows of a basket: what a plan buys, the progress of each part, and the outcome. */
import type { BasketPlan } from '../../../client/index.ts'
import { amount, dollars, percent, price, shortAddress } from '../../format.ts'
import { Button } from '../../parts/controls.tsx'
import { Term } from '../../parts/fact.tsx'
import { Figure } from '../../parts/figure.tsx'
import { TokenName } from '../../parts/token-name.tsx'
import type { ConnectedWallet } from '../../wallets/wallet.ts'
import { feeFigure } from '../swap/attempt/review-details.tsx'
import type { TokenChoice } from '../swap/form/choices.ts'
import { exactly } from '../swap/order.ts'
import { leaveBasket, review } from './course.ts'
import { leftOut, warningsOf } from './order.ts'
import { type Basket, type BasketPart, feesFor, gotOf, paidFor, type TokenOf } from './part.ts'
import words from './words.json' with { type: 'json' }

interface PlanProps {
  readonly plan: BasketPlan
  /** When it was answered, and when the list was, ms of the wall clock. */
  readonly at: number
  readonly listedAt: number | null
  readonly tokenOf: TokenOf
  /** Addresses that were taken out. */
  readonly without: readonly string[]
  readonly onToggle: (address: string) => void
}

const symbolOf = ({ symbol, address }: TokenChoice): string => symbol ?? shortAddress(address)

export function Plan({ plan, at, listedAt, tokenOf, without, onToggle }: PlanProps) {
  const { native } = plan
  // One that was just taken out is in the plan until the next one comes.
  const clips = plan.clips.filter(({ token }) => !without.includes(token))
  const check = (token: string, isIn: boolean) => (
    <label class="check">
      <input
        type="checkbox"
        name={token}
        checked={isIn}
        disabled={isIn && clips.length === 1}
        onChange={() => onToggle(token)}
      />
      <TokenName {...tokenOf(token)} />
    </label>
  )
  const out = leftOut(plan, without)
  return (
    <>
      <ul class="clips" aria-label="Parts">
        {clips.map(({ token: address, usd }) => {
          const token = tokenOf(address)
          const share = (100 * Number(usd)) / Number(plan.usd)
          return (
            <li key={address}>
              {check(address, true)}
              <span class="clip-worth">
                <span>
                  <small>{percent(Math.round(share * 10) / 10)}</small>{' '}
                  <strong>{dollars(Number(usd))}</strong>
                </span>
                <small>
                  <Figure
                    source="GET /api/tokens, the list's price"
                    at={listedAt}
                    value={token.price === null ? null : Number(usd) / token.price}
                    format={(value) => `≈ ${amount(value)} ${symbolOf(token)}`}
                    notes={['Before price impact and fees. Its review has the exact offer.']}
                    unknown="The list has no price of it. Its review has the exact offer."
                  />
                </small>
              </span>
              <span class="bar" aria-hidden="true">
                <span style={{ width: `${share}%` }} />
              </span>
            </li>
          )
        })}
      </ul>
      {[...warningsOf(plan)].map(([text, of]) => (
        <p key={text} class="note shape warn">
          {`${text.replace(/\.$/, '')}: ${of.map((one) => symbolOf(tokenOf(one))).join(', ')}`}
        </p>
      ))}
      {out.length > 0 && <h3>Left out</h3>}
      <ul class="clips out" aria-label="Left out">
        {out.map(({ token, why }) => (
          <li key={token}>
            {without.includes(token) ? check(token, false) : <TokenName {...tokenOf(token)} />}
            <small>{why}</small>
          </li>
        ))}
      </ul>
      <dl class="facts">
        <Term title="Total">
          <strong>{dollars(Number(plan.usd))}</strong>
          {' = '}
          <Figure
            source={`GET /api/basket/plan, by ${native.sources.join(' and ')}`}
            at={at}
            value={Number(plan.amountIn) / 10 ** native.decimals}
            format={(value) => `${amount(value)} ${native.symbol}`}
            notes={[
              `At ${price(native.price)}, the higher of two prices that agree. Network fees are extra.`,
            ]}
          />
        </Term>
      </dl>
    </>
  )
}

const STATES: Readonly<Record<BasketPart['state'], (typeof words.states)['waiting']>> = words.states

export const nameOf = ({ token }: BasketPart): string => symbolOf(token)

interface PartsProps {
  readonly basket: Basket
  readonly wallet: ConnectedWallet | null
}

/** @param wallet  null if no part can be reviewed now */
export const Parts = ({ basket, wallet }: PartsProps) => (
  <ul class="clips" aria-label="Parts">
    {basket.parts.map((part, at) => {
      const { token, state, problem, usd, impact } = part
      const { word, chip } = STATES[state]
      const again = {
        blocked: impact === 0 ? 'Try again' : `Accept ${impact}%`,
        failed: 'Try again',
        skipped: 'Review',
      }
      return (
        <li
          key={token.address}
          aria-current={['review', 'signing', 'signed'].includes(state) ? 'step' : undefined}
        >
          <TokenName {...token} symbol={nameOf(part)} />
          {wallet !== null && state in again && (
            <Button class="quiet" onClick={() => review(at, wallet)}>
              {again[state as keyof typeof again]}
              <span class="hidden">{`: ${nameOf(part)}`}</span>
            </Button>
          )}
          <span class="clip-worth">
            <span class={`chip ${chip}`}>{word}</span>
            <small>{gotIn(part) ?? dollars(Number(usd))}</small>
          </span>
          {problem !== null && <small class="why">{problem}</small>}
        </li>
      )
    })}
  </ul>
)

function gotIn(part: BasketPart): string | null {
  const got = gotOf(part)
  return got && exactly(got.amount, { ...part.token, decimals: got.decimals })
}

export function Summary({ basket: { native, parts } }: { readonly basket: Basket }) {
  const bought = parts.filter(({ state }) => state === 'confirmed')
  const missed = parts.filter(({ state }) => state !== 'confirmed')
  const paid = paidFor(bought)
  const fees = feesFor(bought)
  const at = bought.at(-1)?.receipt?.asOf ?? null
  return (
    <>
      <dl class="facts">
        <Term title="You received">
          {bought.map((part) => gotIn(part) ?? nameOf(part)).join(', ') || 'nothing'}
        </Term>
        <Term title="You paid">{paid === null ? '—' : exactly(paid, native)}</Term>
        <Term title="Network fees">
          {fees === null ? '—' : feeFigure("The chain's nodes", at)(fees, native)}
        </Term>
        <Term title="Not bought">
          {missed.map((part) => `${nameOf(part)} (${part.state})`).join(', ') || 'none'}
        </Term>
      </dl>
      <p class="actions row">
        <Button class="primary" onClick={leaveBasket}>
          New basket
        </Button>
      </p>
    </>
  )
}
