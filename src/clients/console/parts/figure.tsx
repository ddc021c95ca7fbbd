/** A number with its source. An unknown number is a dash that gives the reason. */
import type { ComponentChildren } from 'preact'
import type { Provenance } from './provenance.ts'
import type { Column } from './table.tsx'
import { tipOf } from './tip.tsx'

interface TippedProps extends Provenance {
  readonly class?: string
  /** In place of its text, for who hears it. */
  readonly label?: string
  readonly children: ComponentChildren
}

/** A text that shows its source and age when pressed, pointed at or focused. */
export const Tipped = ({ class: name = '', label, children, ...from }: TippedProps) => (
  <button type="button" class={`figure ${name}`} aria-label={label} {...tipOf(from)}>
    {children}
  </button>
)

interface FigureProps extends Provenance {
  /** Null: unknown. */
  readonly value: number | null | undefined
  readonly format: (value: number) => string
  /** The reason if the value is unknown; absent where it never is. */
  readonly unknown?: string
  readonly class?: string
}

export function Figure({ value, format, unknown = '', ...more }: FigureProps) {
  const { class: _, ...from } = more
  if (value === null || value === undefined) return <Unknown {...from} why={unknown} />
  return <Tipped {...more}>{format(value)}</Tipped>
}

/** A table's column of figures. */
export const figureColumn = <Row,>(
  key: string,
  title: string,
  figureOf: (row: Row) => FigureProps,
): Column<Row> => ({ key, title, isNumber: true, cell: (row) => <Figure {...figureOf(row)} /> })

export const Unknown = ({ why, ...from }: Provenance & { readonly why: string }) => (
  <Tipped {...from} class="unknown" label="unknown" notes={[why, ...(from.notes ?? [])]}>
    —
  </Tipped>
)
