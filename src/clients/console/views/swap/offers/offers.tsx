/** Every provider's offer, as they arrive; one of them can be picked instead of the best. */
import { useNow } from '../../../data/hooks.ts'
import { amount, dollars, estimate, percent, time } from '../../../format.ts'
import { Figure } from '../../../parts/figure.tsx'
import { exactly, type SwapChain, type SwapCoin } from '../order.ts'
import { worthUsdOf } from './costs.ts'
import { aheadOf, isHeld, type OfferList, type OfferRow, standingOf } from './offer-list.ts'
import { LEVELS } from './rules.ts'

interface OffersProps {
  readonly list: OfferList
  /** The row whose quote is shown, and would be built. */
  readonly shown: OfferRow
  readonly chain: SwapChain
  /** What the swap buys. */
  readonly got: SwapCoin
  /** Dollars, by the token list; null if it has no price. */
  readonly gotPrice: number | null
  readonly onPick: (provider: string) => void
  readonly onAgain: () => void
}

export function Offers({ list, shown, chain, got, gotPrice, onPick, onAgain }: OffersProps) {
  const now = useNow(1_000)
  const { rows, best, end } = list
  const { verification: level } = chain
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
            <span class="worth">
              <Worth row={row} list={list} price={gotPrice} />
              {level !== null && isHeld(row, list) && (
                <span class={`chip level-${level}`}>{LEVELS[level].word}</span>
              )}
            </span>
          </li>
        ))}
      </ul>
      {level !== null && (
        <p class="note">{`${LEVELS[level].word}: the level that a build on ${chain.name} is held to. The review says which it reached.`}</p>
      )}
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

/** For the best offer its value, for another the difference to that. */
function Worth({
  row,
  list,
  price,
}: {
  readonly row: OfferRow
  readonly list: OfferList
  readonly price: number | null
}) {
  if (row.quote === null) return null
  const ahead = aheadOf(row, list)
  const usd = worthUsdOf(row.quote, price)
  if (ahead === null) return usd === null ? null : <span>{dollars(usd)}</span>
  const text = `${ahead < 0 ? '−' : ahead > 0 ? '+' : ''}${percent(Math.abs(ahead))}`
  return (
    <span>
      {text}
      <span class="hidden"> against the best</span>
    </span>
  )
}

/** The amount net of gas, if known. */
function leftOf({ quote }: OfferRow, { symbol, decimals }: SwapCoin): string {
  if (quote?.netOut == null || quote.gasUsd == null || decimals === null) return ''
  const left = amount(Number(quote.netOut) / 10 ** decimals)
  return `leaves ${left} ${symbol ?? ''} after ${estimate(quote.gasUsd)} of gas · `
}
