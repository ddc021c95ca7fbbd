/** The holdings on one chain. */
import type { Portfolio } from '../../../client/index.ts'
import { amount, dollars, price } from '../../format.ts'
import { Figure } from '../../parts/figure.tsx'
import { Panel } from '../../parts/panel.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { TokenName } from '../../parts/token-name.tsx'

type ChainPortfolio = Portfolio['chains'][number]
type PortfolioHolding = ChainPortfolio['holdings'][number]

const NOTES: Readonly<Record<PortfolioHolding['notes'][number], string>> = {
  frozen: 'Some of it is frozen and cannot be moved.',
  scaled: 'Wallets show a scaled amount.',
  gated: 'The token list hides it for its risks.',
}

export function ChainHoldings({ entry }: { readonly entry: ChainPortfolio }) {
  const { chain, status, usd, holdings, hidden, problems, at } = entry
  const readAt = Date.parse(at)
  return (
    <Panel title={chain}>
      <p class="panel-total">
        <Figure value={usd} format={dollars} source={`Sum on ${chain}`} at={readAt} unknown="" />
        {status !== 'complete' && (
          <span class="chip power">{status === 'failed' ? 'not read' : 'partly read'}</span>
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
        <p class="count">{`${hidden.count} more tokens, unlisted and of little value, are not shown: ${dollars(hidden.usd)}.`}</p>
      )}
    </Panel>
  )
}

function columnsOf(
  { chain, block, slot }: ChainPortfolio,
  readAt: number,
): readonly Column<PortfolioHolding>[] {
  const position = slot === undefined || slot === null ? `block ${block ?? 'unknown'}` : `slot ${slot}`
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
          unknown={`Its decimals are unknown; the amount is ${row.amount} base units.`}
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
          source="Pools or the token list"
          at={row.priceTs}
          unknown="No pool is deep enough for a meaningful price."
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
              ? 'Capped at a fifth of the liquidity in its pools: more could not be sold.'
              : null,
          ]}
          unknown="It has no price, so no value."
        />
      ),
    },
  ]
}
