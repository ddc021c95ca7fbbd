/** The token list, with search, filters and sorting in the page. */
import type { TokenList } from '../../../client/index.ts'
import { useQuery, type WatchedQuery } from '../../data/hooks.ts'
import { client } from '../../data/service.ts'
import { setParameters, type ViewLocation } from '../../location.ts'
import { Empty, ViewHead, Waiting } from '../../parts/panel.tsx'
import { type Sorting, sorted, Table } from '../../parts/table.tsx'
import type { ViewProps } from '../view.ts'
import { columnsOf } from './columns.tsx'
import { chainsOf, matching } from './rows.ts'

/** The service rebuilds the list at most this often. */
const EVERY_MS = 10_000

export function Tokens({ place }: ViewProps) {
  const all = place.parameters.get('all') === 'true'
  const query = useQuery(`tokens ${all}`, (callOptions) => client.tokens(all ? { all } : {}, callOptions), {
    everyMs: EVERY_MS,
  })
  return (
    <>
      <ViewHead title="Tokens" query={query} />
      <Filters place={place} list={query.data} />
      {query.data === null ? (
        <Waiting query={query} />
      ) : (
        <List place={place} list={query.data} query={query} />
      )}
    </>
  )
}

function Filters({ place, list }: { readonly place: ViewLocation; readonly list: TokenList | null }) {
  const { parameters } = place
  const set = (change: Record<string, string | null>): void => setParameters(place, change)
  const chosen = (event: Event): string => (event.currentTarget as HTMLInputElement).value
  return (
    <search class="filters">
      <label class="wide">
        Search
        <input
          type="search"
          placeholder="Symbol, name or address"
          value={parameters.get('q') ?? ''}
          onInput={(event) => set({ q: chosen(event) })}
        />
      </label>
      <label>
        Chain
        <select value={parameters.get('chain') ?? ''} onChange={(event) => set({ chain: chosen(event) })}>
          <option value="">All</option>
          {(list === null ? [] : chainsOf(list.tokens)).map((chain) => (
            <option key={chain}>{chain}</option>
          ))}
        </select>
      </label>
      <label>
        Book
        <select value={parameters.get('book') ?? ''} onChange={(event) => set({ book: chosen(event) })}>
          <option value="">All</option>
          {list?.books.map(({ book, title, count }) => (
            <option key={book} value={book}>
              {`${title} (${count})`}
            </option>
          ))}
        </select>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={parameters.get('all') === 'true'}
          onChange={({ currentTarget }) => set({ all: currentTarget.checked ? 'true' : null })}
        />
        <span>
          Show tokens hidden for their risks
          {list?.gated !== undefined && ` (${list.gated})`}
        </span>
      </label>
    </search>
  )
}

function List({
  place,
  list,
  query,
}: {
  readonly place: ViewLocation
  readonly list: TokenList
  readonly query: WatchedQuery<TokenList>
}) {
  const sorting = sortingOf(place.parameters.get('sort'))
  const columns = columnsOf(list, query.at!)
  const rows = sorted(matching(list.tokens, place.parameters), columns, sorting)
  const sort = ({ key, isDescending }: Sorting): void =>
    setParameters(place, { sort: `${isDescending ? '-' : ''}${key}` })
  return (
    <>
      <p class="count" role="status">
        {rows.length === list.tokens.length
          ? `${rows.length} tokens`
          : `${rows.length} of ${list.tokens.length} tokens`}
      </p>
      {rows.length === 0 ? (
        <Empty>No token matches.</Empty>
      ) : (
        <Table
          caption="The token list"
          columns={columns}
          rows={rows}
          idOf={({ chain, address }) => `${chain} ${address}`}
          sorting={sorting}
          onSort={sort}
        />
      )}
    </>
  )
}

/** @param text  a column's key, with `-` for descending: `-liq` */
function sortingOf(text: string | null): Sorting | null {
  if (text === null) return null
  const isDescending = text.startsWith('-')
  return { key: isDescending ? text.slice(1) : text, isDescending }
}
