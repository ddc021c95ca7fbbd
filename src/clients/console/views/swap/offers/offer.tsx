/** What a quote costs: its rate, and a line that unfolds everything that is lost on the way. */

import { useState } from 'preact/hooks'
import type { Quote, SwapOptions } from '../../../../client/index.ts'
import { useNow } from '../../../data/hooks.ts'
import { titleOf } from '../../../data/words.ts'
import { amount, dollars, estimate, percent } from '../../../format.ts'
import { Button } from '../../../parts/controls.tsx'
import { Term } from '../../../parts/fact.tsx'
import { Figure, Tipped } from '../../../parts/figure.tsx'
import type { Provenance } from '../../../parts/provenance.ts'
import { brief, exactly, type SwapChain, type SwapCoin } from '../order.ts'
import { checkedBy, costOf, gradeOfImpact, holdsInWords, networkUsdOf, rateOf } from './costs.ts'

interface OfferProps {
  readonly quote: Quote
  /** When the quote arrived, ms of the wall clock. */
  readonly at: number
  readonly options: SwapOptions
  readonly spent: SwapCoin
  readonly got: SwapCoin
  /** Dollars of what is paid, by the token list; null if it has no price. */
  readonly paidUsd: number | null
}

interface ArrivingProps extends Pick<OfferProps, 'quote' | 'got'> {
  readonly at: number | null
  /** Shown behind the amount. */
  readonly unit: string
}

/** The amount that arrives by a quote. */
export function Arriving({ quote, at, got, unit }: ArrivingProps) {
  const base = quote.expectedOut
  return (
    <Figure
      source={`${titleOf(quote.provider)}'s offer`}
      at={at}
      value={quote.expectedOutHuman}
      format={(value) => `${amount(value)}${unit}`}
      notes={base === null ? undefined : [`Exactly ${exactly(base, got)}.`]}
      unknown="The provider does not report it."
    />
  )
}

/** In one line: the rate, and the total cost, which unfolds to its parts. */
export const Price = (props: OfferProps) => (
  <div class="rate-line row">
    <Rate {...props} />
    <Costs {...props} />
  </div>
)

/** The unit price, either way round. */
function Rate({ quote, spent, got }: Pick<OfferProps, 'quote' | 'spent' | 'got'>) {
  const [isReversed, reverse] = useState(false)
  const rate = rateOf(quote, spent, got, isReversed)
  if (rate === null) return null
  return (
    <Button class="figure rate" title="Reverse the price" onClick={() => reverse(!isReversed)}>
      {rate}
      <span aria-hidden="true"> ⇄</span>
    </Button>
  )
}

function Costs({ quote, at, options, spent, got, paidUsd }: OfferProps) {
  const { priceImpactPct: impact } = quote
  const from: Provenance = { source: `${titleOf(quote.provider)}'s offer`, at }
  const cost = costOf(quote, paidUsd)
  const networkUsd = networkUsdOf(quote)
  const grade = gradeOfImpact(impact)
  const minimum = got.decimals === null ? null : Number(quote.minOut) / 10 ** got.decimals
  return (
    <details class="costs">
      <summary class="row">
        <strong>{cost === null ? 'Cost unknown' : costInWords(cost)}</strong>
        {cost !== null && cost.networkUsd === null && ' + network fee'}
        {grade !== '' && (
          <span class={`chip ${grade === 'warn' ? 'power' : 'grave'}`}>
            {`Price impact ${percent(impact!)}`}
          </span>
        )}
      </summary>
      <dl class="facts">
        <Term title="Price impact">
          <Figure
            {...from}
            value={impact}
            format={(value) =>
              cost === null ? percent(value) : `${percent(value)} (${signed(cost.impactUsd)})`
            }
            notes={[
              'What the offer is below the worth of the amount, by prices on which two sources agree.',
              checkedBy(quote, 'fairOut'),
            ]}
            unknown="No two independent sources agree on the prices, so nothing holds this offer against the market."
          />
        </Term>
        <Term title="Network fee">
          <Figure
            {...from}
            value={networkUsd}
            format={(value) => `about ${estimate(value)}`}
            notes={networkUsd === null ? [] : networkNotesOf(quote)}
            unknown="The provider gives no estimate; your wallet shows the fee before you sign."
          />
        </Term>
        <Term title="Gateway fee">
          <Figure
            source="This gateway"
            at={options.asOf}
            value={options.fees.gatewayBps}
            format={(bps) => percent(bps / 100)}
            notes={[options.fees.why]}
          />
        </Term>
        <Term title="Minimum received">
          <Figure
            {...from}
            value={minimum}
            format={(value) => `${amount(value)} ${got.symbol ?? ''}`}
            notes={[
              `Exactly ${exactly(quote.minOut, got)}.`,
              'The review says whether the transaction holds it.',
            ]}
            unknown="The token's decimals are not known."
          />
          {` (max slippage ${percent(quote.slippageBps / 100)})`}
        </Term>
        <Term title="Offer from">
          {titleOf(quote.provider)}
          {`, for ${brief(quote.amountIn, spent)}`}
        </Term>
      </dl>
    </details>
  )
}

/** An offer above the market costs nothing. */
function costInWords({ usd, percent: share }: NonNullable<ReturnType<typeof costOf>>): string {
  const text = `${dollars(Math.abs(usd))} (${percent(Math.abs(share))})`
  if (Math.abs(usd) < 0.005) return 'No cost'
  return usd < 0 ? `Better than market by ${text}` : `Cost ${text}`
}

const signed = (usd: number): string => `${usd < 0 ? '−' : ''}${dollars(Math.abs(usd))}`

const networkNotesOf = (quote: Quote): readonly (string | null)[] => [
  "By the provider's estimate of gas; your wallet shows its own.",
  checkedBy(quote, 'gasUsd'),
  quote.costBoundBps === undefined
    ? null
    : `It moves an offer's rank by ${percent(quote.costBoundBps / 100)} at most.`,
]

/** How long the service builds this quote without requesting a new one, and how long it is likely to hold. */
export function Expiry({
  quote,
  at,
  chain,
}: Pick<OfferProps, 'quote' | 'at'> & { readonly chain: SwapChain }) {
  const now = useNow(500)
  const freshMs = chain.providers.find(({ label }) => label === quote.provider)?.freshMs
  const left = freshMs === undefined ? null : Math.max(0, freshMs - (now - at))
  return (
    <small class="expiry row">
      {left !== null &&
        (left > 0 ? `Good for ${Math.ceil(left / 1_000)} s` : 'Expired. Refreshed before you sign.')}
      <Holds quote={quote} at={at} now={now} />
    </small>
  )
}

/** How long the quote's minimum is likely to build, as the gateway has learnt. */
export function Holds({ quote, at, now }: Pick<OfferProps, 'quote' | 'at'> & { readonly now: number }) {
  const text = holdsInWords(quote, at, now)
  if (text === null) return null
  const share = percent(100 * quote.holds!.probability)
  const note = `By the moves of the last day, ${share} of such offers still gave their minimum after that time.`
  return (
    <Tipped source="This gateway" at={at} notes={[note]}>
      {text}
    </Tipped>
  )
}
