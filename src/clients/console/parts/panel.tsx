/** What a view is made of: its head, and sections below it. */
import type { ComponentChildren } from 'preact'
import type { Watched } from '../data/hooks.ts'
import { CurlLine } from './curl-line.tsx'
import { Freshness } from './freshness.tsx'

/** The head of a view, with the request that it shows. The frame moves the focus here when the view opens. */
export function ViewHead({
  title,
  query,
  children,
}: {
  readonly title: string
  readonly query?: Watched<unknown>
  readonly children?: ComponentChildren
}) {
  return (
    <header class="view-head">
      <h1 tabIndex={-1}>{title}</h1>
      {children}
      {query && <Freshness query={query} />}
      {query && <CurlLine exchange={query.exchange} />}
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

/** In the place of what is not there: nothing was found, or there is nothing yet. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>
}

/** Where an answer will be. */
export function Waiting({ query }: { readonly query: Watched<unknown> }) {
  return <Empty>{query.error === null ? 'Waiting for the first answer …' : 'There is no answer yet.'}</Empty>
}
