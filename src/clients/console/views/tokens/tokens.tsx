/** The token list, with search, filters and sorting in the page. */
import { useEffect, useRef } from 'preact/hooks'
import type { TokenList } from '../../../client/index.ts'
import { useAnswer, useChainNames, useHealth } from '../../data/hooks.ts'
import { capitalised } from '../../format.ts'
import { setParameters } from '../../location.ts'
import { Button } from '../../parts/controls.tsx'
import { Empty, ViewHead, Waiting } from '../../parts/panel.tsx'
import { type Sorting, sorted, Table } from '../../parts/table.tsx'
import type { ViewProps } from '../view.ts'
import { columnsOf } from './columns.tsx'
import { Lookup } from './lookup.tsx'
import { asksForCases, assetsFirst, casesLast, chainsOf, matching, TEST_CASES } from './rows.ts'
import { idOf, useWatched, type Watched } from './watched.ts'

/** The service rebuilds the list at most this often. */
const EVERY_MS = 10_000

/** The order of an unsorted list: by volume, highest first. */
const MOST_TRADED = '-vol24'

export default function Tokens({ place }: ViewProps) {
  const isSandbox = useHealth().data?.mode === 'sandbox'
  // Most of the sandbox's test cases are hidden for their risk.
  const all = place.parameters.get('all') === 'true' || asksForCases(place.parameters, isSandbox)
  const query = useAnswer('tokens', { ...(all && { all }), hourly: true }, { everyMs: EVERY_MS })
  const watched = useWatched()
  const shown = { place, watched, isSandbox, all }
  return (
    <>
      <ViewHead title="Tokens" query={query} />
      <Filters {...shown} list={query.data} />
      {query.data === null ? <Waiting query={query} rows={16} /> : <List {...shown} list={query.data} />}
    </>
  )
}

interface ShownProps<List> extends ViewProps {
  readonly list: List
  readonly watched: Watched
  readonly isSandbox: boolean
  /** With what is hidden for its risk. */
  readonly all: boolean
}

function Filters({ place, list, watched, isSandbox }: ShownProps<TokenList | null>) {
  const { parameters } = place
  const nameOf = useChainNames()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (parameters.get('find') === 'true') field.current!.focus()
  }, [])
  const chip = (key: string, value: string, text = value, title?: string) => {
    const isChosen = parameters.get(key) === value
    return (
      <Button
        key={value}
        class="filter"
        title={title}
        aria-pressed={isChosen}
        onClick={() => setParameters(place, { [key]: isChosen ? null : value })}
      >
        {text}
      </Button>
    )
  }
  return (
    <search class="find row">
      <input
        type="search"
        aria-label="Search"
        placeholder="Symbol, name or address ( / )"
        ref={field}
        value={parameters.get('q') ?? ''}
        onInput={({ currentTarget }) => setParameters(place, { q: currentTarget.value })}
      />
      <div class="filter-line line">
        {chip('watched', 'true', `★ Watched${watched.size === 0 ? '' : ` ${watched.size}`}`)}
        {list?.books.map(({ book, title }) => chip('book', book, capitalised(book), title))}
        {isSandbox && chip('book', TEST_CASES, 'Test cases', 'Tokens with which something is wrong')}
        <span class="between" />
        {(list === null ? [] : chainsOf(list.tokens)).map((chain) => chip('chain', chain, nameOf(chain)))}
      </div>
    </search>
  )
}

function List({ place, list, watched, isSandbox, all }: ShownProps<TokenList>) {
  const { parameters } = place
  const isCases = asksForCases(parameters, isSandbox)
  const sorting = sortingOf(parameters.get('sort') ?? MOST_TRADED)
  const columns = columnsOf(list, watched)
  const found = matching(list.tokens, parameters, isSandbox)
  const kept = parameters.get('watched') === 'true' ? found.filter((row) => watched.has(idOf(row))) : found
  const ranked = casesLast(sorted(kept, columns, sorting), isSandbox)
  const rows = parameters.has('sort') ? ranked : assetsFirst(ranked)
  const sort = ({ key, isDescending }: Sorting): void =>
    setParameters(place, { sort: `${isDescending ? '-' : ''}${key}` })
  return (
    <>
      <p class="count">
        <span role="status">
          {rows.length === list.tokens.length
            ? `${rows.length} tokens`
            : `${rows.length} of ${list.tokens.length} tokens`}
        </span>
        {!isCases && (all || (list.gated ?? 0) > 0) && (
          <Button
            class="figure"
            aria-pressed={all}
            onClick={() => setParameters(place, { all: all ? null : 'true' })}
          >
            {all ? 'Tokens hidden for risk are shown. Hide' : `${list.gated} hidden for risk. Show`}
          </Button>
        )}
      </p>
      {rows.length === 0 ? (
        <>
          <Empty>No tokens match.</Empty>
          <Lookup text={parameters.get('q') ?? ''} chain={parameters.get('chain')} rows={list.tokens} />
        </>
      ) : (
        <Table
          caption="The token list"
          columns={columns}
          rows={rows}
          idOf={idOf}
          sorting={sorting}
          onSort={sort}
        />
      )}
    </>
  )
}

/** @param text  a column's key, with `-` for descending: `-liq` */
const sortingOf = (text: string): Sorting => ({
  key: text.replace(/^-/, ''),
  isDescending: text.startsWith('-'),
})
