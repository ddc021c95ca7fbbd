/** Who won the races for quotes, by chain and class of the pair, by how much, and who failed of what. */
import { count } from '../format.ts'
import { Empty } from '../parts/panel.tsx'
import { type Column, Table } from '../parts/table.tsx'
import type { InstanceReport } from './report.ts'

type Chain = InstanceReport['races'][number]
type Pair = Chain['pairs'][number] & Pick<Chain, 'chain'>

export function Races({ races }: Pick<InstanceReport, 'races'>) {
  const rows = races.flatMap(({ chain, pairs }) => pairs.map((pair) => ({ ...pair, chain })))
  if (rows.length === 0) return <Empty>No quotes in the last 24 hours.</Empty>
  return (
    <Table
      caption="Quotes by pair"
      columns={COLUMNS}
      rows={rows}
      idOf={({ chain, pair }) => `${chain} ${pair}`}
    />
  )
}

const COLUMNS: readonly Column<Pair>[] = [
  { key: 'chain', title: 'Chain', cell: ({ chain }) => chain },
  { key: 'pair', title: 'Pair', cell: ({ pair }) => pair.replace('-', ' / ') },
  { key: 'races', title: 'Quotes', isNumber: true, cell: ({ races }) => count(races) },
  { key: 'won', title: 'Won, and ahead of the next', cell: ({ providers }) => listed(providers.map(wonBy)) },
  { key: 'failed', title: 'Failed or late', cell: ({ providers }) => listed(providers.map(failedBy)) },
]

type Provider = Pair['providers'][number]

const wonBy = ({ provider, won, medianAheadBps: ahead }: Provider): string =>
  won === 0 ? '' : `${provider} ${count(won)}${ahead === null ? '' : ` (${count(ahead)} bps)`}`

function failedBy({ provider, failures, late }: Provider): string {
  const causes = Object.entries({ ...failures, ...(late > 0 && { late }) })
  return causes.length === 0 ? '' : `${provider}: ${listed(causes.map(([what, n]) => `${what} ${count(n)}`))}`
}

const listed = (parts: readonly string[]): string => parts.filter((part) => part !== '').join(', ') || 'none'
