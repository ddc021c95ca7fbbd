/** What was not handed out, and by which rule. */
import { useEffect, useState } from 'preact/hooks'
import type { SwapgateError } from '../../../client/index.ts'
import { useHealth } from '../../data/health.ts'
import { CurlLine } from '../../parts/curl-line.tsx'
import { readDials } from '../faults/control.ts'
import { type Attempt, dismiss } from './attempt.ts'
import { exactly, sidesOf } from './order.ts'
import { ruleInWords } from './rules.ts'

export function Refusal({ attempt }: { readonly attempt: Attempt & { readonly error: SwapgateError } }) {
  const { error, quote, native, token, exchange } = attempt
  const rule = typeof error.body?.rule === 'string' ? error.body.rule : null
  const { got } = sidesOf(quote, native, token)
  const [title, text] = TITLES[error.code] ?? ['It was not built', '']
  return (
    <div class="refusal" role="alert">
      <h3>{title}</h3>
      <p>{error.message}</p>
      {text !== '' && <p>{text}</p>}
      {rule !== null && (
        <dl class="facts">
          <dt>Built by</dt>
          <dd>{quote.route.buildBy ?? quote.provider}</dd>
          <dt>The rule</dt>
          <dd>
            <code>{rule}</code>
          </dd>
          <dt>What does not hold</dt>
          <dd>{ruleInWords(rule) ?? 'This version of the page has no words for the rule.'}</dd>
          <Theft provider={quote.route.buildBy ?? quote.provider} />
        </dl>
      )}
      {error.code === 'quote_moved' && typeof error.body?.expectedOut === 'string' && (
        <p>{`It gives ${exactly(error.body.expectedOut, got)} now; your quote's minimum was ${exactly(quote.minOut ?? '0', got)}.`}</p>
      )}
      <p class="actions">
        <button type="button" class="primary" onClick={dismiss}>
          Back to a new quote
        </button>
        <code>{error.code}</code>
      </p>
      <CurlLine exchange={exchange} of="the build" />
    </div>
  )
}

const TITLES: Readonly<Record<string, readonly [title: string, text: string]>> = {
  material_refused: [
    'Refused: what was built is not what you ordered',
    'You were not asked to sign anything, and nothing of it has left the gateway.',
  ],
  material_unproved: [
    'Refused: nobody can show what it does',
    'What was built breaks no rule, but too much of it is only the word of who built it.',
  ],
  quote_moved: ['The market has moved', ''],
}

/** In the sandbox, what the provider that was taken over tried. */
function Theft({ provider }: { readonly provider: string }) {
  const control = useHealth().data?.sandbox?.control
  const [theft, set] = useState<string | null>(null)
  useEffect(() => {
    if (control === undefined) return
    readDials(control).then(
      (dials) => set(dials[provider]?.theft ?? null),
      () => {},
    )
  }, [control, provider])
  if (theft === null) return null
  return (
    <>
      <dt>What it tried</dt>
      <dd>{`It ${theft}.`}</dd>
    </>
  )
}
