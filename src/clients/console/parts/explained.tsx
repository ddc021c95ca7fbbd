/**
 * What a transaction does, in words, with its risks and its unread parts; and what a node adds, once it is
 * asked.
 */
import { useEffect, useState } from 'preact/hooks'
import type { Action, ExplainRequest, Explanation } from '../../../explain/types.ts'
import type { Chain, ExplainInput } from '../../client/index.ts'
import { explainHere } from '../data/explain.ts'
import { withNode } from '../data/explanation.ts'
import { useAnswer } from '../data/hooks.ts'
import { decimal } from '../format.ts'
import { CurlLine } from './curl-line.tsx'
import { Freshness } from './freshness.tsx'
import { Empty, Panel } from './panel.tsx'
import './explained.css'
import { Fact } from './fact.tsx'
import words from './words.json' with { type: 'json' }

interface ExplainedProps {
  readonly request: ExplainRequest
  /** For amounts of its native coin; null: in base units. */
  readonly coin: Pick<Chain, 'native' | 'decimals'> | null
}

export function Explained({ request, coin }: ExplainedProps) {
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
  if (own?.name !== name) return <Empty>It is being read …</Empty>
  if (typeof own.read === 'string') return <p role="alert">{own.read}</p>
  const whole = query.data === null ? own.read : withNode(own.read, query.data)
  return (
    <div class="explained">
      <Verdict verdict={whole.verdict} />
      <p class="lead">{whole.summary}</p>
      <Panel title="What it does">
        {whole.actions.length === 0 ? (
          <Empty>Nothing that was read.</Empty>
        ) : (
          <Actions actions={whole.actions} />
        )}
      </Panel>
      {whole.risks.length > 0 && <Risks explanation={whole} />}
      {whole.unknown.length > 0 && <Unknown explanation={whole} />}
      <Panel title="Executed at a node">
        {!isAsked && (
          <>
            <p class="note">
              A node of the gateway can execute it as the chain is now. For that it leaves this page; nothing
              is sent to the chain, and the gateway stores nothing.
            </p>
            <button type="button" onClick={() => ask(name)}>
              Execute it at a node
            </button>
          </>
        )}
        {isAsked && <Freshness query={query} />}
        {query.data !== null && <Executed explanation={whole} coin={coin} />}
        {isAsked && <CurlLine exchange={query.exchange} of="the execution" />}
      </Panel>
    </div>
  )
}

function Verdict({ verdict }: { readonly verdict: Explanation['verdict'] }) {
  const { style, title, text } = words.verdicts[verdict]
  return (
    <p role="status" class={`judged ${verdict}`}>
      <span class={`chip ${style}`}>{title}</span> {text}
    </p>
  )
}

function Actions({ actions }: { readonly actions: readonly Action[] }) {
  return (
    <ol class="actions">
      {actions.map(({ kind, words, program, fields }, i) => (
        <li key={i}>
          <span class="chip">{kind}</span> {words}
          {program !== null && <small>{` by ${program}`}</small>}
          {fields !== null && (
            <dl>
              {Object.entries(fields).map(([label, value]) => (
                <Fact key={label} title={label}>
                  {value}
                </Fact>
              ))}
            </dl>
          )}
        </li>
      ))}
    </ol>
  )
}

const SEVERITIES = { danger: 'state-refused', warning: 'state-degraded', info: '' } as const
const RANKS = Object.keys(SEVERITIES)

function Risks({ explanation: { risks } }: { readonly explanation: Explanation }) {
  const sorted = risks.toSorted((a, b) => RANKS.indexOf(a.severity) - RANKS.indexOf(b.severity))
  return (
    <Panel title="Risks">
      <ul class="risks">
        {sorted.map(({ code, severity, reason, rule, action }) => (
          <li key={code + reason}>
            <span class={`chip ${SEVERITIES[severity]}`}>{severity}</span> <strong>{reason}</strong>
            <small>{`${action === null ? '' : `Step ${action + 1}. `}Rule: ${rule} (${code})`}</small>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Unknown({ explanation: { unknown } }: { readonly explanation: Explanation }) {
  return (
    <Panel title="What was not read">
      <ul class="unread">
        {unknown.map(({ where, why, bytes }, i) => (
          <li key={i}>
            <strong>{where}</strong>
            {`: ${why}`}
            {bytes !== null && (
              <details>
                <summary>Its bytes</summary>
                <code>{bytes}</code>
              </details>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Executed({
  explanation: { simulation },
  coin,
}: { readonly explanation: Explanation } & Pick<ExplainedProps, 'coin'>) {
  if (simulation === null) return <Empty>No node executed it.</Empty>
  const { by, at, changes } = simulation
  const inWords = (token: string, amount: string): string => {
    const [sign, units] = amount.startsWith('-') ? ['−', amount.slice(1)] : ['+', amount]
    if (token === 'native' && coin !== null) return `${sign}${decimal(units, coin.decimals)} ${coin.native}`
    return `${sign}${units} base units of ${token === 'native' ? 'the native coin' : token}`
  }
  return (
    <>
      <p>
        {changes.length === 0 ? 'None of the wallet’s balances changes.' : 'The wallet’s balances change:'}
      </p>
      <ul class="changes">
        {changes.map(({ token, amount }) => (
          <li key={token}>{inWords(token, amount)}</li>
        ))}
      </ul>
      <p class="note">{`By ${by}${at === null ? '' : `, at ${at}`}.`}</p>
    </>
  )
}
