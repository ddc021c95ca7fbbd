/** What stands around each view: the name, the navigation, the state of the service, the theme. */
import { useEffect, useRef } from 'preact/hooks'
import type { Health } from '../client/index.ts'
import { useHealth } from './data/health.ts'
import type { Watched } from './data/hooks.ts'
import { hrefOf, usePlace } from './location.ts'
import { Outlet } from './outlet.tsx'
import { Tip } from './parts/tip.tsx'
import { ThemeSwitch } from './theme.tsx'
import { VIEWS } from './views/index.ts'
import type { View } from './views/view.ts'

export function Frame() {
  const asked = usePlace()
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

function Navigation({ current, isSandbox }: { readonly current: View | null; readonly isSandbox: boolean }) {
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
      <h1 tabIndex={-1}>There is no such view</h1>
      <p>
        The link may be of another version. <a href={hrefOf(VIEWS[0]!.name)}>{VIEWS[0]!.title}</a> is where
        the page opens.
      </p>
    </div>
  )
}

function ServiceState({ health: { data, error } }: { readonly health: Watched<Health> }) {
  const state = error !== null ? 'gone' : data === null ? 'unknown' : data.status
  const text = { gone: 'does not answer', unknown: 'asking …', ok: 'answers', draining: 'is stopping' }[state]
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

/** Two ways through one gate. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" />
      <path d="M8 12h13l-4-4m7 12H11l4 4" />
    </svg>
  )
}
