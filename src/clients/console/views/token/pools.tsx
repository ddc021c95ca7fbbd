/** The pools that sources looked at, and what of their shares is locked or burned, by source. */
import type { TokenProfile } from '../../../client/index.ts'
import { dollars, percent } from '../../format.ts'
import { Figure } from '../../parts/figure.tsx'
import { Empty, Panel } from '../../parts/panel.tsx'
import type { Provenance } from '../../parts/provenance.ts'
import type { Column } from '../../parts/table.tsx'
import { Address } from './address.tsx'
import { type Entry, numberOf, textOf } from './profile.ts'
import { Rows } from './tables.tsx'

interface BySource {
  readonly source: string
  readonly said: Entry
  readonly pools: readonly Entry[]
}

export function Pools({ profile }: { readonly profile: TokenProfile }) {
  const known = bySource(profile.row?.lp)
  return (
    <Panel title="Liquidity pools, by source">
      {known.every(({ pools }) => pools.length === 0) && <Empty>No source looked at a pool of it.</Empty>}
      {known
        .filter(({ pools }) => pools.length > 0)
        .map((one) => (
          <OfSource key={one.source} {...one} />
        ))}
    </Panel>
  )
}

function OfSource({ source, said, pools }: BySource) {
  const from: Provenance = { source, at: numberOf(said.at) }
  const [locked, burned] = [numberOf(said.lockedPct), numberOf(said.burnedPct)]
  const all = [
    locked === null ? null : `${percent(locked)} locked`,
    burned === null ? null : `${percent(burned)} burned`,
  ].filter((text) => text !== null)
  return (
    <>
      <h3>{`${source}${all.length === 0 ? '' : `: ${all.join(', ')} in all`}`}</h3>
      <Rows
        caption={`Pools that ${source} looked at`}
        columns={columnsOf(from)}
        rows={pools}
        idOf={({ address }, i) => `${address} ${i}`}
        empty=""
      />
    </>
  )
}

function columnsOf(from: Provenance): readonly Column<Entry>[] {
  const figure = (
    key: string,
    title: string,
    names: readonly string[],
    format: (value: number) => string,
  ): Column<Entry> => ({
    key,
    title,
    isNumber: true,
    cell: (pool) => (
      <Figure
        {...from}
        value={names.map((name) => numberOf(pool[name])).find((value) => value !== null)}
        format={format}
        unknown="The source does not tell it."
      />
    ),
  })
  return [
    {
      key: 'address',
      title: 'Pool',
      cell: (pool) => <Address {...from} address={String(pool.address)} />,
    },
    { key: 'venue', title: 'Venue', cell: ({ venue }) => textOf(venue) ?? '—' },
    figure('liquidity', 'Liquidity', ['liquidityUsd'], dollars),
    figure('locked', 'Locked', ['lockedPct'], percent),
    figure('burned', 'Burned', ['burnPercent'], percent),
  ]
}

/** A source that says something else than pools is not shown. */
function bySource(lp: unknown): readonly BySource[] {
  if (typeof lp !== 'object' || lp === null) return []
  return Object.entries(lp as Entry).flatMap(([source, said]) => {
    const { pools } = (said ?? {}) as Entry
    return Array.isArray(pools) ? [{ source, said: said as Entry, pools: pools as Entry[] }] : []
  })
}
