/** Every provider's offer, as they come; one of them can be picked in the place of the best. */
import { useNow } from '../../data/hooks.ts'
import { amount, price, time } from '../../format.ts'
import { Figure } from '../../parts/figure.tsx'
import { type OfferList, type OfferRow, standingOf } from './offer-list.ts'
import { exactly, type SwapCoin } from './order.ts'

interface OffersProps {
  readonly list: OfferList
  /** The row whose quote is shown, and would be built. */
  readonly shown: OfferRow
  /** What the swap buys. */
  readonly got: SwapCoin
  readonly onPick: (provider: string) => void
  readonly onAgain: () => void
}

export function Offers({ list, shown, got, onPick, onAgain }: OffersProps) {
  const now = useNow(1_000)
  const { rows, best, end } = list
  return (
    <fieldset class="alternatives">
      <legend>Offers</legend>
      <ul>
        {rows.map((row) => (
          <li key={row.provider}>
            <label>
              <input
                type="radio"
                name="offer"
                checked={row.provider === shown.provider}
                disabled={row.quote === null}
                onChange={() => onPick(row.provider)}
              />
              <span>{row.provider}</span>
              {row.provider === best?.provider && <strong class="chip">Best</strong>}
            </label>
            <Amount row={row} got={got} />
            <small>
              {leftOf(row, got)}
              {standingOf(row, list)}
            </small>
          </li>
        ))}
      </ul>
      {/* Said once for each best offer, and once at the end. */}
      <p role="status">
        {end !== null
          ? `These offers are as of ${time(end.at, now)}. ${end.why}`
          : best === null
            ? ''
            : `The best offer is ${best.provider}'s: ${amount(best.expectedOutHuman ?? 0)} ${got.symbol ?? ''}.`}
      </p>
      {end !== null && (
        <button type="button" onClick={onAgain}>
          Ask again
        </button>
      )}
    </fieldset>
  )
}

function Amount({ row: { provider, quote, at }, got }: { readonly row: OfferRow; readonly got: SwapCoin }) {
  if (quote === null) return <span aria-hidden="true">—</span>
  const base = quote.expectedOut
  return (
    <Figure
      source={`GET /api/quote/stream, ${provider}`}
      at={at}
      value={quote.expectedOutHuman}
      format={(value) => `${amount(value)} ${got.symbol ?? ''}`}
      notes={base === null ? undefined : [`Exactly ${exactly(base, got)}.`]}
      unknown="The provider does not report it."
    />
  )
}

/** What is left after gas, where that is known. */
function leftOf({ quote }: OfferRow, { symbol, decimals }: SwapCoin): string {
  if (quote?.netOut == null || quote.gasUsd == null || decimals === null) return ''
  const left = amount(Number(quote.netOut) / 10 ** decimals)
  return `leaves ${left} ${symbol ?? ''} after ${price(quote.gasUsd)} of gas · `
}
