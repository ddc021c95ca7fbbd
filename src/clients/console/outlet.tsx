/**
 * Shows a view, whose code is loaded when the view is first opened. Loading is
 * retried while the service does not answer. A service that answers but lacks the
 * file runs another version than the page.
 */
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ViewLocation } from './location.ts'
import { Button } from './parts/controls.tsx'
import { Empty, Skeleton, ViewHead } from './parts/panel.tsx'
import type { ConsoleView, ViewProps } from './views/view.ts'

const PAUSE_MS = 2_000

type Loading = 'loading' | 'failing' | 'outdated'

/** True until the page's first view is shown, which leaves the focus alone. */
let isOpening = true
/** Views that were loaded before: they are drawn at once. */
const components = new Map<ConsoleView, ComponentType<ViewProps>>()

/** @param view  fixed for the outlet's life: another view needs another `key` */
export function Outlet({ view, place }: { readonly view: ConsoleView; readonly place: ViewLocation }) {
  const [Loaded, set] = useState(() => components.get(view) ?? null)
  const [state, setState] = useState<Loading>('loading')
  const [isFirst] = useState(() => isOpening)
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => {
    isOpening = false
    const leaving = new AbortController()
    load(view, leaving.signal, setState).then(
      () => set(() => components.get(view)!),
      () => {},
    )
    return () => leaving.abort()
  }, [view])
  useEffect(() => {
    document.title = `${view.title} · swapgate`
    if (Loaded === null || isFirst) return
    root.current?.querySelector('h1')?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [view, Loaded, isFirst])
  return (
    <div ref={root} class={`view ${view.name}`}>
      {Loaded !== null ? <Loaded place={place} /> : <NotYet title={view.title} state={state} />}
    </div>
  )
}

function NotYet({ title, state }: { readonly title: string; readonly state: Loading }) {
  if (state === 'loading') {
    return (
      <>
        <ViewHead title={title} />
        <Skeleton rows={9} />
      </>
    )
  }
  if (state === 'failing') return <Empty>Can't reach the gateway. Retrying…</Empty>
  return (
    <Empty>
      The gateway was updated. <Button onClick={() => location.reload()}>Reload</Button>
    </Empty>
  )
}

/** @throws when the view is left before its code has loaded */
async function load(view: ConsoleView, signal: AbortSignal, tell: (state: Loading) => void): Promise<void> {
  for (let isThere = false; ; ) {
    try {
      return void components.set(view, (await view.load()).default)
    } catch {
      signal.throwIfAborted()
      tell(isThere ? 'outdated' : 'failing')
    }
    // Checked before the next attempt: a file that a reachable service lacks is missing for good.
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    isThere = await fetch('/', { method: 'HEAD', signal }).then(
      ({ ok }) => ok,
      () => false,
    )
    signal.throwIfAborted()
  }
}
