import type { ComponentChildren } from 'preact'

interface FactProps {
  readonly title: string
  /** The class of the value. */
  readonly kind?: string
  readonly children: ComponentChildren
}

/** A term and its value, in a list of them. */
export function Fact({ title, kind, children }: FactProps) {
  return (
    <div>
      <dt>{title}</dt>
      <dd class={kind}>{children}</dd>
    </div>
  )
}
