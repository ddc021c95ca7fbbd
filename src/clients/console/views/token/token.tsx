/** The token view: live price, candles, trades, holders and findings by source. */
import type { TokenProfile } from '../../../client/index.ts'
import { useQuery } from '../../data/hooks.ts'
import { client } from '../../data/service.ts'
import { dollars, price, time } from '../../format.ts'
import { Copy } from '../../parts/copy.tsx'
import { Figure } from '../../parts/figure.tsx'
import { Empty, Panel, ViewHead, Waiting } from '../../parts/panel.tsx'
import type { Provenance } from '../../parts/provenance.ts'
import { TokenName } from '../../parts/token-name.tsx'
import type { ViewProps } from '../view.ts'
import { About, Sources } from './about.tsx'
import { Candles } from './candles.tsx'
import { useLivePrice } from './live-price.ts'
import { Pools } from './pools.tsx'
import { originOf } from './profile.ts'
import { Changes, SecurityBySource } from './security.tsx'
import { Early, Holders, Trades } from './tables.tsx'
import './token.css'

/** The service asks a profile's sources at most once a minute. */
const EVERY_MS = 60_000

export function Token({ place }: ViewProps) {
  const [chain = '', address = ''] = place.path
  if (chain === '' || address === '') {
    return (
      <>
        <ViewHead title="Token" />
        <Empty>
          Open a token from the token list, or by its URL: #/token/ followed by the chain's key and the
          token's address.
        </Empty>
      </>
    )
  }
  return <OfToken key={`${chain} ${address}`} chain={chain} address={address} />
}

function OfToken({ chain, address }: { readonly chain: string; readonly address: string }) {
  const query = useQuery(
    `token ${chain} ${address}`,
    (callOptions) => client.token({ chain, address }, callOptions),
    {
      everyMs: EVERY_MS,
    },
  )
  const { data } = query
  const title = data?.row?.symbol ?? data?.row?.name ?? 'Token'
  return (
    <>
      <ViewHead title={title} query={query}>
        <p class="whole-address">
          <code>{data?.token ?? address}</code>
          <Copy text={data?.token ?? address} what="the address" />
        </p>
      </ViewHead>
      {data === null ? <Waiting query={query} /> : <Profile profile={data} now={query.at!} />}
    </>
  )
}

function Profile({ profile, now }: { readonly profile: TokenProfile; readonly now: number }) {
  const { chain, token, row } = profile
  const from = originOf(profile, 'row')
  return (
    <>
      <div class="summary-head">
        <TokenName chain={chain} address={token} symbol={row?.symbol ?? null} name={row?.name ?? null} />
        <Price profile={profile} from={from} />
        <Changes profile={profile} from={from} />
      </div>
      <Figures profile={profile} from={from} now={now} />
      <Candles profile={profile} now={now} />
      <SecurityBySource profile={profile} />
      <div class="side-by-side">
        <Holders profile={profile} now={now} />
        <Trades profile={profile} now={now} />
        <Pools profile={profile} />
        <Early profile={profile} now={now} />
      </div>
      <About profile={profile} now={now} />
      <Sources profile={profile} />
    </>
  )
}

const STATES = {
  opening: 'Connecting to the price stream.',
  live: 'Live from the price stream.',
  lost: 'The stream was lost; reconnecting.',
  refused: "The stream was refused; this is the profile's price.",
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
    <p class="live">
      <Figure
        source={shown.source}
        at={shown.at}
        value={shown.price}
        format={price}
        class={`big ${shown.isStale ? 'stale' : ''}`}
        notes={[shown.isStale ? 'Stale: more than 60 s old.' : null, STATES[state]]}
        unknown="None of its pools is deep enough for a meaningful price."
      />
      <span class={`chip ${state === 'live' ? 'state-ok' : ''}`}>{state}</span>
    </p>
  )
}

function Figures({
  profile: { row },
  from,
  now,
}: {
  readonly profile: TokenProfile
  readonly from: Provenance
  readonly now: number
}) {
  const ofPool = row?.liqOf === 'pool' ? 'One pool, chosen by the source.' : null
  const figures = [
    ['Liquidity', row?.liq, dollars, ofPool],
    ['Volume 24 h', row?.vol24, dollars, ofPool],
    ['Market cap', row?.mcap, dollars, null],
    ['Fully diluted', row?.fdv, dollars, null],
    ['First pool', row?.firstPoolAt, (at: number) => time(at, now), null],
  ] as const
  return (
    <Panel title="Figures">
      <dl class="facts">
        {figures.map(([title, value, format, note]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              <Figure
                {...from}
                value={value}
                format={format}
                notes={[note]}
                unknown="No source reports it."
              />
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}
