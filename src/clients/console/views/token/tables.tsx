/** Trades, holders and early addresses, each with its source. */

import { useState } from 'preact/hooks'
import type { TokenProfile } from '../../../client/index.ts'
import { amount, count, dollars, percent, price, time } from '../../format.ts'
import { Button } from '../../parts/controls.tsx'
import { Fact } from '../../parts/fact.tsx'
import { Figure, figureColumn, Unknown } from '../../parts/figure.tsx'
import { Empty, Panel } from '../../parts/panel.tsx'
import type { Provenance } from '../../parts/provenance.ts'
import { type Column, column, Table } from '../../parts/table.tsx'
import { Linked, Origin } from './origin.tsx'
import { numberOf, originOf, type ProfileEntry, textOf } from './profile.ts'
import words from './words.json' with { type: 'json' }

/** The props of a part of the view. */
export interface PartProps {
  readonly profile: TokenProfile
  readonly now: number
}

const EARLY: Readonly<Record<string, string>> = words.early

/** The rows that a table shows at first. */
const FIRST_ROWS = 12

const UNREPORTED = 'The source does not report it.'

function tokensIn(units: unknown): string | null {
  const number = numberOf(units)
  return number === null ? null : `${amount(number)} tokens`
}

export function Trades({ profile, now }: PartProps) {
  const { trades = [] } = profile
  const from = originOf(profile, 'trades')
  return (
    <Panel title="Trades">
      <Origin {...from} />
      <Rows
        caption="Trades, the newest first"
        columns={tradeColumns(from, now, profile.chain)}
        rows={trades}
        idOf={(trade, i) => `${trade.tx} ${i}`}
        empty={profile.trades === undefined ? 'No source gave trades.' : 'There are no recent trades.'}
      />
    </Panel>
  )
}

/** A column of a member that the source may not report. */
export const memberColumn = (
  from: Provenance,
  member: string,
  title: string,
  format: (value: number) => string,
  notesOf: (entry: ProfileEntry) => readonly (string | null)[] = () => [],
): Column<ProfileEntry> =>
  figureColumn(member, title, (entry) => ({
    ...from,
    value: numberOf(entry[member]),
    format,
    unknown: UNREPORTED,
    notes: notesOf(entry),
  }))

function tradeColumns(from: Provenance, now: number, of: string): readonly Column<ProfileEntry>[] {
  const parties = ({ amount: units, trader }: ProfileEntry): readonly (string | null)[] => [
    tokensIn(units),
    textOf(trader) && `Trader ${trader}`,
  ]
  return [
    column('kind', 'Trade', ({ kind }) => (
      <span class={`kind ${kind === 'buy' ? 'up' : 'down'}`}>
        {kind === 'buy' ? '▲ buy' : kind === 'sell' ? '▼ sell' : (textOf(kind) ?? 'unknown')}
      </span>
    )),
    memberColumn(from, 'volumeUsd', 'Value', dollars, parties),
    memberColumn(from, 'priceUsd', 'Price', price),
    memberColumn(from, 'ts', 'Time', (ts) => time(ts, now)),
    column(
      'tx',
      'Tx',
      ({ tx }) =>
        textOf(tx) && <Linked of={of} kind="tx" id={`${tx}`} text="↗" label={`Transaction ${tx}`} />,
    ),
  ]
}

export function Holders({ profile }: Pick<PartProps, 'profile'>) {
  const from = originOf(profile, 'holders')
  const { holders = [], row } = profile
  const of: Provenance = { source: "This profile's sources", at: row?.profileTs ?? null }
  const figures = [
    ['Holders', row?.holders, count],
    ['Ten largest', row?.topTenPct, percent],
    ['Creator', row?.creatorPct, percent],
  ] as const
  const columns: readonly Column<ProfileEntry>[] = [
    column('address', 'Holder', (holder) => <Holder holder={holder} from={from} of={profile.chain} />),
    memberColumn(from, 'percent', 'Share', percent, ({ balance }) => [tokensIn(balance)]),
  ]
  return (
    <Panel title="Largest holders">
      <Origin {...from} />
      <dl class="facts">
        {figures.map(([title, value, format]) => (
          <Fact key={title} title={title}>
            <Figure {...of} value={value} format={format} unknown="No source reports it." />
          </Fact>
        ))}
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
  return known.map((tag) => (
    <span key={tag} class="chip">
      {tag}
    </span>
  ))
}

export function Early({ profile, now }: PartProps) {
  const entryFrom = ({ source }: ProfileEntry): Provenance => {
    const provider = textOf(source)
    const known = profile.sources.find((one) => one.provider === provider)
    return { source: provider ?? 'Unknown source', at: known?.at ?? null }
  }
  const columns: readonly Column<ProfileEntry>[] = [
    column('kind', 'Who', ({ kind }) => EARLY[String(kind)] ?? String(kind)),
    column('address', 'Address', (entry) => <Linked of={profile.chain} id={String(entry.address)} />),
    figureColumn('at', 'When', (entry) => ({
      ...entryFrom(entry),
      notes: [textOf(entry.tx) && `Transaction ${entry.tx}`],
      value: numberOf(entry.at),
      format: (at) => time(at, now),
      unknown: 'The source does not report when.',
    })),
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
    <Panel title="First buyers">
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

interface HolderProps {
  readonly holder: ProfileEntry
  readonly from: Provenance
  readonly of: string
}

function Holder({ holder, from, of }: HolderProps) {
  const address = textOf(holder.address)
  return (
    <span class="chips row">
      {address === null ? <Unknown {...from} why={UNREPORTED} /> : <Linked of={of} id={address} />}
      <Tags tags={holder.tags} />
    </span>
  )
}

interface RowsProps {
  readonly caption: string
  readonly columns: readonly Column<ProfileEntry>[]
  readonly rows: readonly ProfileEntry[]
  readonly idOf: (row: ProfileEntry, i: number) => string
  readonly empty: string
}

/** The first rows, with a button that shows all of them. */
export function Rows({ caption, columns, rows, idOf, empty }: RowsProps) {
  const [isWhole, setWhole] = useState(false)
  if (rows.length === 0) return <Empty>{empty}</Empty>
  const shown = isWhole ? rows : rows.slice(0, FIRST_ROWS)
  return (
    <>
      <Table caption={caption} columns={columns} rows={shown} idOf={idOf} />
      {shown.length < rows.length && (
        <Button class="quiet more" onClick={() => setWhole(true)}>
          {`Show all ${rows.length}`}
        </Button>
      )}
    </>
  )
}
