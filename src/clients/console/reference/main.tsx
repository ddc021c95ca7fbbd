/**
 * The page at `/reference`: GET /openapi.json with programs beside each operation, a search, and trials. Its requests are
 * those for the document and the gateway's mode, and those that the reader sends to this gateway. What it shows of the
 * document and of answers is text.
 */
import { render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Contents } from './contents.tsx'
import { type ApiDocument, type Reference, referenceOf } from './document.ts'
import { EntryView } from './entry.tsx'
import { Overview } from './overview.tsx'
import { Resolver } from './schema.tsx'
import './reference.css'

function Page({ reference, isSandbox }: { readonly reference: Reference; readonly isSandbox: boolean }) {
  const [id, follow] = useState(location.hash.slice(1))
  const shown = useRef(id)
  const main = useRef<HTMLElement>(null)
  useEffect(() => addEventListener('hashchange', () => follow(location.hash.slice(1))), [])
  const entry = reference.entries.find((one) => one.id === id)
  const [, code] = /^error-(\w+)$/.exec(id) ?? []
  useEffect(() => {
    // When the page opens, nothing has the focus.
    if (shown.current === id) return
    shown.current = id
    main.current!.querySelector('h1')!.focus({ preventScroll: true })
    if (code === undefined) scrollTo(0, 0)
  }, [id])
  document.title = `${entry === undefined ? '' : `${entry.title} · `}Reference · swapgate`
  return (
    <Resolver.Provider value={reference.resolve}>
      <Contents reference={reference} current={id} />
      <main ref={main}>
        {isSandbox && <p class="banner sandbox">Sandbox: simulated market, play money.</p>}
        {entry !== undefined && <EntryView key={id} entry={entry} reference={reference} />}
        {entry === undefined && id !== '' && code === undefined && <p role="alert">Here is no {id}.</p>}
        {entry === undefined && <Overview errors={reference.errors} code={code} />}
      </main>
    </Resolver.Provider>
  )
}

async function ask<T>(path: string): Promise<T> {
  const reply = await fetch(path)
  if (!reply.ok) throw new Error(`status ${reply.status}`)
  return (await reply.json()) as T
}

const root = document.getElementById('reference')!
// If the mode isn't known, the console shows that there is no answer.
const mode = ask<{ mode?: string }>('/api/health').catch(() => ({ mode: '' }))
ask<ApiDocument>('/openapi.json').then(
  async (read) => {
    const isSandbox = (await mode).mode === 'sandbox'
    render(<Page reference={referenceOf(read)} isSandbox={isSandbox} />, root)
  },
  ({ message }: Error) =>
    render(<p role="alert">GET /openapi.json was not answered ({message}). Load the page again.</p>, root),
)
