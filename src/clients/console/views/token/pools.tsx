/** A token's pools, with the locked and burned share of their LP tokens, by source. */
import type { TokenProfile } from '../../../client/index.ts'
import { titleOf } from '../../data/words.ts'
import { dollars, percent } from '../../format.ts'
import { Empty, Panel } from '../../parts/panel.tsx'
import type { Provenance } from '../../parts/provenance.ts'
import { type Column, column } from '../../parts/table.tsx'
import { Linked } from './origin.tsx'
import { numberOf, type ProfileEntry, textOf } from './profile.ts'
import { memberColumn, Rows } from './tables.tsx'

interface SourcePools {
  readonly source: string
  readonly said: ProfileEntry
  readonly pools: readonly ProfileEntry[]
}

export function Pools({ profile }: { readonly profile: TokenProfile }) {
  const known = bySource(profile.row?.lp)
  return (
    <Panel title="Liquidity pools, by source">
      {known.length === 0 && <Empty>No source has checked its pools.</Empty>}
      {known.map((one) => (
        <OfSource key={one.source} {...one} of={profile.chain} />
      ))}
    </Panel>
  )
}

function OfSource({ source, said, pools, of }: SourcePools & { readonly of: string }) {
  const from: Provenance = { source, at: numberOf(said.at) }
  const totals = { locked: numberOf(said.lockedPct), burned: numberOf(said.burnedPct) }
  const held = Object.entries(totals).flatMap(([how, share]) =>
    share === null ? [] : `${percent(share)} ${how}`,
  )
  return (
    <>
      <h3>{`${source}${held.length === 0 ? '' : `: ${held.join(', ')} in total`}`}</h3>
      <Rows
        caption={`Pools checked by ${source}`}
        columns={columnsOf(from, of)}
        rows={pools}
        idOf={({ address }, i) => `${address} ${i}`}
        empty=""
      />
    </>
  )
}

const columnsOf = (from: Provenance, of: string): readonly Column<ProfileEntry>[] => [
  column('address', 'Pool', (pool) => <Linked of={of} id={String(pool.address)} />),
  column('venue', 'Exchange', ({ venue }) => textOf(venue) ?? '—'),
  memberColumn(from, 'liquidityUsd', 'Liquidity', dollars),
  memberColumn(from, 'lockedPct', 'Locked', percent),
  memberColumn(from, 'burnPercent', 'Burned', percent),
]

/** The pools of each source; sources that list none are left out. */
function bySource(lp: unknown): readonly SourcePools[] {
  if (typeof lp !== 'object' || lp === null) return []
  return Object.entries(lp as ProfileEntry).flatMap(([source, entry]) => {
    const said = (entry ?? {}) as ProfileEntry
    const { pools } = said
    return Array.isArray(pools) && pools.length > 0 ? [{ source: titleOf(source), said, pools }] : []
  })
}
