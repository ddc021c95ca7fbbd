/** The holdings of public addresses and their value. */
import { useState } from 'preact/hooks'
import type { Portfolio as Answer } from '../../../client/index.ts'
import { useHealth } from '../../data/health.ts'
import { useQuery } from '../../data/hooks.ts'
import { client, spare } from '../../data/service.ts'
import { count, dollars } from '../../format.ts'
import { hrefOf, setParameters, type ViewLocation } from '../../location.ts'
import { Figure } from '../../parts/figure.tsx'
import { Empty, ViewHead, Waiting } from '../../parts/panel.tsx'
import type { Provenance } from '../../parts/provenance.ts'
import type { ViewProps } from '../view.ts'
import { readAddresses } from './addresses.ts'
import { ChainHoldings } from './holdings.tsx'

const EVERY_MS = 30_000
/** In the sandbox every EVM address holds every token. */
const SAMPLE = '0x52908400098527886E0F7030069857D2E4169EE7'

export function Portfolio({ place }: ViewProps) {
  const text = place.parameters.get('of') ?? ''
  const addresses = readAddresses(text)
  const isAsked = addresses !== null && typeof addresses !== 'string'
  const query = useQuery(
    isAsked ? `portfolio ${JSON.stringify(addresses)}` : null,
    (callOptions) => client.portfolio(isAsked ? addresses : {}, callOptions),
    { everyMs: EVERY_MS, budgetPauseMs: spare('portfolio') },
  )
  return (
    <>
      <ViewHead title="Portfolio" {...(isAsked ? { query } : {})}>
        <p class="lead">Enter any public address: holdings on chain are public.</p>
      </ViewHead>
      <Form key={text} place={place} text={text} />
      {addresses === null && <Hint />}
      {typeof addresses === 'string' && <p role="alert">{addresses}</p>}
      {isAsked && (query.data === null ? <Waiting query={query} /> : <Holdings portfolio={query.data} />)}
    </>
  )
}

function Form({ place, text }: { readonly place: ViewLocation; readonly text: string }) {
  const [typed, type] = useState(text)
  const submit = (event: Event): void => {
    event.preventDefault()
    setParameters(place, { of: typed.trim() })
  }
  return (
    <form class="filters" onSubmit={submit}>
      <label class="wide">
        Addresses
        <input
          value={typed}
          onInput={({ currentTarget }) => type(currentTarget.value)}
          placeholder="0x… or a Solana address, or one of each"
          spellcheck={false}
          autocomplete="off"
        />
      </label>
      <button type="submit" class="primary">
        Look
      </button>
    </form>
  )
}

function Hint() {
  const { data } = useHealth()
  if (data?.mode !== 'sandbox') return <Empty>Paste an address to see what it holds.</Empty>
  return (
    <Empty>
      Paste an address to see what it holds. In the sandbox every EVM address holds every token, for example{' '}
      <a href={hrefOf('portfolio', [], { of: SAMPLE })}>{SAMPLE}</a>.
    </Empty>
  )
}

function Holdings({ portfolio }: { readonly portfolio: Answer }) {
  const { chains, totalUsd, tokenCount, unpriced, at } = portfolio
  const held = [...chains].filter(({ tokenCount, status }) => tokenCount > 0 || status !== 'complete')
  const isWhole = chains.every(({ status }) => status === 'complete')
  const read: Provenance = {
    source: 'GET /api/portfolio, over all chains',
    at: Date.parse(at),
    notes: [isWhole ? null : 'Some chains were read only in part; they may hold more.'],
  }
  return (
    <>
      <dl class="totals">
        <Total title={isWhole ? 'Total' : 'Total read'} value={totalUsd} format={dollars} {...read} />
        <Total title="Tokens" value={tokenCount} format={count} {...read} />
        <Total title="Without a price" value={unpriced} format={count} {...read} />
        <Total title="Chains read" value={chains.length} format={count} {...read} />
      </dl>
      {held.length === 0 && <Empty>No holdings on the chains that were read.</Empty>}
      {held
        .sort((a, b) => b.usd - a.usd)
        .map((entry) => (
          <ChainHoldings key={entry.chain} entry={entry} />
        ))}
    </>
  )
}

function Total({
  title,
  value,
  format,
  ...from
}: Provenance & {
  readonly title: string
  readonly value: number
  readonly format: (value: number) => string
}) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <Figure value={value} format={format} unknown="" {...from} />
      </dd>
    </div>
  )
}
