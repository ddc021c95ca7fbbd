/** The health of the providers and nodes, the worst first; those that were not called yet are only named. */
import type { Health } from '../../client/index.ts'
import { age, count, failure } from '../format.ts'
import { Figure, figureColumn, Tipped } from './figure.tsx'
import type { Provenance } from './provenance.ts'
import { type Column, column, Table } from './table.tsx'
import words from './words.json' with { type: 'json' }

type ProviderHealth = Health['providers'][number]

const MEANINGS: Readonly<Record<ProviderHealth['state'], string>> = words.health

const ORDER: readonly string[] = ['refused', 'cooling', 'degraded', 'ok']

interface ProvidersProps {
  readonly caption: string
  readonly providers: readonly ProviderHealth[]
  readonly from: Provenance
}

export function Providers({ caption, providers, from }: ProvidersProps) {
  const called = providers
    .filter(({ state }) => state !== 'untried')
    .sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))
  const untried = providers.filter(({ state }) => state === 'untried').map(({ name }) => name)
  return (
    <>
      {called.length > 0 && (
        <Table caption={caption} columns={columnsOf(from)} rows={called} idOf={({ name }) => name} />
      )}
      {untried.length > 0 && (
        <p class="untried">
          <strong>Not called since the service started:</strong> {untried.join(', ')}
        </p>
      )}
    </>
  )
}

const columnsOf = (from: Provenance): readonly Column<ProviderHealth>[] => [
  column('name', 'Name', ({ name }) => name),
  column('state', 'State', ({ state, submissions }) => (
    <span class="chips row">
      <State word={state} from={from} />
      {submissions !== undefined && submissions !== state && (
        <>
          <small>submissions</small>
          <State word={submissions} from={from} />
        </>
      )}
    </span>
  )),
  {
    key: 'success',
    title: 'Last success',
    isNumber: true,
    cell: ({ lastSuccessAgoMs }) =>
      lastSuccessAgoMs === null ? (
        'never'
      ) : (
        <Figure value={lastSuccessAgoMs} format={(ms) => `${age(ms)} ago`} {...from} />
      ),
  },
  figureColumn('failures', 'Failures in a row', ({ failures }) => ({
    ...from,
    value: failures,
    format: count,
  })),
  column('error', 'Last error', ({ lastError }) => (lastError === null ? 'none' : failure(lastError))),
]

const State = ({ word, from }: { readonly word: ProviderHealth['state']; readonly from: Provenance }) => (
  <Tipped {...from} class={`chip state-${word}`} notes={[MEANINGS[word]]}>
    {word}
  </Tipped>
)
