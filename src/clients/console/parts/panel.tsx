/** The building blocks of a view: its head and its sections. */
import type { ComponentChildren } from 'preact'
import type { CurlRequest } from '../curl.ts'
import type { WatchedQuery } from '../data/hooks.ts'
import { CurlLine } from './curl-line.tsx'
import { Freshness } from './freshness.tsx'

interface ViewHeadProps {
  readonly title: string
  readonly query?: WatchedQuery<unknown>
  readonly exchange?: CurlRequest | null
  /** Before the request. */
  readonly button?: ComponentChildren
  readonly children?: ComponentChildren
}

/**
 * The head of a view, with the view's request. It receives the focus when the view opens.
 * @param exchange  the request that the view would send, until it has sent one
 */
export const ViewHead = ({ title, query, exchange = null, button, children }: ViewHeadProps) => (
  <header class="view-head">
    <div class="title-line row">
      <h1 tabIndex={-1}>{title}</h1>
      {query && <Freshness query={query} />}
      {button}
      <CurlLine exchange={query?.exchange ?? exchange} />
    </div>
    {children}
  </header>
)

export const Panel = ({
  title,
  children,
}: {
  readonly title: string
  readonly children: ComponentChildren
}) => (
  <section class="panel">
    <h2 tabIndex={-1}>{title}</h2>
    {children}
  </section>
)

/** A note if there is nothing to show, or nothing yet. */
export const Empty = ({ children }: { readonly children: ComponentChildren }) => (
  <p class="empty">{children}</p>
)

interface WaitingProps {
  readonly query: WatchedQuery<unknown>
  /** How many rows of a table it is as tall as. */
  readonly rows?: number
  /** Of what comes, if that is no table. */
  readonly class?: string
}

/** A view before its first answer. */
export const WaitingView = ({ title, ...waiting }: WaitingProps & { readonly title: string }) => (
  <>
    <ViewHead title={title} query={waiting.query} />
    <Waiting {...waiting} />
  </>
)

export const Skeleton = ({ rows = 1, class: name = '' }: Omit<WaitingProps, 'query'>) => (
  <div class={`skeleton ${name}`}>
    <span class="hidden">Loading…</span>
    {Array.from({ length: rows }, (_, i) => (
      <div key={i} />
    ))}
  </div>
)

/** A placeholder until the first answer; what failed is said in the view's head. */
export function Waiting({ query, rows = 1, class: name = '' }: WaitingProps) {
  const { error, askedAt, nextAt } = query
  if (error === null) return <Skeleton rows={rows} class={name} />
  return <Empty>{askedAt !== null || nextAt !== null ? 'Retrying…' : 'Nothing to show.'}</Empty>
}
