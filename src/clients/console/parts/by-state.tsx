/** A table of upstreams by their state, the unhealthy ones first; those that were not called yet are only named. */
import { type Column, Table } from './table.tsx'

const ORDER: readonly string[] = ['refused', 'cooling', 'degraded', 'ok']

interface ByStateProps<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
}

export function ByState<Row extends { readonly name: string; readonly state: string }>({
  caption,
  columns,
  rows,
}: ByStateProps<Row>) {
  const called = rows
    .filter(({ state }) => state !== 'untried')
    .sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))
  const untried = rows.filter(({ state }) => state === 'untried').map(({ name }) => name)
  return (
    <>
      {called.length > 0 && (
        <Table caption={caption} columns={columns} rows={called} idOf={({ name }) => name} />
      )}
      {untried.length > 0 && (
        <p class="untried">
          <strong>Not called since the service started:</strong> {untried.join(', ')}
        </p>
      )}
    </>
  )
}
