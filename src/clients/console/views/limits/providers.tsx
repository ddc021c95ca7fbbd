/** Whom the service asks, and how they did when it asked them last. */
import type { Health } from '../../../client/index.ts'
import { age, count } from '../../format.ts'
import { Figure } from '../../parts/figure.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { tipOf } from '../../parts/tip.tsx'

type Provider = Health['providers'][number]

const SOURCE = 'GET /api/health'
const MEANINGS: Readonly<Record<Provider['state'], string>> = {
  ok: 'It answered when it was asked last.',
  degraded: 'It failed last, never did what it was asked, or limits a part of the calls.',
  refused: 'It answers, but refuses the gateway, or is of another cluster.',
  cooling: 'It is held back for a while, after failures or a 429.',
  untried: 'It was not asked since the service started.',
}

/** Those in trouble first. */
const ORDER: readonly Provider['state'][] = ['refused', 'cooling', 'degraded', 'ok']

/** @param at  when the service said so, ms of the wall clock */
export function Providers({ health, at }: { readonly health: Health; readonly at: number }) {
  const asked = health.providers.filter(({ state }) => state !== 'untried')
  const untried = health.providers.filter(({ state }) => state === 'untried').map(({ name }) => name)
  const rows = asked.sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))
  return (
    <>
      {rows.length > 0 && (
        <Table caption="Providers and nodes" columns={columnsOf(at)} rows={rows} idOf={({ name }) => name} />
      )}
      {untried.length > 0 && (
        <p class="untried">
          <strong>Not asked since the service started:</strong> {untried.join(', ')}
        </p>
      )}
    </>
  )
}

const columnsOf = (at: number): readonly Column<Provider>[] => [
  { key: 'name', title: 'Name', cell: ({ name }) => name },
  {
    key: 'state',
    title: 'State',
    cell: ({ state, submissions }) => (
      <span class="chips">
        <State word={state} at={at} />
        {submissions !== undefined && submissions !== state && (
          <>
            <small>submissions</small>
            <State word={submissions} at={at} />
          </>
        )}
      </span>
    ),
  },
  {
    key: 'success',
    title: 'Last success',
    isNumber: true,
    cell: ({ lastSuccessAgoMs }) => (
      <Figure
        value={lastSuccessAgoMs}
        format={(ms) => `${age(ms)} ago`}
        source={SOURCE}
        at={at}
        unknown="It has not answered since the service started."
      />
    ),
  },
  {
    key: 'failures',
    title: 'Failures in a row',
    isNumber: true,
    cell: ({ failures }) => <Figure value={failures} format={count} source={SOURCE} at={at} unknown="" />,
  },
  {
    key: 'error',
    title: 'Last error',
    cell: ({ lastError }) =>
      lastError === null
        ? 'none'
        : `${lastError.code}${lastError.status === null ? '' : ` ${lastError.status}`}, ${age(lastError.agoMs)} ago`,
  },
]

function State({ word, at }: { readonly word: Provider['state']; readonly at: number }) {
  return (
    <button
      type="button"
      class={`figure chip state-${word}`}
      {...tipOf({ source: SOURCE, at, notes: [MEANINGS[word]] })}
    >
      {word}
    </button>
  )
}
