/** A quote: the expected result, its provider, the other providers' offers, and its expiry. */
import type { Quote, SwapOptions } from '../../../client/index.ts'
import { useNow } from '../../data/hooks.ts'
import { amount, price, time } from '../../format.ts'
import { Figure, Unknown } from '../../parts/figure.tsx'
import type { Provenance } from '../../parts/provenance.ts'
import { exactly, type SwapChain, type SwapCoin, sidesOf } from './order.ts'

interface OfferProps {
  readonly quote: Quote
  /** When the quote arrived, ms of the wall clock. */
  readonly at: number
  readonly chain: SwapChain
  readonly options: SwapOptions
  /** The coin on the other side of the token. */
  readonly other: SwapCoin
  readonly token: SwapCoin
}

export function OfferOf({ quote, at, chain, options, other, token }: OfferProps) {
  const { spent, got } = sidesOf(quote, other, token)
  const { route } = quote
  const from: Provenance = { source: `GET /api/quote, ${quote.provider}`, at }
  const gasUsd = Number((route.stated as Record<string, unknown> | undefined)?.gasUsd ?? Number.NaN)
  const builder = chain.providers.find(({ label }) => label === route.buildBy)
  const gotOf = (base: string | null, human: number | null) => (
    <Figure
      {...from}
      value={human}
      format={(value) => `${amount(value)} ${got.symbol ?? ''}`}
      notes={base === null ? undefined : [`Exactly ${exactly(base, got)}.`]}
      unknown="The provider does not report it."
    />
  )
  const minimum =
    quote.minOut === null || got.decimals === null ? null : Number(quote.minOut) / 10 ** got.decimals
  return (
    <>
      <p class="deal">
        <span>{`${exactly(quote.amountIn, spent)} for`}</span>
        <strong>{gotOf(quote.expectedOut, quote.expectedOutHuman)}</strong>
      </p>
      <Expiry freshMs={builder?.freshMs ?? null} at={at} />
      <dl class="facts">
        <dt>At least</dt>
        <dd>{gotOf(quote.minOut, minimum)}</dd>
        <dt>Price impact</dt>
        <dd>
          <Figure
            {...from}
            value={quote.priceImpactPct}
            format={(value) => `${value.toFixed(2)} %`}
            class={(quote.priceImpactPct ?? 0) > 1 ? 'down' : ''}
            notes={['What the offer is below the worth of the amount, by prices on which two sources agree.']}
            unknown="No two independent sources agree on the prices, so nothing holds this offer against the market."
          />
        </dd>
        <dt>Network fee</dt>
        <dd>
          {Number.isNaN(gasUsd) ? (
            <Unknown
              {...from}
              why="The provider gives no estimate; your wallet shows the fee before you sign."
            />
          ) : (
            <Figure
              {...from}
              value={gasUsd}
              format={(value) => `about ${price(value)}`}
              notes={["The provider's estimate; your wallet shows its own."]}
              unknown=""
            />
          )}
        </dd>
        <dt>Gateway fee</dt>
        <dd>
          <Figure
            source="GET /api/swap-options"
            at={options.asOf}
            value={options.fees.gatewayBps}
            format={(bps) => `${bps / 100} %`}
            notes={[options.fees.why]}
            unknown=""
          />
        </dd>
        <dt>Quoted by</dt>
        <dd>{quote.provider}</dd>
        <dt>Built by</dt>
        <dd>{route.buildBy ?? 'none: no provider of this chain can build it now'}</dd>
      </dl>
      <Alternatives quote={quote} got={got} at={at} />
    </>
  )
}

/** How long the service builds this quote without requesting a new one. */
function Expiry({ freshMs, at }: { readonly freshMs: number | null; readonly at: number }) {
  const now = useNow(500)
  if (freshMs === null) return null
  const left = Math.max(0, freshMs - (now - at))
  return (
    <div class="expiry">
      <div class={`bar ${left < freshMs / 4 ? 'low' : ''}`} aria-hidden="true">
        <span style={{ width: `${(100 * left) / freshMs}%` }} />
      </div>
      <small>
        {left > 0
          ? `${Math.round((now - at) / 1_000)} s old; can be built for another ${Math.ceil(left / 1_000)} s`
          : `from ${time(at, now)}: requoted at the build, and refused if the market is below its minimum`}
      </small>
    </div>
  )
}

interface QuoteAlternative {
  readonly provider: string
  readonly outcome: string
  readonly expectedOut?: string | null
  readonly code?: string
}

const OUTCOMES: Readonly<Record<string, string>> = {
  failed: 'failed',
  late: 'too late',
  outlier: 'too good to be true',
}

function Alternatives({
  quote,
  got,
  at,
}: {
  readonly quote: Quote
  readonly got: SwapCoin
  readonly at: number
}) {
  const others = quote.route.alternatives as unknown as readonly QuoteAlternative[]
  if (others.length === 0) return <p class="alternatives">No other provider quotes this chain.</p>
  return (
    <div class="alternatives">
      <h3>Other offers</h3>
      <ul>
        {others.map(({ provider, outcome, expectedOut, code }) => (
          <li key={provider}>
            <span>{provider}</span>
            {expectedOut == null || got.decimals === null ? (
              <span class="down">{`${OUTCOMES[outcome] ?? outcome}${code === undefined ? '' : ` (${code})`}`}</span>
            ) : (
              <Figure
                source={`GET /api/quote, ${provider}`}
                at={at}
                value={Number(expectedOut) / 10 ** got.decimals}
                format={(value) => `${amount(value)} ${got.symbol ?? ''}`}
                notes={[
                  differenceOf(quote.expectedOut, expectedOut),
                  outcome === 'offered' ? null : (OUTCOMES[outcome] ?? outcome),
                ]}
                unknown=""
              />
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

function differenceOf(best: string | null, other: string): string | null {
  if (best === null || Number(best) === 0) return null
  const bps = Math.round(10_000 * (Number(other) / Number(best) - 1))
  return bps === 0
    ? 'The same as the best.'
    : `${Math.abs(bps) / 100} % ${bps > 0 ? 'more' : 'less'} than the chosen quote.`
}
