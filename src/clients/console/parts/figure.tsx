/** A number with its source. An unknown number is a dash that gives the reason. */
import type { ComponentChildren } from 'preact'
import type { Provenance } from './provenance.ts'
import { tipOf } from './tip.tsx'

interface FigureProps extends Provenance {
  /** Null: unknown. */
  readonly value: number | null | undefined
  readonly format: (value: number) => string
  /** The reason if the value is unknown; absent where it never is. */
  readonly unknown?: string
  readonly class?: string
  /** Rendered before the number, within the button. */
  readonly children?: ComponentChildren
}

/** Shows its source and age when pressed, pointed at or focused. */
export function Figure({ value, format, unknown = '', class: name = '', children, ...from }: FigureProps) {
  if (value === null || value === undefined) return <Unknown {...from} why={unknown} />
  return (
    <button type="button" class={`figure ${name}`} {...tipOf(from)}>
      {children}
      {format(value)}
    </button>
  )
}

export function Unknown({ why, ...from }: Provenance & { readonly why: string }) {
  return (
    <button
      type="button"
      class="figure unknown"
      aria-label="unknown"
      {...tipOf({ ...from, notes: [why, ...(from.notes ?? [])] })}
    >
      —
    </button>
  )
}
