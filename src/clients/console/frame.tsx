/** The frame around each view: navigation, the gateway's state, the theme, what holds for every view. */

import { useEffect, useRef, useState } from 'preact/hooks'
import type { Health } from '../client/index.ts'
import { useChainNames, useHealth, useNow, type WatchedQuery } from './data/hooks.ts'
import words from './data/titles.json' with { type: 'json' }
import { moment } from './format.ts'
import { hrefOf, useViewLocation } from './location.ts'
import { Outlet } from './outlet.tsx'
import { Button } from './parts/controls.tsx'
import { nextOf } from './parts/freshness.tsx'
import { Tip } from './parts/tip.tsx'
import { ThemeSwitch } from './theme.tsx'
import { VIEWS, viewNamed } from './views/index.ts'
import type { ConsoleView } from './views/view.ts'

export function Frame() {
  const asked = useViewLocation()
  const view = viewNamed(asked.view || VIEWS[0]!.name)
  const place = { ...asked, view: view?.name ?? asked.view }
  const health = useHealth()
  // Requested at once: late names shift the layout.
  useChainNames()
  const main = useRef<HTMLElement>(null)
  const [isOpen, open] = useState(false)
  useEffect(() => open(false), [place.view])
  useEffect(() => {
    addEventListener('keydown', search)
    return () => removeEventListener('keydown', search)
  }, [])
  const isSandbox = (health.data?.mode ?? document.documentElement.dataset.mode) === 'sandbox'
  return (
    <>
      <Button class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </Button>
      <div class={`frame ${health.error === null ? '' : 'is-gone'}`}>
        <header class={`top ${isOpen ? 'is-open' : ''}`}>
          <a class="brand line" href={hrefOf(VIEWS[0]!.name)}>
            <Mark />
            <span>swapgate</span>
          </a>
          <Navigation current={view ?? null} isSandbox={isSandbox} isOpen={isOpen} open={open} />
          <div class="foot">
            <ServiceState health={health} />
            <ThemeSwitch />
          </div>
        </header>
        <main ref={main} tabIndex={-1}>
          <Unreachable health={health} />
          {isSandbox && (
            <p class="banner sandbox row">
              <span aria-hidden="true">◆</span>
              Sandbox: simulated market, play money.
              <a href={hrefOf('sandbox')}>What is simulated?</a>
            </p>
          )}
          {view === undefined ? <NoView /> : <Outlet key={view.name} view={view} place={place} />}
        </main>
      </div>
      <Tip />
    </>
  )
}

/** `/` goes to the search of the view, or to that of the tokens. */
function search(event: KeyboardEvent): void {
  const { target, key } = event
  const isTyping = target instanceof Element && target.matches('input, textarea, select')
  if (key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  const field = document.querySelector<HTMLElement>('main input[type="search"]')
  if (field === null) location.hash = hrefOf(VIEWS[0]!.name, [], { find: 'true' })
  else field.focus()
}

const GROUPS = ['Trade', 'Look up', 'Gateway'] as const

interface NavigationProps {
  readonly current: ConsoleView | null
  readonly isSandbox: boolean
  /** Whether a phone shows the views that are behind "More". */
  readonly isOpen: boolean
  readonly open: (isOpen: boolean) => void
}

function Navigation({ current, isSandbox, isOpen, open }: NavigationProps) {
  const shown = VIEWS.filter(({ isForSandbox }) => isSandbox || !isForSandbox)
  return (
    <nav aria-label="Views" onKeyDown={({ key }) => key === 'Escape' && open(false)}>
      {GROUPS.map((title) => (
        <div key={title} class="group">
          <p>{title}</p>
          {shown
            .filter(({ group }) => group === title)
            .map((view) => (
              <a
                key={view.name}
                href={hrefOf(view.name)}
                class={view.isInBar ? 'in-bar' : ''}
                aria-current={view === current ? 'page' : current?.within === view.name ? 'true' : undefined}
              >
                {view.title}
              </a>
            ))}
          {title === 'Gateway' && <a href="/reference">Reference</a>}
        </div>
      ))}
      <Button class="more-views" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
        More
      </Button>
    </nav>
  )
}

/** Shown above every view while the gateway does not answer. */
function Unreachable({ health }: { readonly health: WatchedQuery<Health> }) {
  const now = useNow(1_000)
  const { at, error, refresh } = health
  if (error === null) return null
  return (
    <div class="banner gone row">
      <span class="shape danger" aria-hidden="true" />
      <span role="alert">
        {`Can't reach the gateway.${at === null ? '' : ` Showing data from ${moment(at)}.`}`}
      </span>
      <span class="retry">{nextOf(health, now)}</span>
      <Button class="quiet" onClick={refresh}>
        Retry now
      </Button>
    </div>
  )
}

const NoView = () => (
  <div class="view">
    <h1 tabIndex={-1}>Page not found</h1>
    <p>
      This link may be from another version. Go to <a href={hrefOf(VIEWS[0]!.name)}>{VIEWS[0]!.title}</a>.
    </p>
  </div>
)

function ServiceState({ health: { data, error } }: { readonly health: WatchedQuery<Health> }) {
  const state = error !== null ? 'gone' : data === null ? 'unknown' : data.status
  const { text, shape } = words.states[state]
  return (
    <p class={`service ${state}`}>
      <span class={`shape ${shape}`} aria-hidden="true" />
      <span role="status">{text}</span>
      <small>
        {data === null ? '\u00a0' : `${data.mode === 'sandbox' ? 'Sandbox' : 'Live'} · ${data.version}`}
      </small>
    </p>
  )
}

/** The logo: two arrows in opposite directions. */
const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" />
    <path d="M8 12h13l-4-4m7 12H11l4 4" />
  </svg>
)
