/**
 * What a transaction does: one sentence, what to check, the steps, and what a node adds once it is asked.
 */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Action, ExplainRequest, Explanation } from '../../../explain/types.ts'
import type { Chain, ExplainInput } from '../../client/index.ts'
import { explainHere } from '../data/explain.ts'
import { withNode } from '../data/explanation.ts'
import { headlineOf } from '../data/headline.ts'
import { useAnswer, useQuery } from '../data/hooks.ts'
import { failureOf } from '../data/simulation.ts'
import { decimal } from '../format.ts'
import { Button } from './controls.tsx'
import { CurlLine } from './curl-line.tsx'
import { Fact } from './fact.tsx'
import { Freshness } from './freshness.tsx'
import { Empty } from './panel.tsx'
import { ProgramName, Said } from './said.tsx'
import words from './words.json' with { type: 'json' }
import './explained.css'

interface ExplainedProps {
  readonly request: ExplainRequest
  /** Null until the chains are known. */
  readonly chain: Chain | null
}

export function Explained({ request, chain }: ExplainedProps) {
  const name = JSON.stringify(request)
  const [asked, ask] = useState<string | null>(null)
  const isAsked = asked === name
  const [own, set] = useState<{ readonly name: string; readonly read: Explanation | string } | null>(null)
  const query = useAnswer('explain', isAsked ? (JSON.parse(name) as ExplainInput) : null)
  useEffect(() => {
    let isCurrent = true
    void explainHere(request, isAsked).then((read) => isCurrent && set({ name, read }))
    return () => {
      isCurrent = false
    }
  }, [name, isAsked])
  if (own?.name !== name) return <Empty>Reading…</Empty>
  if (typeof own.read === 'string') return <p role="alert">{own.read}</p>
  const whole = query.data === null ? own.read : withNode(own.read, query.data)
  const { style, title, text } = words.verdicts[whole.verdict]
  return (
    <section class="panel explained">
      <h2>
        <Said text={headlineOf(whole)} chain={chain} />
      </h2>
      <p role="status" class={`judged ${whole.verdict}`}>
        <span class={`chip ${style}`}>{title}</span> {text}
      </p>
      <Risks explanation={whole} chain={chain} />
      <Unread explanation={whole} />
      <Part title="In all">
        <p>
          <Said text={whole.summary} chain={chain} />
        </p>
      </Part>
      {whole.actions.length > 0 && (
        <Part title="Step by step">
          <Steps actions={whole.actions} chain={chain} />
        </Part>
      )}
      <Part title="Simulation">
        {!isAsked && (
          <div class="chips row">
            <Button onClick={() => ask(name)}>Simulate</Button>
            <span class="note">Sends it to the gateway's node, which stores nothing.</span>
          </div>
        )}
        {isAsked && <Freshness query={query} />}
        {query.data !== null && <Executed request={request} explanation={whole} chain={chain} />}
        {isAsked && <CurlLine exchange={query.exchange} of="the execution" />}
      </Part>
    </section>
  )
}

const Part = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <>
    <h3>{title}</h3>
    {children}
  </>
)

interface PartProps {
  readonly explanation: Explanation
  readonly chain: Chain | null
}

const Steps = ({ actions, chain }: { readonly actions: readonly Action[] } & Pick<PartProps, 'chain'>) => (
  <ol class="deeds">
    {actions.map(({ words, program, fields }, i) => (
      <li key={i}>
        <Said text={words} chain={chain} />
        {program !== null && (
          <small>
            {'by '}
            <ProgramName chain={chain} id={program} />
          </small>
        )}
        {fields !== null && (
          <details>
            <summary>Details</summary>
            <dl>
              {Object.entries(fields).map(([label, value]) => (
                <Fact key={label} title={label}>
                  {value}
                </Fact>
              ))}
            </dl>
          </details>
        )}
      </li>
    ))}
  </ol>
)

const RANKS = Object.keys(words.severities)

/** A failed simulation is said where it was asked for. */
function Risks({ explanation, chain }: PartProps) {
  const risks = explanation.risks
    .filter(({ code }) => code !== 'simulation_failed')
    .toSorted((a, b) => RANKS.indexOf(a.severity) - RANKS.indexOf(b.severity))
  if (risks.length === 0) return null
  return (
    <ul class="risks">
      {risks.map(({ code, severity, reason, rule, action }) => (
        <li key={code + reason}>
          <span class={`chip ${words.severities[severity].style}`}>{words.severities[severity].title}</span>{' '}
          <strong>
            <Said text={reason} chain={chain} />
          </strong>
          <details>
            <summary>Details</summary>
            {`${action === null ? '' : `Step ${action + 1}. `}Rule: ${rule} (${code})`}
          </details>
        </li>
      ))}
    </ul>
  )
}

function Unread({ explanation: { unknown } }: Pick<PartProps, 'explanation'>) {
  if (unknown.length === 0) return null
  return (
    <Part title="Not decoded">
      <ul class="unread">
        {unknown.map(({ where, why, bytes }, i) => (
          <li key={i}>
            <strong>{where}</strong>
            {`: ${why}`}
            {bytes !== null && (
              <details>
                <summary>Bytes</summary>
                <code>{bytes}</code>
              </details>
            )}
          </li>
        ))}
      </ul>
    </Part>
  )
}

function Executed({ request, explanation, chain }: PartProps & Pick<ExplainedProps, 'request'>) {
  const { simulation, family } = explanation
  const { transaction } = request
  const isAsked = simulation === null && family === 'solana' && transaction !== undefined
  const failure = useQuery(isAsked ? `failure of ${transaction}` : null, () => failureOf(transaction!))
  if (simulation === null) {
    const why = failure.data ?? 'it would fail now, or no node could run it'
    return <p class="problem">{isAsked && failure.at === null ? '…' : `Simulation failed: ${why}.`}</p>
  }
  const { at, changes } = simulation
  return (
    <>
      <p>
        {`Simulated${at === null ? '' : ` at ${HEIGHTS[family]} ${at.toLocaleString('en-US')}`}. `}
        {changes.length === 0 ? 'No balance changes.' : 'Your balance changes:'}
      </p>
      <ul class="changes">
        {changes.map(({ token, amount }) => (
          <li key={token}>
            {amount.startsWith('-') ? '− ' : '+ '}
            <Said text={unitsOf(amount.replace('-', ''), token, chain)} chain={chain} />
          </li>
        ))}
      </ul>
    </>
  )
}

const HEIGHTS = { evm: 'block', solana: 'slot', sui: 'checkpoint', ton: 'block' } as const

const unitsOf = (units: string, token: string, chain: Chain | null): string =>
  token === 'native' && chain !== null
    ? `${decimal(units, chain.decimals)} ${chain.native}`
    : `${units} base units of ${token === 'native' ? 'the native coin' : token}`
