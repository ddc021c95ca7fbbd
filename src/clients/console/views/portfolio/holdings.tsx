/** Tables of holdings: of one chain, or of all by value. */

import { useAllTokens, useChainNames } from '../../data/hooks.ts'
import titles from '../../data/titles.json' with { type: 'json' }
import { amount, decimal, dollars, price } from '../../format.ts'
import { hrefOf } from '../../location.ts'
import { Figure, figureColumn, Tipped } from '../../parts/figure.tsx'
import { Panel } from '../../parts/panel.tsx'
import { type Column, column, Table } from '../../parts/table.tsx'
import { TokenName } from '../../parts/token-name.tsx'
import { type ChainPortfolio, type HeldRow, idOf, type PortfolioHolding, rowsOf } from './sums.ts'
import words from './words.json' with { type: 'json' }

const NOTES: Readonly<Record<PortfolioHolding['notes'][number], string>> = titles.holdingNotes

export function ChainHoldings({ entry, small }: { readonly entry: ChainPortfolio; readonly small: boolean }) {
  const { status, usd, problems, at } = entry
  const chain = useChainNames()(entry.chain)
  return (
    <Panel title={chain}>
      <p class="panel-total line">
        <Figure value={usd} format={dollars} source={`Sum on ${chain}`} at={Date.parse(at)} />
        {status !== 'complete' && (
          <span class="chip power">{status === 'failed' ? 'not read' : 'partly read'}</span>
        )}
      </p>
      {problems.map(({ part, error }) => (
        <p key={part + error} class="problem">
          {`${part}: ${error}`}
        </p>
      ))}
      <HoldingsTable caption={`Holdings on ${chain}`} rows={rowsOf([entry], small)} />
    </Panel>
  )
}

interface HoldingsTableProps {
  readonly caption: string
  readonly rows: readonly HeldRow[]
}

export function HoldingsTable({ caption, rows }: HoldingsTableProps) {
  if (rows.length === 0) return null
  return (
    <Table
      caption={caption}
      columns={COLUMNS}
      rows={rows}
      idOf={({ entry, holding }) => `${entry.chain} ${holding.isNative} ${holding.address}`}
    />
  )
}

function Held({ row }: { readonly row: HeldRow }) {
  const { chain } = row.entry
  const id = idOf(chain, row.holding.address)
  const listed = useAllTokens().data?.tokens.find((one) => idOf(one.chain, one.address) === id)
  return (
    <a class="to-token" href={swapOf(row)}>
      <span class="hidden">Swap </span>
      <TokenName {...row.holding} chain={chain} image={listed?.image} />
    </a>
  )
}

/** The swap form with the holding on the side that is paid: a token whole, or the native coin, which also pays fees. */
function swapOf({ entry: { chain }, holding: { address, isNative, amount, decimals } }: HeldRow): string {
  if (isNative) return hrefOf('swap', [], { chain, side: 'buy' })
  const whole = decimals === null ? null : decimal(amount, decimals)
  return hrefOf('swap', [], { chain, side: 'sell', token: address, amount: whole })
}

function Value({ priceTs, valueUsd, cappedBy }: PortfolioHolding) {
  if (valueUsd === null) {
    return (
      <Tipped class="chip power" source={words.tooShallow} at={priceTs}>
        Unpriced
      </Tipped>
    )
  }
  return (
    <>
      {cappedBy && (
        <Tipped class="chip power" source={words.cap} at={priceTs}>
          Capped
        </Tipped>
      )}
      <Figure value={valueUsd} format={dollars} source="Amount times price" at={priceTs} />
    </>
  )
}

const COLUMNS: readonly Column<HeldRow>[] = [
  column('token', 'Token', (row) => <Held row={row} />),
  figureColumn('amount', 'Amount', ({ entry: { at, block, slot }, holding }) => ({
    value: holding.amountHuman,
    format: amount,
    source: `The chain, at ${slot === undefined || slot === null ? `block ${block ?? 'unknown'}` : `slot ${slot}`}`,
    at: Date.parse(at),
    notes: [`${holding.amount} base units`, ...holding.notes.map((note) => NOTES[note])],
    unknown: `Its decimals are unknown; the amount is ${holding.amount} base units.`,
  })),
  figureColumn('price', 'Price', ({ holding }) => ({
    value: holding.price,
    format: price,
    source: 'Pools or the token list',
    at: holding.priceTs,
    unknown: words.tooShallow,
  })),
  column('value', 'Value', ({ holding }) => <Value {...holding} />, { isNumber: true }),
]
