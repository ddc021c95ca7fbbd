/** Who keeps their word: what the swaps of the last seven days paid out, compared with what was stated. */
import type { BakeOff } from '../../../client/index.ts'
import { useAnswer, useChainNames } from '../../data/hooks.ts'
import { titleOf } from '../../data/words.ts'
import { count, counted, percent } from '../../format.ts'
import { CurlLine } from '../../parts/curl-line.tsx'
import { figureColumn } from '../../parts/figure.tsx'
import { Empty, Panel } from '../../parts/panel.tsx'
import type { Provenance } from '../../parts/provenance.ts'
import { type Column, Table } from '../../parts/table.tsx'
import words from './words.json' with { type: 'json' }

type Provider = BakeOff['chains'][number]['providers'][number]
type Delivered = NonNullable<Provider['delivered']> & { readonly chain: string; readonly provider: string }

/** Nothing if the operator keeps the statistics private. */
export function WhatIsDelivered() {
  const { data, at, exchange } = useAnswer('bakeOff', { range: '7d' }, { everyMs: 60_000 })
  const nameOf = useChainNames()
  if (data === null) return null
  const rows = data.chains.flatMap(({ chain, providers }) =>
    providers.flatMap(({ provider, delivered }) => (delivered ? { ...delivered, chain, provider } : [])),
  )
  return (
    <Panel title="Who keeps their word">
      <p class="note">{words.delivered}</p>
      {rows.length === 0 ? (
        <Empty>{words.noneDelivered}</Empty>
      ) : (
        <Table
          caption="What providers deliver"
          columns={columnsOf({ source: words.deliveredSource, at }, nameOf)}
          rows={rows}
          idOf={({ chain, provider }) => `${chain} ${provider}`}
        />
      )}
      <CurlLine exchange={exchange} of="what providers deliver" />
    </Panel>
  )
}

const columnsOf = (from: Provenance, nameOf: (chain: string) => string): readonly Column<Delivered>[] => [
  { key: 'name', title: 'Provider', cell: ({ provider }) => titleOf(provider) },
  { key: 'chain', title: 'Chain', cell: ({ chain }) => nameOf(chain) },
  figureColumn('swaps', 'Swaps', ({ swaps }) => ({ ...from, value: swaps, format: count })),
  figureColumn('usual', 'Usually arrives', ({ medianBps, sizes }) => ({
    ...from,
    value: medianBps,
    format: short,
    notes: sizes.map((one) => `${one.size}: ${short(one.medianBps)} in ${counted(one.swaps, 'swap')}`),
  })),
  figureColumn('proved', 'Proved shortfall', ({ lossBps, sizes, errorPerMille }) => {
    const value = Math.max(lossBps, ...sizes.map((one) => one.lossBps))
    const why = value === 0 ? words.unproved : `${words.proved} ${errorPerMille} of 1,000.`
    return { ...from, value, format: proved, class: value === 0 ? '' : 'chip state-refused', notes: [why] }
  }),
]

/** @param bps  that arrived less; negative: more */
const short = (bps: number): string =>
  bps === 0 ? 'as stated' : `${percent(Math.abs(bps) / 100)} ${bps > 0 ? 'less' : 'more'}`

const proved = (bps: number): string => (bps === 0 ? 'none' : percent(bps / 100))
