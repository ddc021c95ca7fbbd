/** The list of entries, and the search in it. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Reference } from './document.ts'
import { searchOf } from './search.ts'

/** Where the list is beside the page. */
const WIDE = matchMedia('(min-width: 901px)')
const START = { name: 'Start', lines: [{ id: '', title: 'Quickstart', label: '', note: '' }] }

type ContentsProps = { readonly reference: Reference; readonly current: string }

/** @param current  the fragment of what is read */
export function Contents({ reference, current }: ContentsProps) {
  const [query, set] = useState('')
  const list = useRef<HTMLDetailsElement>(null)
  const search = useMemo(() => searchOf(reference), [reference])
  useEffect(() => {
    if (!WIDE.matches) set('')
    list.current!.open = WIDE.matches
    list.current!.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [current])
  useEffect(() => {
    WIDE.onchange = ({ matches }) => void (list.current!.open = matches)
  }, [])
  const found = search(query)
  const all = reference.groups.map(({ name, entries }) => ({
    name,
    lines: entries.map((entry) => ({ ...entry, note: '' })),
  }))
  const groups = query.trim() === '' ? [START, ...all] : [{ name: `${found.length} found`, lines: found }]
  const open = (event: Event): void => {
    event.preventDefault()
    if (found.length > 0) location.hash = found[0]!.id
  }
  return (
    <nav class="contents" aria-label="Contents">
      <p class="check">
        <strong>swapgate</strong>
        <a href="/">Console</a>
        <a href="/openapi.json">openapi.json</a>
      </p>
      <form onSubmit={open}>
        <input
          type="search"
          aria-label="Search"
          placeholder="Search: amount, no_route, getSlot"
          value={query}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      </form>
      <details ref={list} open={WIDE.matches || query !== ''}>
        <summary>Contents</summary>
        {groups.map(({ name, lines }) => (
          <section key={name}>
            <h2 role={query === '' ? undefined : 'status'}>{name}</h2>
            {lines.map(({ id, title, label, note }) => (
              <a key={id} href={`#${id}`} aria-current={id === current ? 'page' : undefined}>
                <b>{label}</b> {title} <small>{note}</small>
              </a>
            ))}
          </section>
        ))}
      </details>
    </nav>
  )
}
