/**
 * Where a view is shown. Its code is loaded when it is first opened: again and
 * again where the service does not answer. A service that answers and has no such
 * file is of another version than the page.
 */
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Place } from './location.ts'
import { Empty } from './parts/panel.tsx'
import type { View, ViewProps } from './views/view.ts'

const PAUSE_MS = 2_000

type Loading = 'loading' | 'failing' | 'outdated'

/** The view that a page opens with leaves the focus where the browser has it. */
let isOpening = true

/** @param view  another one needs an outlet of its own: a key */
export function Outlet({ view, place }: { readonly view: View; readonly place: Place }) {
  const [Loaded, set] = useState<ComponentType<ViewProps> | null>(null)
  const [state, setState] = useState<Loading>('loading')
  const [isFirst] = useState(() => isOpening)
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => {
    isOpening = false
    const leaving = new AbortController()
    load(view, leaving.signal, setState).then(
      (component) => set(() => component),
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
      {Loaded !== null ? <Loaded place={place} /> : <NotYet state={state} />}
    </div>
  )
}

function NotYet({ state }: { readonly state: Loading }) {
  if (state === 'loading') return null
  if (state === 'failing') return <Empty>The service does not answer; trying again …</Empty>
  return (
    <Empty>
      This page is of another version than the service.{' '}
      <button type="button" onClick={() => location.reload()}>
        Load it anew
      </button>
    </Empty>
  )
}

/** @throws when the view is left before */
async function load(
  view: View,
  signal: AbortSignal,
  tell: (state: Loading) => void,
): Promise<ComponentType<ViewProps>> {
  for (let isThere = false; ; ) {
    try {
      return await view.load()
    } catch {
      signal.throwIfAborted()
      tell(isThere ? 'outdated' : 'failing')
    }
    // Asked before the next attempt: what is missing then is missing for good.
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    isThere = await fetch('/', { method: 'HEAD', signal }).then(
      ({ ok }) => ok,
      () => false,
    )
    signal.throwIfAborted()
  }
}
