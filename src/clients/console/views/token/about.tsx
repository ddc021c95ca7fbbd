/** A token's own description, and the outcome of each source. */

import type { TokenProfile } from '../../../client/index.ts'
import { useNow } from '../../data/hooks.ts'
import { titleOf } from '../../data/words.ts'
import { age, time } from '../../format.ts'
import { Fact } from '../../parts/fact.tsx'
import { Figure } from '../../parts/figure.tsx'
import { Panel } from '../../parts/panel.tsx'
import { type Column, column, Table } from '../../parts/table.tsx'
import { Linked } from './origin.tsx'
import { linkOf, numberOf, textOf } from './profile.ts'
import type { PartProps } from './tables.tsx'
import words from './words.json' with { type: 'json' }

export function About({ profile, now }: PartProps) {
  const about = profile.profile
  if (about === null || about === undefined) return null
  const links = (Array.isArray(about.links) ? about.links : []).flatMap((entry) => linkOf(entry) ?? [])
  const sources = Array.isArray(about.sources) ? about.sources.map(titleOf).join(', ') : 'unknown'
  const description = textOf(about.description)
  return (
    <Panel title="About">
      {description !== null && <p class="description">{description}</p>}
      <dl class="facts">
        <Fact title="Created">
          <Figure
            source={sources}
            value={numberOf(about.createdAt)}
            format={(at) => time(at, now)}
            unknown="No source reports it."
          />
        </Fact>
        <Authority title="Mint authority" of={profile.chain} value={about.mintAuthority} />
        <Authority title="Freeze authority" of={profile.chain} value={about.freezeAuthority} />
      </dl>
      {links.length > 0 && (
        <>
          <p class="note">Links given by the token's creators; nobody has checked where they lead.</p>
          <ul class="links row">
            {links.map(({ type, url }) => (
              <li key={url.href}>
                <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
                  {`${type}: ${url.host}${url.pathname === '/' ? '' : url.pathname}`}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="note">{`Source: ${sources}.`}</p>
    </Panel>
  )
}

interface AuthorityProps {
  readonly title: string
  readonly of: string
  readonly value: unknown
}

function Authority({ title, of, value }: AuthorityProps) {
  const text = textOf(value)
  return (
    <Fact title={title} kind={text === null ? 'unknown' : ''}>
      {text === null ? 'unknown' : text === 'none' ? 'none' : <Linked of={of} id={text} />}
    </Fact>
  )
}

type SourceRow = TokenProfile['sources'][number]

export function Sources({ profile }: { readonly profile: TokenProfile }) {
  const now = useNow(1_000)
  const columns: readonly Column<SourceRow>[] = [
    column('provider', 'Source', ({ provider }) => titleOf(provider)),
    column('status', 'Answer', ({ status, code }) => (
      <span class={`chip ${STATES[status]}`}>{code === undefined ? status : `${status}: ${code}`}</span>
    )),
    column('parts', 'Gave', ({ parts }) => parts.join(', ') || 'nothing'),
    column('failed', 'Failed to give', ({ failed }) => failed.join(', ')),
    column('at', 'Age', ({ at }) => (at === null ? <span class="unknown">—</span> : age(now - at)), {
      isNumber: true,
    }),
  ]
  const answered = profile.sources.filter(({ status }) => status === 'ok' || status === 'partial').length
  return (
    <Panel title="Sources">
      <details>
        <summary>{`${answered} of ${profile.sources.length} answered`}</summary>
        <Table
          caption="Outcome of each source"
          columns={columns}
          rows={profile.sources}
          idOf={({ provider }) => provider}
        />
      </details>
    </Panel>
  )
}

const STATES: Readonly<Record<SourceRow['status'], string>> = words.sourceStates
