/** The token view: its price and how that moved first, then what the sources say. */
import type { TokenProfile } from '../../../client/index.ts'
import { useAnswer, useChainNames } from '../../data/hooks.ts'
import { dollars, price, shortAddress, time } from '../../format.ts'
import { hrefOf } from '../../location.ts'
import { Copy } from '../../parts/copy.tsx'
import { Figure } from '../../parts/figure.tsx'
import { Empty, Panel, ViewHead, Waiting } from '../../parts/panel.tsx'
import type { Provenance } from '../../parts/provenance.ts'
import type { ViewProps } from '../view.ts'
import { About, Sources } from './about.tsx'
import { Candles } from './candles.tsx'
import { useLivePrice } from './live-price.ts'
import { Linked } from './origin.tsx'
import { Pools } from './pools.tsx'
import { originOf } from './profile.ts'
import { Changes, Danger, Security } from './security.tsx'
import { Early, Holders, type PartProps, Trades } from './tables.tsx'
import { dangerOf, verdictOf } from './verdict.ts'
import words from './words.json' with { type: 'json' }
import './token.css'
import { Fact } from '../../parts/fact.tsx'

/** The service queries a profile's sources at most once a minute. */
const EVERY_MS = 60_000

/** What stands for a chain's own coin, of which an explorer has no page. */
const NATIVE = /^(native|0x0{40}|0xe{40})$/i

export default function Token({ place }: ViewProps) {
  const [chain = '', address = ''] = place.path
  const isNamed = chain !== '' && address !== ''
  const query = useAnswer('token', isNamed ? { chain, address } : null, { everyMs: EVERY_MS })
  const nameOf = useChainNames()
  const { data } = query
  const { symbol = null, name = null } = data?.row ?? {}
  const id = data?.token ?? address
  // A native coin may have its chain's name, which is shown once.
  const known = new Set([symbol === null || name === symbol ? null : name, nameOf(chain)])
  return (
    <>
      <ViewHead title={symbol ?? name ?? 'Token'} {...(isNamed && { query })}>
        {isNamed && (
          <p class="identity row">
            <span>{[...known].filter((text) => text !== null).join(' · ')}</span>
            {NATIVE.test(id) ? <code>{shortAddress(id)}</code> : <Linked of={chain} kind="token" id={id} />}
            <Copy text={id} what="the address" />
          </p>
        )}
      </ViewHead>
      {data !== null ? (
        <Profile key={`${chain} ${id}`} profile={data} now={query.at!} place={place} />
      ) : !isNamed || query.error?.status === 400 || query.error?.status === 404 ? (
        <Empty>
          There is no such token here. <a href={hrefOf('tokens')}>Search the token list</a>
        </Empty>
      ) : (
        <Waiting query={query} rows={9} />
      )}
    </>
  )
}

function Profile({ profile, now, place }: PartProps & ViewProps) {
  const from = originOf(profile, 'row')
  const options = useAnswer('swapOptions', {}, { everyMs: EVERY_MS })
  const chain = options.data?.chains.find(({ key }) => key === profile.chain)
  const kind = chain?.majors.find(({ address }) => address === profile.token)?.kind
  return (
    <>
      <Danger profile={profile} />
      <div class="summary-head row">
        <Price profile={profile} from={from} />
        <Changes profile={profile} from={from} />
        {options.data === null ? (
          <p class="to-swap row" />
        ) : (
          chain?.swaps === true && <ToSwap profile={profile} isNative={kind === 'native'} />
        )}
      </div>
      <div class="columns">
        <div class="first">
          <Candles profile={profile} now={now} place={place} />
        </div>
        <div class="beside">
          <Security profile={profile} />
          <Trades profile={profile} now={now} />
          <Holders profile={profile} />
        </div>
        <div class="rest">
          <Figures profile={profile} from={from} now={now} />
          <Pools profile={profile} />
          <Early profile={profile} now={now} />
          <About profile={profile} now={now} />
          <Sources profile={profile} />
        </div>
      </div>
    </>
  )
}

/** Links to the swap form: the token is bought with, or sold for, the native coin, and that for a stablecoin. */
function ToSwap({ profile, isNative }: { readonly profile: TokenProfile; readonly isNative: boolean }) {
  const { chain, token, row } = profile
  const name = row?.symbol ?? 'it'
  const isGrave = dangerOf(verdictOf(profile)) !== null
  const href = (side: 'buy' | 'sell'): string =>
    isNative
      ? hrefOf('swap', [], { chain, side: side === 'buy' ? 'sell' : 'buy' })
      : hrefOf('swap', [], { chain, side, token })
  return (
    <p class="to-swap row">
      <a class={`button ${isGrave ? '' : 'primary'}`} href={href('buy')}>{`Buy ${name}`}</a>
      <a class="button" href={href('sell')}>{`Sell ${name}`}</a>
    </p>
  )
}

/** The stream's price, or the profile's until the stream has one. */
function Price({ profile, from }: { readonly profile: TokenProfile; readonly from: Provenance }) {
  const token = `${profile.chain}:${profile.token}`
  const { last, state } = useLivePrice(token)
  const { row } = profile
  const isStreamed = last !== null && (last.at ?? 0) >= (row?.priceTs ?? 0)
  const shown = isStreamed
    ? { source: `The price stream, GET /api/prices/stream?tokens=${token}`, ...last }
    : { ...from, price: row?.price ?? null, at: row?.priceTs ?? from.at, isStale: row?.priceStale === true }
  return (
    <p class="live row">
      <Figure
        source={shown.source}
        at={shown.at}
        value={shown.price}
        format={price}
        class={`big ${shown.isStale ? 'stale' : ''}`}
        notes={[shown.isStale ? 'Stale: more than 60 s old.' : null, words.streamStates[state]]}
        unknown="None of its pools is deep enough for a meaningful price."
      />
      <span class={`chip ${state === 'live' ? 'state-ok' : ''}`}>{state}</span>
    </p>
  )
}

function Figures({ profile: { row }, from, now }: PartProps & { readonly from: Provenance }) {
  const ofPool = row?.liqOf === 'pool' ? 'One pool, chosen by the source.' : null
  const figures = [
    ['Liquidity', row?.liq, dollars, ofPool],
    ['Volume 24 h', row?.vol24, dollars, ofPool],
    ['Market cap', row?.mcap, dollars, null],
    ['Fully diluted', row?.fdv, dollars, null],
    ['Launched', row?.firstPoolAt, (at: number) => time(at, now), null],
  ] as const
  return (
    <Panel title="Key figures">
      <dl class="facts">
        {figures.map(([title, value, format, note]) => (
          <Fact key={title} title={title}>
            <Figure {...from} value={value} format={format} notes={[note]} unknown="No source reports it." />
          </Fact>
        ))}
      </dl>
    </Panel>
  )
}
