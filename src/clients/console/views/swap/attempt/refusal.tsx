/** A refused build, with the rule that refused it. */

import { useContext, useEffect, useState } from 'preact/hooks'
import type { SwapgateError } from '../../../../client/index.ts'
import { ruleInWords } from '../../../../verify/rules.ts'
import type { Refused } from '../../../../verify/types.ts'
import { useHealth } from '../../../data/hooks.ts'
import { textOf, titleOf } from '../../../data/words.ts'
import { plain } from '../../../format.ts'
import { Button } from '../../../parts/controls.tsx'
import { CurlLine } from '../../../parts/curl-line.tsx'
import { Term } from '../../../parts/fact.tsx'
import { readDials } from '../../sandbox/control.ts'
import { groupsOf } from '../offers/rules.ts'
import { brief, sidesOf } from '../order.ts'
import { Leaving } from './leaving.ts'
import type { Attempt } from './types.ts'
import words from './words.json' with { type: 'json' }

/** What this page refused, although the gateway handed it out. */
export function OwnRefusal({ verdict, attempt }: { readonly verdict: Refused; readonly attempt: Attempt }) {
  const { again, leave } = useContext(Leaving)
  return (
    <div class="refusal" role="alert">
      <h3>Blocked: the transaction doesn't match your order</h3>
      <p>You signed nothing. Nothing was sent.</p>
      <p>
        This page read the transaction itself and found what the gateway should have. An honest gateway does
        not hand out such a transaction: don't use this one.
      </p>
      <dl class="facts">
        <Term title="Failed check">{subjectOf(verdict.rule)}</Term>
        <Term title="Expected">{ruleInWords(verdict.rule) ?? verdict.message}</Term>
        <Term title="Found">{verdict.message}</Term>
      </dl>
      <p class="actions row">
        <Button class="primary" onClick={leave}>
          {again}
        </Button>
      </p>
      <CurlLine exchange={attempt.exchange} of="the build" />
    </div>
  )
}

export function Refusal({ attempt }: { readonly attempt: Attempt & { readonly error: SwapgateError } }) {
  const { error, quote, other, token, exchange } = attempt
  const { again, leave } = useContext(Leaving)
  const rule = typeof error.body?.rule === 'string' ? error.body.rule : null
  const { got } = sidesOf(quote, other, token)
  const { title, text } = TITLES[error.code] ?? { title: 'The build failed', text: '' }
  return (
    <div class="refusal" role="alert">
      <h3>{title}</h3>
      <p>{text === '' ? textOf(error) : text}</p>
      {rule !== null && (
        <dl class="facts">
          <Term title="Built by">{titleOf(quote.provider)}</Term>
          <Term title="Failed check">{subjectOf(rule)}</Term>
          <Term title="Expected">
            {ruleInWords(rule) ?? 'This version of the page has no description of the rule.'}
          </Term>
          <Theft provider={quote.provider} />
        </dl>
      )}
      {error.code === 'quote_moved' && typeof error.body?.expectedOut === 'string' && (
        <p>{`You'd now get ${brief(error.body.expectedOut, got)}. Your minimum was ${brief(quote.minOut, got)}.`}</p>
      )}
      <p class="actions row">
        <Button class="primary" onClick={leave}>
          {again}
        </Button>
      </p>
      <details>
        <summary>Details</summary>
        <p>{plain(error.message)}</p>
        <code>{rule === null ? error.code : `${error.code}: ${rule}`}</code>
      </details>
      <CurlLine exchange={exchange} of="the build" />
    </div>
  )
}

const TITLES: Readonly<Record<string, { readonly title: string; readonly text: string }>> = words.refusals

/** What was found instead: in the sandbox, the compromised provider's attempt. */
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
  if (theft === null && control !== undefined) return null
  return (
    <Term title="Found">
      {theft === null
        ? "Something else. The gateway kept the transaction, so it can't be shown."
        : `It ${theft}.`}
    </Term>
  )
}

/** The subject of a rule: "who receives". */
const subjectOf = (rule: string): string => groupsOf([rule])[0]![0].toLowerCase()
