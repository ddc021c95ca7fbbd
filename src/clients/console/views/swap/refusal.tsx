/** A refused build, with the rule that refused it. */
import { useEffect, useState } from 'preact/hooks'
import type { SwapgateError } from '../../../client/index.ts'
import type { Refused } from '../../../verify/types.ts'
import { useHealth } from '../../data/health.ts'
import { CurlLine } from '../../parts/curl-line.tsx'
import { readDials } from '../faults/control.ts'
import { type Attempt, dismiss } from './attempt.ts'
import { exactly, sidesOf } from './order.ts'
import { ruleInWords } from './rules.ts'

/** What this page refused, although the gateway handed it out. */
export function OwnRefusal({ verdict, attempt }: { readonly verdict: Refused; readonly attempt: Attempt }) {
  return (
    <div class="refusal" role="alert">
      <h3>Refused: the gateway's answer is not what you ordered</h3>
      <p>
        This page read the transaction itself and does not let you sign it. An honest gateway does not hand
        out such a transaction: do not use this one.
      </p>
      <dl class="facts">
        <dt>Rule</dt>
        <dd>
          <code>{verdict.rule}</code>
        </dd>
        <dt>What must hold</dt>
        <dd>{ruleInWords(verdict.rule) ?? verdict.message}</dd>
      </dl>
      <p class="actions">
        <button type="button" class="primary" onClick={dismiss}>
          Back to a new quote
        </button>
      </p>
      <CurlLine exchange={attempt.exchange} of="the build" />
    </div>
  )
}

export function Refusal({ attempt }: { readonly attempt: Attempt & { readonly error: SwapgateError } }) {
  const { error, quote, other, token, exchange } = attempt
  const rule = typeof error.body?.rule === 'string' ? error.body.rule : null
  const { got } = sidesOf(quote, other, token)
  const [title, text] = TITLES[error.code] ?? ['The build failed', '']
  return (
    <div class="refusal" role="alert">
      <h3>{title}</h3>
      <p>{error.message}</p>
      {text !== '' && <p>{text}</p>}
      {rule !== null && (
        <dl class="facts">
          <dt>Built by</dt>
          <dd>{quote.route.buildBy ?? quote.provider}</dd>
          <dt>Rule</dt>
          <dd>
            <code>{rule}</code>
          </dd>
          <dt>What must hold</dt>
          <dd>{ruleInWords(rule) ?? 'This version of the page has no description of the rule.'}</dd>
          <Theft provider={quote.route.buildBy ?? quote.provider} />
        </dl>
      )}
      {error.code === 'quote_moved' && typeof error.body?.expectedOut === 'string' && (
        <p>{`It now gives ${exactly(error.body.expectedOut, got)}; your quote's minimum was ${exactly(quote.minOut ?? '0', got)}.`}</p>
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
    'Refused: the transaction is not what you ordered',
    'You were not asked to sign anything, and the transaction never left the gateway.',
  ],
  material_unproved: [
    'Refused: what it does cannot be proved',
    'It breaks no rule, but too much of it rests on the word of the provider alone.',
  ],
  quote_moved: ['The market has moved', ''],
}

/** In the sandbox, what the compromised provider tried. */
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
