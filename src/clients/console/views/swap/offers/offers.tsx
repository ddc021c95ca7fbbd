/** Every provider's offer, as they arrive; one of them can be picked instead of the best. */

import { useNow } from '../../../data/hooks.ts'
import { titleOf } from '../../../data/words.ts'
import { amount, dollars, estimate, percent, time } from '../../../format.ts'
import { Button } from '../../../parts/controls.tsx'
import type { SwapChain, SwapCoin } from '../order.ts'
import { worthUsdOf } from './costs.ts'
import { Arriving } from './offer.tsx'
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
      <legend class="hidden">Offers</legend>
      <ul>
        {rows.map((row) => (
          <li key={row.provider}>
            <label class="check">
              <input
                type="radio"
                name="offer"
                checked={row.provider === shown.provider}
                disabled={row.quote === null}
                onChange={() => onPick(row.provider)}
              />
              <span>{titleOf(row.provider)}</span>
              {row.provider === best?.provider && <strong class="chip">Best</strong>}
            </label>
            {row.quote === null ? (
              <span aria-hidden="true">—</span>
            ) : (
              <Arriving quote={row.quote} at={row.at} got={got} unit={` ${got.symbol ?? ''}`} />
            )}
            <small>
              {leftOf(row, got)}
              {standingOf(row, list)}
            </small>
            <span class="worth">
              <Worth row={row} list={list} gotPrice={gotPrice} />
              {level !== null && isHeld(row, list) && (
                <span class={`chip level-${level}`}>{LEVELS[level].word}</span>
              )}
            </span>
          </li>
        ))}
      </ul>
      {level !== null && (
        <p class="note">{`Swaps on ${chain.name} must be ${LEVELS[level].word.toLowerCase()} before you can sign.`}</p>
      )}
      {/* Said once for each best offer, and once at the end. */}
      <p role="status" class={end === null ? 'hidden' : ''}>
        {end !== null
          ? `These offers are as of ${time(end.at, now)}. ${end.why}`
          : best === null
            ? ''
            : `Best: ${titleOf(best.provider)}, ${amount(best.expectedOutHuman ?? 0)} ${got.symbol ?? ''}.`}
      </p>
      {end !== null && <Button onClick={onAgain}>Ask again</Button>}
    </fieldset>
  )
}

/** For the best offer its value, for another the difference to that. */
function Worth({ row, list, gotPrice }: Pick<OffersProps, 'list' | 'gotPrice'> & { readonly row: OfferRow }) {
  if (row.quote === null) return null
  const ahead = aheadOf(row, list)
  const usd = worthUsdOf(row.quote, gotPrice)
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
  return `${left} ${symbol ?? ''} after ${estimate(quote.gasUsd)} gas · `
}
