/** The holdings of public addresses and their value. */
import { useState } from 'preact/hooks'
import type { Portfolio as Answer } from '../../../client/index.ts'
import { useAllTokens, useAnswer, useChainNames, useHealth } from '../../data/hooks.ts'
import { spare } from '../../data/service.ts'
import { change, counted, dollars, joined, percent, price, trendOf } from '../../format.ts'
import { hrefOf, setParameters, type ViewLocation } from '../../location.ts'
import { Button, TextField } from '../../parts/controls.tsx'
import { Figure } from '../../parts/figure.tsx'
import { Empty, ViewHead, Waiting } from '../../parts/panel.tsx'
import type { ViewProps } from '../view.ts'
import { readAddresses } from './addresses.ts'
import { ChainHoldings, HoldingsTable } from './holdings.tsx'
import { dayChangeOf, rowsOf, sharesOf } from './sums.ts'

const EVERY_MS = 30_000
/** The sandbox's: nine tokens on five chains, among them dust and one without a price. */
const SAMPLE = '0x52908400098527886E0F7030069857D2E4169EE7'
const SAMPLE_REQUEST = { method: 'GET', url: `/api/portfolio?address=${SAMPLE}`, body: null } as const

export default function Portfolio({ place }: ViewProps) {
  const text = place.parameters.get('of') ?? ''
  const addresses = readAddresses(text)
  const asked = typeof addresses === 'string' ? null : addresses
  const query = useAnswer('portfolio', asked, { everyMs: EVERY_MS, budgetPauseMs: spare('portfolio') })
  return (
    <>
      <ViewHead title="Portfolio" {...(asked === null ? { exchange: SAMPLE_REQUEST } : { query })}>
        <p class="lead">See what any address holds.</p>
      </ViewHead>
      <Form key={text} place={place} text={text} />
      {addresses === null && <Hint />}
      {typeof addresses === 'string' && <p role="alert">{addresses}</p>}
      {asked !== null &&
        (query.data === null ? (
          <Waiting query={query} rows={9} />
        ) : (
          <Holdings place={place} portfolio={query.data} retry={query.refresh} />
        ))}
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
    <form class="filters row" onSubmit={submit}>
      <label class="wide">
        Addresses
        <TextField value={typed} onInput={type} placeholder="0x… or a Solana address, or one of each" />
      </label>
      <button type="submit" class="primary">
        View
      </button>
    </form>
  )
}

function Hint() {
  const { data } = useHealth()
  if (data?.mode !== 'sandbox') return <Empty>Paste an address to see what it holds.</Empty>
  return (
    <Empty>
      Paste an address to see what it holds. The sandbox has a sample wallet:{' '}
      <a href={hrefOf('portfolio', [], { of: SAMPLE })}>{SAMPLE}</a>.
    </Empty>
  )
}

interface HoldingsProps {
  readonly place: ViewLocation
  readonly portfolio: Answer
  readonly retry: () => void
}

function Holdings({ place, portfolio, retry }: HoldingsProps) {
  const small = place.parameters.get('small') === 'show'
  const byChain = place.parameters.get('by') === 'chain'
  const { chains } = portfolio
  const held = chains.filter(({ tokenCount, status }) => tokenCount > 0 || status !== 'complete')
  // A card with nothing but what is hidden would be empty.
  const shown = held.filter((entry) => entry.status !== 'complete' || rowsOf([entry], small).length > 0)
  return (
    <>
      <Sum portfolio={portfolio} />
      <Allocation chains={chains} />
      <Unread chains={chains} retry={retry} />
      {held.length === 0 ? (
        <Empty>No holdings on the chains that were read.</Empty>
      ) : (
        <>
          <Switches place={place} byChain={byChain} />
          {byChain ? (
            [...shown]
              .sort((a, b) => b.usd - a.usd)
              .map((entry) => <ChainHoldings key={entry.chain} entry={entry} small={small} />)
          ) : (
            <HoldingsTable caption="Holdings by value" rows={rowsOf(chains, small)} />
          )}
          <Small place={place} chains={chains} isShown={small} />
        </>
      )}
    </>
  )
}

/** The total, its change in a day, and how much of it is known. */
function Sum({ portfolio }: { readonly portfolio: Answer }) {
  const { chains, totalUsd, tokenCount, unpriced, at } = portfolio
  const list = useAllTokens()
  const day = list.data === null ? null : dayChangeOf(portfolio, list.data)
  const isWhole = chains.every(({ status }) => status === 'complete')
  const holding = chains.filter(({ tokenCount }) => tokenCount > 0).length
  return (
    <section class="sum" aria-label="Total">
      <p class="sum-label">{isWhole ? 'Total' : 'Total, incomplete'}</p>
      <p class="sum-total">
        <Figure
          value={totalUsd}
          format={price}
          source="Sum over all chains"
          at={Date.parse(at)}
          notes={[isWhole ? null : 'Some chains were read only in part; they may hold more.']}
        />
      </p>
      <p class="sum-day">
        <Figure
          value={day?.percent}
          format={change}
          class={trendOf(day?.usd)}
          source="Prices’ changes in the token list, weighted by value"
          at={list.at}
          notes={['Capped values are left out.']}
          unknown="The token list reports no change of what is held."
        />
        {day === null
          ? ' in 24 h'
          : ` (${day.usd < 0 ? '−' : '+'}${dollars(Math.abs(day.usd))}) in 24 h, based on ${percent(Math.round(100 * day.covered))} of the holdings`}
      </p>
      <p class="sum-label">
        {joined(
          ' · ',
          counted(tokenCount, 'token'),
          counted(holding, 'chain'),
          unpriced > 0 && `${unpriced} unpriced`,
        )}
      </p>
    </section>
  )
}

function Allocation({ chains }: { readonly chains: Answer['chains'] }) {
  const shares = sharesOf(chains)
  const nameOf = useChainNames()
  if (shares.length === 0) return null
  return (
    <div class="allocation">
      <div class="allocation-bar" aria-hidden="true">
        {shares.map(({ chain, part }, i) => (
          <span key={chain} style={{ width: `${100 * part}%`, ...shadeOf(i) }} />
        ))}
      </div>
      <ul class="row" aria-label="Allocation by chain">
        {shares.map(({ chain, part }, i) => (
          <li key={chain} style={shadeOf(i)}>
            {`${chain === null ? 'Other' : nameOf(chain)} ${part < 0.005 ? '<1%' : percent(Math.round(100 * part))}`}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Each share is paler than the one before. */
const shadeOf = (i: number) => ({ '--share': `${[100, 70, 45, 25][i] ?? 10}%` })

/** The chains that are missing from the total, wholly or in part. */
function Unread({ chains, retry }: { readonly chains: Answer['chains']; readonly retry: () => void }) {
  const nameOf = useChainNames()
  const named = (status: string): readonly string[] =>
    chains.filter((entry) => entry.status === status).map(({ chain }) => nameOf(chain))
  const [failed, partial] = [named('failed'), named('partial')]
  if (failed.length + partial.length === 0) {
    return <p class="count shape ok">{`${counted(chains.length, 'chain')} read`}</p>
  }
  const unread = `${counted(failed.length, 'chain')} could not be read: ${failed.join(', ')}.`
  const partly = `Read in part: ${partial.join(', ')}.`
  return (
    <div class="unread row">
      <p class="shape warn">{joined(' ', failed.length > 0 && unread, partial.length > 0 && partly)}</p>
      <Button onClick={retry}>Retry</Button>
    </div>
  )
}

const Switches = ({ place, byChain }: { readonly place: ViewLocation; readonly byChain: boolean }) => (
  <fieldset class="switches row">
    <legend class="hidden">Show</legend>
    {(['value', 'chain'] as const).map((by) => (
      <Button
        key={by}
        aria-pressed={byChain === (by === 'chain')}
        onClick={() => setParameters(place, { by: by === 'chain' ? by : null })}
      >
        {`By ${by}`}
      </Button>
    ))}
  </fieldset>
)

interface SmallProps {
  readonly place: ViewLocation
  readonly chains: Answer['chains']
  /** Whether holdings below a dollar are shown. */
  readonly isShown: boolean
}

/** Shows and hides what is worth little; the gateway leaves out small tokens that no list has. */
function Small({ place, chains, isShown }: SmallProps) {
  const small = rowsOf(chains, true).length - rowsOf(chains, false).length
  const unlisted = chains.reduce((sum, { hidden }) => sum + hidden.count, 0)
  const usd = chains.reduce((sum, { hidden }) => sum + hidden.usd, 0)
  return (
    <p class="count">
      {small > 0 && (
        <Button class="quiet" onClick={() => setParameters(place, { small: isShown ? null : 'show' })}>
          {isShown ? 'Hide small balances' : `Show ${counted(small, 'small balance')}`}
        </Button>
      )}
      {unlisted > 0 && ` ${counted(unlisted, 'small unlisted token')} hidden (${dollars(usd)}).`}
    </p>
  )
}
