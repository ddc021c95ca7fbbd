/** The frame around each view: brand, navigation, the service's state, theme. */
import { useEffect, useRef } from 'preact/hooks'
import type { Health } from '../client/index.ts'
import { useHealth } from './data/health.ts'
import type { WatchedQuery } from './data/hooks.ts'
import { hrefOf, useViewLocation } from './location.ts'
import { Outlet } from './outlet.tsx'
import { Tip } from './parts/tip.tsx'
import { ThemeSwitch } from './theme.tsx'
import { VIEWS } from './views/index.ts'
import type { ConsoleView } from './views/view.ts'

export function Frame() {
  const asked = useViewLocation()
  const place = { ...asked, view: asked.view || VIEWS[0]!.name }
  const health = useHealth()
  const view = VIEWS.find(({ name }) => name === place.view)
  const main = useRef<HTMLElement>(null)
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <div class="frame">
        <header class="top">
          <a class="brand" href={hrefOf(VIEWS[0]!.name)}>
            <Mark />
            <span>swapgate</span>
          </a>
          <Navigation current={view ?? null} isSandbox={health.data?.mode === 'sandbox'} />
          <div class="foot">
            <ServiceState health={health} />
            <ThemeSwitch />
          </div>
        </header>
        <main ref={main} tabIndex={-1}>
          {view === undefined ? <NoView /> : <Outlet key={view.name} view={view} place={place} />}
        </main>
      </div>
      <Tip />
    </>
  )
}

function Navigation({
  current,
  isSandbox,
}: {
  readonly current: ConsoleView | null
  readonly isSandbox: boolean
}) {
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current])
  const shown = VIEWS.filter(({ isListed, isForSandbox }) => isListed && (isSandbox || !isForSandbox))
  return (
    <nav aria-label="Views" ref={nav}>
      {shown.map((view) => (
        <a key={view.name} href={hrefOf(view.name)} aria-current={view === current ? 'page' : undefined}>
          {view.title}
        </a>
      ))}
      <a href="/reference">Reference</a>
    </nav>
  )
}

function NoView() {
  return (
    <div class="view">
      <h1 tabIndex={-1}>This view does not exist</h1>
      <p>
        The link may come from another version. Go to <a href={hrefOf(VIEWS[0]!.name)}>{VIEWS[0]!.title}</a>.
      </p>
    </div>
  )
}

function ServiceState({ health: { data, error } }: { readonly health: WatchedQuery<Health> }) {
  const state = error !== null ? 'gone' : data === null ? 'unknown' : data.status
  const text = {
    gone: 'does not answer',
    unknown: 'is being checked …',
    ok: 'answers',
    draining: 'is stopping',
  }[state]
  return (
    <p class={`service ${state}`}>
      <span class="dot" aria-hidden="true" />
      <span role="status">{`Service ${text}`}</span>
      {data !== null && (
        <small>{`${data.mode === 'sandbox' ? 'sandbox: simulated' : 'live'} · ${data.version}`}</small>
      )}
    </p>
  )
}

/** The logo: two arrows in opposite directions. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" />
      <path d="M8 12h13l-4-4m7 12H11l4 4" />
    </svg>
  )
}
