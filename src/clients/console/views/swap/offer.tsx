/** A quote: the expected result, its provider and its expiry. What moves as offers come is below what is pressed. */
import type { ComponentChildren } from 'preact'
import type { Quote, SwapOptions } from '../../../client/index.ts'
import { useNow } from '../../data/hooks.ts'
import { amount, price } from '../../format.ts'
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
  /** What to do with it. */
  readonly children: ComponentChildren
}

export function OfferOf({ quote, at, chain, options, other, token, children }: OfferProps) {
  const { spent, got } = sidesOf(quote, other, token)
  const { route } = quote
  const from: Provenance = { source: `GET /api/quote/stream, ${quote.provider}`, at }
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
      <p class="actions">{children}</p>
      <Expiry freshMs={builder?.freshMs ?? null} at={at} />
      <dl class="facts">
        <dt>Minimum received</dt>
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
        <dt>Offer from</dt>
        <dd>
          {quote.provider}
          {route.buildBy === null
            ? ', but no provider of this chain can build it now'
            : route.buildBy !== quote.provider && `, built by ${route.buildBy}`}
        </dd>
      </dl>
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
        {left > 0 ? `Good for ${Math.ceil(left / 1_000)} s` : 'Expired. Refreshed before you sign.'}
      </small>
    </div>
  )
}
