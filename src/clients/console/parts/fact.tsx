import type { ComponentChildren } from 'preact'
import './fact.css'

interface TermProps {
  readonly title: string
  readonly children: ComponentChildren
}

/** A term and its value, as direct children of their list. */
export const Term = ({ title, children }: TermProps) => (
  <>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </>
)

interface FactProps extends TermProps {
  /** The class of the value. */
  readonly kind?: string
}

/** The same in a box. */
export const Fact = ({ title, kind, children }: FactProps) => (
  <div>
    <dt>{title}</dt>
    <dd class={kind}>{children}</dd>
  </div>
)
