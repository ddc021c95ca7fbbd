/** Trades, holders and early addresses, each with its source. */
import { useState } from 'preact/hooks'
import type { TokenProfile } from '../../../client/index.ts'
import { amount, count, dollars, percent, price, time } from '../../format.ts'
import { Figure, Unknown } from '../../parts/figure.tsx'
import { Empty, Panel } from '../../parts/panel.tsx'
import type { Provenance } from '../../parts/provenance.ts'
import { type Column, Table } from '../../parts/table.tsx'
import { Address } from './address.tsx'
import { Origin } from './origin.tsx'
import { numberOf, originOf, type ProfileEntry, textOf } from './profile.ts'

interface PartProps {
  readonly profile: TokenProfile
  readonly now: number
}

/** The rows that a table shows at first. */
const FIRST_ROWS = 12

export function Trades({ profile, now }: PartProps) {
  const { trades = [] } = profile
  const from = originOf(profile, 'trades')
  return (
    <Panel title="Trades">
      <Origin {...from} />
      <Rows
        caption="Trades, the newest first"
        columns={tradeColumns(from, now)}
        rows={trades}
        idOf={(trade, i) => `${trade.tx} ${i}`}
        empty={profile.trades === undefined ? 'No source gave trades.' : 'There are no recent trades.'}
      />
    </Panel>
  )
}

function tradeColumns(from: Provenance, now: number): readonly Column<ProfileEntry>[] {
  const figure = (key: string, title: string, format: (value: number) => string): Column<ProfileEntry> => ({
    key,
    title,
    isNumber: true,
    cell: (trade) => (
      <Figure
        {...from}
        value={numberOf(trade[key])}
        format={format}
        unknown="The source does not report it."
        notes={[textOf(trade.tx) && `Transaction ${trade.tx}`]}
      />
    ),
  })
  return [
    {
      key: 'kind',
      title: 'Trade',
      cell: ({ kind }) => <span class={`kind ${kind === 'buy' ? 'up' : 'down'}`}>{textOf(kind) ?? '—'}</span>,
    },
    figure('ts', 'At', (ts) => time(ts, now)),
    figure('volumeUsd', 'Value', dollars),
    figure('priceUsd', 'Price', price),
    figure('amount', 'Amount', amount),
    addressColumn('trader', 'Trader', from),
  ]
}

export function Holders({ profile }: PartProps) {
  const from = originOf(profile, 'holders')
  const { holders = [], row } = profile
  const of: Provenance = { source: "This profile's sources", at: row?.profileTs ?? null }
  const columns: readonly Column<ProfileEntry>[] = [
    addressColumn('address', 'Holder', from),
    {
      key: 'percent',
      title: 'Share of supply',
      isNumber: true,
      cell: (holder) => (
        <Figure
          {...from}
          value={numberOf(holder.percent)}
          format={percent}
          unknown="The source does not report it."
        />
      ),
    },
    {
      key: 'balance',
      title: 'Balance',
      isNumber: true,
      cell: (holder) => (
        <Figure
          {...from}
          value={numberOf(holder.balance)}
          format={amount}
          unknown="The source does not report it."
        />
      ),
    },
    { key: 'tags', title: 'Known as', cell: ({ tags }) => <Tags tags={tags} /> },
  ]
  return (
    <Panel title="Largest holders">
      <Origin {...from} />
      <dl class="facts">
        <div>
          <dt>Holders</dt>
          <dd>
            <Figure {...of} value={row?.holders} format={count} unknown="No source reports it." />
          </dd>
        </div>
        <div>
          <dt>Ten largest</dt>
          <dd>
            <Figure {...of} value={row?.topTenPct} format={percent} unknown="No source reports it." />
          </dd>
        </div>
        <div>
          <dt>Creator</dt>
          <dd>
            <Figure {...of} value={row?.creatorPct} format={percent} unknown="No source reports it." />
          </dd>
        </div>
      </dl>
      <Rows
        caption="The largest holders"
        columns={columns}
        rows={holders}
        idOf={({ address }) => String(address)}
        empty={profile.holders === undefined ? 'No source gave holders.' : 'The source lists none.'}
      />
    </Panel>
  )
}

function Tags({ tags }: { readonly tags: unknown }) {
  const known = Array.isArray(tags) ? tags.flatMap((tag) => textOf(tag) ?? []) : []
  if (known.length === 0) return null
  return (
    <span class="chips">
      {known.map((tag) => (
        <span key={tag} class="chip">
          {tag}
        </span>
      ))}
    </span>
  )
}

const EARLY: Readonly<Record<string, string>> = {
  pool: 'First pool',
  creator: 'Creator',
  buyer: 'Early buyer',
}

export function Early({ profile, now }: PartProps) {
  const entryFrom = ({ source }: ProfileEntry): Provenance => {
    const provider = textOf(source)
    const known = profile.sources.find((one) => one.provider === provider)
    return { source: provider ?? 'Unknown source', at: known?.at ?? null }
  }
  const columns: readonly Column<ProfileEntry>[] = [
    { key: 'kind', title: 'Who', cell: ({ kind }) => EARLY[String(kind)] ?? String(kind) },
    {
      key: 'address',
      title: 'Address',
      cell: (entry) => (
        <Address
          {...entryFrom(entry)}
          address={String(entry.address)}
          notes={[textOf(entry.tx) && `Transaction ${entry.tx}`]}
        />
      ),
    },
    {
      key: 'at',
      title: 'When',
      isNumber: true,
      cell: (entry) => (
        <Figure
          {...entryFrom(entry)}
          value={numberOf(entry.at)}
          format={(at) => time(at, now)}
          unknown="The source does not report when."
        />
      ),
    },
    {
      key: 'amount',
      title: 'What',
      isNumber: true,
      cell: (entry) =>
        entry.kind === 'buyer' ? (
          <Figure
            {...entryFrom(entry)}
            value={numberOf(entry.amount)}
            format={amount}
            unknown="The source does not report how much."
          />
        ) : (
          (textOf(entry.venue) ?? '')
        ),
    },
  ]
  return (
    <Panel title="Early">
      <Rows
        caption="The first pool, the creator and the first buyers"
        columns={columns}
        rows={profile.early ?? []}
        idOf={({ kind, address }, i) => `${kind} ${address} ${i}`}
        empty="No source knows its first pool, its creator or its first buyers."
      />
      {profile.early?.every(({ kind }) => kind !== 'buyer') && (
        <p class="note">First buyers are reported only for young pools.</p>
      )}
    </Panel>
  )
}

function addressColumn(key: string, title: string, from: Provenance): Column<ProfileEntry> {
  return {
    key,
    title,
    cell: (entry) => {
      const address = textOf(entry[key])
      return address === null ? (
        <Unknown {...from} why="The source does not report it." />
      ) : (
        <Address {...from} address={address} />
      )
    },
  }
}

/** The first rows, with a button that shows all of them. */
export function Rows({
  caption,
  columns,
  rows,
  idOf,
  empty,
}: {
  readonly caption: string
  readonly columns: readonly Column<ProfileEntry>[]
  readonly rows: readonly ProfileEntry[]
  readonly idOf: (row: ProfileEntry, i: number) => string
  readonly empty: string
}) {
  const [isWhole, setWhole] = useState(false)
  if (rows.length === 0) return <Empty>{empty}</Empty>
  const shown = isWhole ? rows : rows.slice(0, FIRST_ROWS)
  const ids = new Map(shown.map((row, i) => [row, idOf(row, i)]))
  return (
    <>
      <Table caption={caption} columns={columns} rows={shown} idOf={(row) => ids.get(row)!} />
      {shown.length < rows.length && (
        <button type="button" class="quiet more" onClick={() => setWhole(true)}>
          {`Show all ${rows.length}`}
        </button>
      )}
    </>
  )
}
