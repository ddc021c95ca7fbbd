/** The providers and nodes that the service calls, with their health. */
import type { Health } from '../../../client/index.ts'
import { age, count } from '../../format.ts'
import { ByState } from '../../parts/by-state.tsx'
import { Figure } from '../../parts/figure.tsx'
import type { Column } from '../../parts/table.tsx'
import { tipOf } from '../../parts/tip.tsx'

type ProviderHealth = Health['providers'][number]

const SOURCE = 'GET /api/health'
const MEANINGS: Readonly<Record<ProviderHealth['state'], string>> = {
  ok: 'It answered the last call.',
  degraded: 'It failed the last call, has never succeeded, or limits some calls.',
  refused: 'It answers, but refuses the gateway or belongs to another cluster.',
  cooling: 'It is in a cooldown after failures or a 429.',
  untried: 'It has not been called since the service started.',
}

/** @param at  when the service reported it, ms of the wall clock */
export function Providers({ health, at }: { readonly health: Health; readonly at: number }) {
  return <ByState caption="Providers and nodes" columns={columnsOf(at)} rows={health.providers} />
}

const columnsOf = (at: number): readonly Column<ProviderHealth>[] => [
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
    cell: ({ lastSuccessAgoMs }) =>
      lastSuccessAgoMs === null ? (
        'never'
      ) : (
        <Figure value={lastSuccessAgoMs} format={(ms) => `${age(ms)} ago`} source={SOURCE} at={at} />
      ),
  },
  {
    key: 'failures',
    title: 'Failures in a row',
    isNumber: true,
    cell: ({ failures }) => <Figure value={failures} format={count} source={SOURCE} at={at} />,
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

function State({ word, at }: { readonly word: ProviderHealth['state']; readonly at: number }) {
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
