/** What is held on one chain. */
import type { Portfolio } from '../../../client/index.ts'
import { amount, dollars, price } from '../../format.ts'
import { Figure } from '../../parts/figure.tsx'
import { Panel } from '../../parts/panel.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { TokenName } from '../../parts/token-name.tsx'

type Entry = Portfolio['chains'][number]
type Holding = Entry['holdings'][number]

const NOTES: Readonly<Record<Holding['notes'][number], string>> = {
  frozen: 'A part of it cannot be moved.',
  scaled: 'Wallets show another amount.',
  gated: 'The token list holds it back.',
}

export function ChainHoldings({ entry }: { readonly entry: Entry }) {
  const { chain, status, usd, holdings, hidden, problems, at } = entry
  const readAt = Date.parse(at)
  return (
    <Panel title={chain}>
      <p class="panel-total">
        <Figure value={usd} format={dollars} source={`The sum on ${chain}`} at={readAt} unknown="" />
        {status !== 'complete' && (
          <span class="chip power">{status === 'failed' ? 'not read' : 'read in part'}</span>
        )}
      </p>
      {problems.map(({ part, error }) => (
        <p key={part + error} class="problem">
          {`${part}: ${error}`}
        </p>
      ))}
      {holdings.length > 0 && (
        <Table
          caption={`Holdings on ${chain}`}
          columns={columnsOf(entry, readAt)}
          rows={holdings}
          idOf={({ address, isNative }) => `${isNative} ${address}`}
        />
      )}
      {hidden.count > 0 && (
        <p class="count">{`${hidden.count} more, unlisted and worth little, are not shown: ${dollars(hidden.usd)}.`}</p>
      )}
    </Panel>
  )
}

function columnsOf({ chain, block, slot }: Entry, readAt: number): readonly Column<Holding>[] {
  const position = slot === undefined || slot === null ? `block ${block ?? 'not told'}` : `slot ${slot}`
  return [
    {
      key: 'token',
      title: 'Token',
      cell: ({ address, symbol, name }) => (
        <TokenName chain={chain} address={address} symbol={symbol} name={name} />
      ),
    },
    {
      key: 'amount',
      title: 'Amount',
      isNumber: true,
      cell: (row) => (
        <Figure
          value={row.amountHuman}
          format={amount}
          source={`The chain, at ${position}`}
          at={readAt}
          notes={[`${row.amount} base units`, ...row.notes.map((note) => NOTES[note])]}
          unknown={`Its decimals are not known; it is ${row.amount} base units.`}
        />
      ),
    },
    {
      key: 'price',
      title: 'Price',
      isNumber: true,
      cell: (row) => (
        <Figure
          value={row.price}
          format={price}
          source="Pools, or the token list"
          at={row.priceTs}
          unknown="No pool is deep enough for a price to mean something."
        />
      ),
    },
    {
      key: 'value',
      title: 'Value',
      isNumber: true,
      cell: (row) => (
        <Figure
          value={row.valueUsd}
          format={dollars}
          source="Amount times price"
          at={row.priceTs}
          notes={[
            row.cappedBy === 'liquidity'
              ? 'Bounded by a fifth of what is in its pools: more could not be sold.'
              : null,
          ]}
          unknown="Without a price there is no value."
        />
      ),
    },
  ]
}
