/** The transactions that are being rebroadcast, and what became of the last submissions. */
import type { SubmissionReceipt } from '../../client/index.ts'
import { age, count, ms, shortAddress, time } from '../format.ts'
import { Copy } from '../parts/copy.tsx'
import { figureColumn } from '../parts/figure.tsx'
import { Empty } from '../parts/panel.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { type InstanceReport, SOURCE } from './report.ts'

interface SubmissionsProps {
  readonly report: InstanceReport
  readonly at: number
}

export function Submissions({ report: { rebroadcasts, receipts }, at }: SubmissionsProps) {
  const [oldest] = rebroadcasts.transactions
  return (
    <>
      <p class="count">
        {oldest === undefined
          ? 'No transaction is being rebroadcast.'
          : `${count(rebroadcasts.count)} pending, rebroadcast every ${ms(rebroadcasts.everyMs)}; the oldest was accepted ${age(oldest.ageMs)} ago`}
      </p>
      {receipts.length === 0 ? (
        <Empty>No submissions since the service started.</Empty>
      ) : (
        <Table
          caption="Last submissions"
          columns={columnsOf(at)}
          rows={receipts}
          idOf={({ digest }) => digest}
        />
      )}
    </>
  )
}

const columnsOf = (at: number): readonly Column<SubmissionReceipt>[] => [
  {
    key: 'digest',
    title: 'Transaction',
    cell: ({ digest }) => (
      <>
        <code>{shortAddress(digest)}</code> <Copy text={digest} what="the signature" />
      </>
    ),
  },
  { key: 'received', title: 'Received', cell: ({ receivedAt }) => time(Date.parse(receivedAt), at) },
  {
    key: 'outcome',
    title: 'Outcome',
    cell: (receipt) => {
      const outcome =
        receipt.landed !== null ? 'landed' : firstAcceptance(receipt) === null ? 'not accepted' : 'accepted'
      return <span class={`chip ${outcome === 'not accepted' ? 'power' : 'state-ok'}`}>{outcome}</span>
    },
  },
  figureColumn('accepted', 'First acceptance', (receipt) => ({
    source: SOURCE,
    at,
    value: firstAcceptance(receipt),
    format: micros,
    notes: receipt.upstreams.map(outcomeOf),
    unknown: 'No upstream has accepted it.',
  })),
  figureColumn('landed', 'Seen in a block', ({ landed }) => ({
    source: SOURCE,
    at,
    value: landed?.us,
    format: micros,
    notes: [landed && `slot ${landed.slot}`],
    unknown: 'It was not looked for, or not seen.',
  })),
]

const micros = (us: number): string => ms(us / 1_000)

/** When the first upstream accepted the transaction, µs from the request; null if none has. */
function firstAcceptance({ upstreams }: SubmissionReceipt): number | null {
  const accepted = upstreams.filter(({ outcome }) => outcome === 'accepted')
  return accepted.length === 0 ? null : Math.min(...accepted.map(({ answeredUs }) => answeredUs!))
}

const outcomeOf = ({ name, outcome, answeredUs }: SubmissionReceipt['upstreams'][number]): string =>
  `${name}: ${outcome ?? 'no answer yet'}${answeredUs === null ? '' : ` after ${micros(answeredUs)}`}`
