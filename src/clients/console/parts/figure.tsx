/** A number with where it comes from. What is unknown looks unknown, and says why. */
import type { ComponentChildren } from 'preact'
import type { Provenance } from './provenance.ts'
import { tipOf } from './tip.tsx'

interface FigureProps extends Provenance {
  /** Null: unknown. */
  readonly value: number | null | undefined
  readonly format: (value: number) => string
  /** Why it is unknown, where it is. */
  readonly unknown: string
  readonly class?: string
  /** Before the number, within what has the tip. */
  readonly children?: ComponentChildren
}

/** Pressed, pointed at or focused it tells its source and its age. */
export function Figure({ value, format, unknown, class: name = '', children, ...from }: FigureProps) {
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
