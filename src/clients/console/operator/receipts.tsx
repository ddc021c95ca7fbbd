/** The last submissions: pending rebroadcasts, and each receipt as a waterfall. */
import { useState } from 'preact/hooks'
import type { Rebroadcasts, SubmissionReceipt } from '../../client/index.ts'
import { age, count, ms, shortAddress, time } from '../format.ts'
import { Copy } from '../parts/copy.tsx'
import { Figure } from '../parts/figure.tsx'
import { Empty } from '../parts/panel.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { firstAcceptanceUs, positionOf, type ReceiptStage, scaleOf, stagesOf, ticksOf } from './waterfall.ts'

const SOURCE = 'GET /instance'
/** How many receipts are open at first. */
const OPEN = 3

const micros = (us: number): string => ms(us / 1_000)

export function Pending({ pending, at }: { readonly pending: Rebroadcasts; readonly at: number }) {
  if (pending.count === 0) return <Empty>No transaction is being rebroadcast.</Empty>
  const shown = pending.transactions.length
  return (
    <>
      <p class="count">
        {`${count(pending.count)} pending, rebroadcast every ${Math.round(pending.everyMs / 100) / 10} s`}
        {shown < pending.count && `; the oldest ${shown}`}
      </p>
      <Table
        caption="Pending submissions"
        columns={pendingColumns(at)}
        rows={pending.transactions.map((transaction, i) => ({ ...transaction, number: i + 1 }))}
        idOf={({ number }) => String(number)}
      />
    </>
  )
}

type PendingRow = Rebroadcasts['transactions'][number] & { readonly number: number }

const pendingColumns = (at: number): readonly Column<PendingRow>[] => {
  const figure = (value: number | null, format: (value: number) => string, unknown = '') => (
    <Figure value={value} format={format} source={SOURCE} at={at} unknown={unknown} />
  )
  return [
    { key: 'number', title: 'Transaction', cell: ({ number }) => `${number}.` },
    {
      key: 'age',
      title: 'Accepted',
      isNumber: true,
      cell: ({ ageMs }) => figure(ageMs, (v) => `${age(v)} ago`),
    },
    { key: 'sends', title: 'Rebroadcasts', isNumber: true, cell: ({ sends }) => figure(sends, count) },
    {
      key: 'left',
      title: 'Retries left',
      isNumber: true,
      cell: ({ retriesLeft }) => figure(retriesLeft, count),
    },
    { key: 'next', title: 'Next in', isNumber: true, cell: ({ nextInMs }) => figure(nextInMs, ms) },
    {
      key: 'height',
      title: 'Valid to height',
      isNumber: true,
      cell: ({ lastValidBlockHeight }) =>
        figure(
          lastValidBlockHeight,
          String,
          'The gateway has not seen its blockhash, or it uses a durable nonce.',
        ),
    },
  ]
}

export function Receipts({
  receipts,
  at,
}: {
  readonly receipts: readonly SubmissionReceipt[]
  readonly at: number
}) {
  if (receipts.length === 0) return <Empty>Nothing was submitted since the service started.</Empty>
  const scaleUs = scaleOf(receipts)
  return (
    <>
      <p class="count">
        {`The last ${receipts.length}, timed from the head of the request, on a logarithmic scale`}
      </p>
      <ul class="receipts">
        {receipts.map((receipt, i) => (
          <Receipt key={receipt.digest} receipt={receipt} at={at} scaleUs={scaleUs} isFirst={i < OPEN} />
        ))}
      </ul>
    </>
  )
}

interface ReceiptProps {
  readonly receipt: SubmissionReceipt
  readonly at: number
  readonly scaleUs: number
  readonly isFirst: boolean
}

function Receipt({ receipt, at, scaleUs, isFirst }: ReceiptProps) {
  // Later receipts do not close an open one.
  const [isOpen] = useState(isFirst)
  const acceptedUs = firstAcceptanceUs(receipt)
  const { digest, receivedAt, landed } = receipt
  const outcome = landed !== null ? 'landed' : acceptedUs !== null ? 'accepted' : 'not accepted'
  return (
    <li>
      <details open={isOpen}>
        <summary>
          <code>{shortAddress(digest)}</code>
          <span>{time(Date.parse(receivedAt), at)}</span>
          <span class={`chip ${outcome === 'not accepted' ? 'power' : 'state-ok'}`}>{outcome}</span>
          <span class="summary">
            {acceptedUs !== null && `first acceptance after ${micros(acceptedUs)}`}
            {landed !== null && `, seen in slot ${landed.slot} after ${micros(landed.us)}`}
          </span>
        </summary>
        <ol class="stages">
          {stagesOf(receipt).map((stage) => (
            <StageLine key={stage.name} stage={stage} scaleUs={scaleUs} at={at} />
          ))}
        </ol>
        <Axis scaleUs={scaleUs} />
        <Copy text={digest} what="the signature" />
      </details>
    </li>
  )
}

function StageLine({
  stage,
  scaleUs,
  at,
}: {
  readonly stage: ReceiptStage
  readonly scaleUs: number
  readonly at: number
}) {
  const { name, kind, fromUs, toUs, notes } = stage
  const from = positionOf(fromUs, scaleUs)
  const to = toUs === null ? 1 : positionOf(toUs, scaleUs)
  return (
    <li class={kind}>
      <span class="stage-name">{name}</span>
      <span class="track" aria-hidden="true">
        <span class="stage-bar" style={{ left: `${100 * from}%`, width: `${100 * (to - from)}%` }} />
      </span>
      <Figure
        value={toUs}
        format={micros}
        source={SOURCE}
        at={at}
        notes={[...notes, fromUs === toUs ? null : `started after ${micros(fromUs)}`]}
        unknown="No answer yet."
      />
    </li>
  )
}

function Axis({ scaleUs }: { readonly scaleUs: number }) {
  return (
    <div class="axis" aria-hidden="true">
      {ticksOf(scaleUs).map((us) => (
        <span key={us} style={{ left: `${100 * positionOf(us, scaleUs)}%` }}>
          {us >= 1_000_000 ? `${us / 1_000_000} s` : `${us / 1_000} ms`}
        </span>
      ))}
    </div>
  )
}
