/** The columns of the token list. */
import type { TokenList, TokenRow } from '../../../client/index.ts'
import { change, dollars, price, trendOf } from '../../format.ts'
import { hrefOf } from '../../location.ts'
import { Button } from '../../parts/controls.tsx'
import { Figure, figureColumn, Tipped } from '../../parts/figure.tsx'
import type { Provenance } from '../../parts/provenance.ts'
import { Sparkline } from '../../parts/sparkline.tsx'
import { type Column, column } from '../../parts/table.tsx'
import { TokenName } from '../../parts/token-name.tsx'
import { checkedAt, type Risk, risksOf, sourcesOf } from './risks.ts'
import { historyOf } from './rows.ts'
import { idOf, type Watched } from './watched.ts'
import words from './words.json' with { type: 'json' }

export function columnsOf(list: TokenList, watched: Watched): readonly Column<TokenRow>[] {
  const sourceOf = ({ book }: TokenRow): string => {
    const known = list.books.find((one) => one.book === book)
    return `Token list, ${book ?? 'unknown'}${known === undefined ? '' : ` (${known.source})`}`
  }
  const from = (row: TokenRow): Provenance => ({
    source: row.priceBy === undefined ? sourceOf(row) : `${row.priceBy}; ${sourceOf(row)}`,
    at: row.priceTs,
  })
  const inDollars = (key: 'liq' | 'vol24', title: string, note: string | null, unknown: string) => ({
    ...figureColumn(key, title, (row: TokenRow) => ({
      ...from(row),
      value: row[key],
      format: dollars,
      notes: [row.liqOf === 'pool' ? words.onePool : note],
      unknown,
    })),
    by: (row: TokenRow) => row[key] ?? null,
  })
  return [
    {
      key: 'token',
      title: 'Token',
      by: ({ symbol }) => symbol?.toLowerCase() ?? null,
      cell: (row) => (
        <a class="to-token" href={hrefOf('token', [row.chain, row.address])}>
          <TokenName {...row} />
        </a>
      ),
    },
    {
      ...figureColumn('price', 'Price', (row: TokenRow) => ({
        ...from(row),
        value: row.price,
        format: price,
        class: row.priceStale ? 'stale' : '',
        notes: [row.priceStale ? words.stale : null],
        unknown: words.noPrice,
      })),
      by: (row) => row.price ?? null,
    },
    {
      key: 'day',
      title: '24 h',
      isNumber: true,
      by: ({ changes }) => changes?.h24?.pricePct ?? null,
      cell: (row) => <Day row={row} from={from(row)} />,
    },
    inDollars('liq', 'Liquidity', words.liq, words.liqUnknown),
    inDollars('vol24', 'Volume', null, words.volumeUnknown),
    column('risk', 'Risks', (row) => <Risks row={row} />, { by: graveness }),
    column('watch', '', (row) => (
      <span class="row-acts">
        <a
          class="chip"
          href={hrefOf('swap', [], { chain: row.chain, token: row.address })}
          aria-label={`Swap ${row.symbol ?? row.address}`}
        >
          Swap
        </a>
        <Button
          class="figure star"
          aria-label={`Watch ${row.symbol ?? row.address}`}
          aria-pressed={watched.has(idOf(row))}
          onClick={() => watched.toggle(idOf(row))}
        >
          {watched.has(idOf(row)) ? '★' : '☆'}
        </Button>
      </span>
    )),
  ]
}

function Day({ row, from }: { readonly row: TokenRow; readonly from: Provenance }) {
  const points = historyOf(row)
  const percent = row.changes?.h24?.pricePct
  return (
    <span class="day">
      {points !== null && <Sparkline points={points} />}
      <Figure
        {...from}
        value={percent}
        format={change}
        class={trendOf(percent)}
        notes={[points === null ? null : words.line]}
        unknown={words.noChange}
      />
    </span>
  )
}

/** The sort key of risks: grave ones weigh 100, others 1; null for an unchecked token, which sorts last. */
function graveness(row: TokenRow): number | null {
  const risks = risksOf(row)
  return risks === null ? null : risks.reduce((sum, { isGrave }) => sum + (isGrave ? 100 : 1), 0)
}

/** How many risks are named; the others are counted. */
const NAMED = 2

function Risks({ row }: { readonly row: TokenRow }) {
  const risks = risksOf(row)
  const at = checkedAt(row)
  if (risks === null) {
    const source = 'Security by source'
    if (row.book === 'majors' || row.book === 'operator') {
      return (
        <Tipped class="unknown" source={source} notes={[words.notScanned]}>
          Hand-picked
        </Tipped>
      )
    }
    return (
      <Tipped class="chip" source={source} at={null} notes={[words.unknown]}>
        Not checked yet
      </Tipped>
    )
  }
  const sources = sourcesOf(row.security).map(([source]) => source)
  const held = row.gate?.map(
    ({ reason, source }) => `Hidden: ${reason}${source === null ? '' : ` (${source})`}`,
  )
  if (risks.length === 0) {
    return (
      <Tipped class="none" source={`Checked by: ${sources.join(', ')}`} at={at} notes={[words.noFlags]}>
        No flags
      </Tipped>
    )
  }
  return (
    <span class="chips row">
      {risks.slice(0, NAMED).map((risk) => (
        <Tipped
          key={risk.text}
          class={`chip ${risk.isGrave ? 'grave' : 'power'}`}
          source={saying(risk)}
          at={at}
          notes={held}
        >
          {risk.text}
        </Tipped>
      ))}
      {risks.length > NAMED && (
        <Tipped
          class="chip more"
          source="More risks"
          at={at}
          notes={risks.slice(NAMED).map((risk) => `${risk.text}: ${saying(risk)}`)}
        >
          {`+${risks.length - NAMED}`}
        </Tipped>
      )}
    </span>
  )
}

function saying({ saidBy, deniedBy }: Risk): string {
  const against =
    deniedBy.length === 0 ? '' : `; ${deniedBy.join(', ')} ${deniedBy.length === 1 ? 'says' : 'say'} no`
  return `${saidBy.join(', ')} ${saidBy.length === 1 ? 'says' : 'say'} so${against}`
}
