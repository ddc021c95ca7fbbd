/** The building blocks of a view: its head and its sections. */
import type { ComponentChildren } from 'preact'
import type { WatchedQuery } from '../data/hooks.ts'
import { CurlLine } from './curl-line.tsx'
import { Freshness } from './freshness.tsx'

/** The head of a view, with the view's request. It receives the focus when the view opens. */
export function ViewHead({
  title,
  query,
  children,
}: {
  readonly title: string
  readonly query?: WatchedQuery<unknown>
  readonly children?: ComponentChildren
}) {
  return (
    <header class="view-head">
      <div class="title-line">
        <h1 tabIndex={-1}>{title}</h1>
        {query && <Freshness query={query} />}
        {query && <CurlLine exchange={query.exchange} />}
      </div>
      {children}
    </header>
  )
}

export function Panel({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="panel">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

/** A note where there is nothing to show, or nothing yet. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>
}

/** A placeholder until the first answer; what failed is said in the view's head. */
export function Waiting({ query }: { readonly query: WatchedQuery<unknown> }) {
  const { error, askedAt, nextAt } = query
  if (error === null) return <Empty>Loading…</Empty>
  return <Empty>{askedAt !== null || nextAt !== null ? 'Retrying…' : 'Nothing to show.'}</Empty>
}
