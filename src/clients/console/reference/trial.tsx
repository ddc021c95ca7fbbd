/** The button that sends a request, and what was answered. */
import { useEffect, useState } from 'preact/hooks'
import { count, ms } from '../format.ts'
import { type Answer, indented, send } from './attempt.ts'
import type { Request } from './code.ts'
import { Source } from './text.tsx'

/** The most characters of an answer that are shown: more would stop the page for seconds. */
const MAX_SHOWN = 100_000

export function Trial({ request }: { readonly request: Request }) {
  const [answer, show] = useState<Answer | null>(null)
  const [failure, fail] = useState('')
  const [control, set] = useState<AbortController | null>(null)
  useEffect(() => () => control?.abort(), [control])
  const start = async (): Promise<void> => {
    const started = new AbortController()
    set(started)
    show(null)
    fail('')
    await send(request, started.signal, show).catch(({ message }: Error) =>
      fail(started.signal.aborted ? 'Stopped.' : `No complete answer came: ${message}`),
    )
    set(null)
  }
  return (
    <>
      <p class="check">
        <button type="button" class="primary" onClick={() => (control === null ? start() : control.abort())}>
          {control === null ? 'Try' : 'Stop'}
        </button>
        <small>Sent to this gateway; it spends your address's budgets.</small>
      </p>
      {failure !== '' && <p role="alert">{failure}</p>}
      {answer !== null && <Answered answer={answer} />}
    </>
  )
}

function Answered({ answer: { status, ms: took, head, text, picture, ended } }: { readonly answer: Answer }) {
  const shown = indented(text)
  return (
    <>
      <p role="status" class="row">
        <span class={`chip ${status < 400 ? 'state-ok' : 'grave'}`}>{status}</span> {ms(took)}
        <span>{ended}</span>
        {shown.length > MAX_SHOWN && <span>The first {count(MAX_SHOWN)} characters</span>}
      </p>
      <p class="type">{head.join('\n')}</p>
      {picture !== null && <img src={picture} alt="What was answered" />}
      <Source text={shown.slice(0, MAX_SHOWN)} what="the answer" />
    </>
  )
}
