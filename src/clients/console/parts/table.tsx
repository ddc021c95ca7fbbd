// biome-ignore-all lint/a11y/noRedundantRoles: the card layout removes the tags' own roles
/**
 * A table with sortable columns. The Tab key stops at one of its figures, and the
 * arrow keys move between them, as in a grid. On a narrow screen each row is a card;
 * the roles are explicit because that layout removes the implicit ones.
 */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

export interface Column<Row> {
  readonly key: string
  readonly title: string
  readonly isNumber?: boolean
  /** The sort key; null sorts last in both directions. Absent: not sortable. */
  readonly by?: (row: Row) => number | string | null
  readonly cell: (row: Row) => ComponentChildren
}

export const column = <Row,>(
  key: string,
  title: string,
  cell: Column<Row>['cell'],
  more: Pick<Column<Row>, 'isNumber' | 'by'> = {},
): Column<Row> => ({ key, title, cell, ...more })

export interface Sorting {
  readonly key: string
  readonly isDescending: boolean
}

interface TableProps<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly idOf: (row: Row, i: number) => string
  readonly sorting?: Sorting | null
  readonly onSort?: ((sorting: Sorting) => void) | undefined
}

export function Table<Row>({ caption, columns, rows, idOf, sorting = null, onSort }: TableProps<Row>) {
  const table = useRef<HTMLTableElement>(null)
  useEffect(() => rove(table.current!))
  return (
    <table ref={table} role="table" onKeyDown={move} onFocusIn={({ target }) => rove(table.current!, target)}>
      <caption class="hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <Heading key={column.key} column={column} sorting={sorting} onSort={onSort} />
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row, nth) => (
          <tr role="row" key={idOf(row, nth)}>
            {columns.map(({ key, title, isNumber, cell }, i) =>
              i === 0 ? (
                <th key={key} role="rowheader" scope="row" class={`col-${key}`}>
                  {cell(row)}
                </th>
              ) : (
                <td key={key} role="cell" class={`col-${key} ${isNumber ? 'number' : ''}`} data-title={title}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type HeadingProps<Row> = Pick<TableProps<Row>, 'sorting' | 'onSort'> & { readonly column: Column<Row> }

function Heading<Row>({ column: { key, title, isNumber, by }, sorting, onSort }: HeadingProps<Row>) {
  const isSorted = sorting?.key === key
  const direction = isSorted ? (sorting.isDescending ? 'descending' : 'ascending') : undefined
  const turn = (): void =>
    onSort?.({ key, isDescending: isSorted ? !sorting.isDescending : isNumber === true })
  return (
    <th
      role="columnheader"
      scope="col"
      class={`col-${key} ${isNumber ? 'number' : ''}`}
      aria-sort={direction}
    >
      {by === undefined || onSort === undefined ? (
        title
      ) : (
        <button type="button" class="sort" onClick={turn}>
          {title}
          <span aria-hidden="true" class="arrow">
            {direction === 'ascending' ? '↑' : direction === 'descending' ? '↓' : ''}
          </span>
        </button>
      )}
    </th>
  )
}

/** The rows sorted by a column; in their given order without one. */
export function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sorting: Sorting | null,
): readonly Row[] {
  const by = columns.find(({ key }) => key === sorting?.key)?.by
  if (by === undefined || sorting === null) return rows
  const sign = sorting.isDescending ? -1 : 1
  return rows
    .map((row) => ({ row, value: by(row) }))
    .sort(({ value: a }, { value: b }) => {
      if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
      return sign * (typeof a === 'string' ? a.localeCompare(String(b)) : a - Number(b))
    })
    .map(({ row }) => row)
}

const STOPS = 'tbody button, tbody a'
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

/** Makes exactly one of the table's figures reachable by the Tab key: that with the focus, or the one that had it. */
function rove(table: HTMLTableElement, focused: EventTarget | null = document.activeElement): void {
  const stops = [...table.querySelectorAll<HTMLElement>(STOPS)]
  const current = stops.find((stop) => stop === focused) ?? stops.find(({ tabIndex }) => tabIndex === 0)
  for (const stop of stops) stop.tabIndex = stop === (current ?? stops[0]) ? 0 : -1
}

function move(event: KeyboardEvent): void {
  const step = STEPS[event.key]
  const from = event.target as HTMLElement
  if (step === undefined || !from.matches(STOPS)) return
  event.preventDefault()
  const row = from.closest('tr')!
  const inRow = [...row.querySelectorAll<HTMLElement>('button, a')]
  const at = inRow.indexOf(from)
  const [down, right] = step
  if (right !== 0) {
    inRow[at + right]?.focus()
    return
  }
  const other = (down > 0 ? row.nextElementSibling : row.previousElementSibling) as HTMLElement | null
  const there = [...(other?.querySelectorAll<HTMLElement>('button, a') ?? [])]
  there[Math.min(at, there.length - 1)]?.focus()
}
