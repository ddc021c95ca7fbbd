/**
 * What the sources report about the token: one line first, then flags and disagreements, and the rest on
 * request. Sources aren't merged: they may contradict each other, and anything unchecked is unknown.
 */
import { useState } from 'preact/hooks'
import type { TokenProfile } from '../../../client/index.ts'
import { titleOf } from '../../data/words.ts'
import { change, percent, trendOf } from '../../format.ts'
import { Button } from '../../parts/controls.tsx'
import { Fact } from '../../parts/fact.tsx'
import { Figure, Tipped, Unknown } from '../../parts/figure.tsx'
import { Panel } from '../../parts/panel.tsx'
import type { Provenance } from '../../parts/provenance.ts'
import { type Column, column, Table } from '../../parts/table.tsx'
import { GRAVE_TAX_PERCENT, isBad, type RiskFlag } from '../tokens/risks.ts'
import { dangerOf, type Finding, type SourceWord, verdictOf } from './verdict.ts'

type SourceFinding = NonNullable<TokenProfile['security']>[string]

/** Grave flags, above all else. */
export function Danger({ profile }: { readonly profile: TokenProfile }) {
  const text = dangerOf(verdictOf(profile))
  if (text === null) return null
  return (
    <div class="banner danger row">
      <span class="shape danger" aria-hidden="true" />
      <span role="alert">{text}</span>
    </div>
  )
}

const SHAPES = { danger: 'danger', warn: 'warn', ok: 'ok', unknown: '' } as const

export function Security({ profile }: { readonly profile: TokenProfile }) {
  const [isWhole, showWhole] = useState(false)
  const { findings, untold, state, text } = verdictOf(profile)
  const shown = isWhole ? findings : findings.filter(({ isFlagged }) => isFlagged)
  const reports = Object.entries(profile.security ?? {})
  return (
    <Panel title="Risks">
      <p class="verdict row">
        <span class={`shape ${SHAPES[state]}`} aria-hidden="true" />
        <span>
          {reports.length === 0 ? 'Not checked: no source has answered. Unknown is not safe.' : text}
        </span>
        {reports.length > 0 && (
          <Button class="quiet" aria-expanded={isWhole} onClick={() => showWhole(!isWhole)}>
            {isWhole ? 'Show flags' : 'Show all'}
          </Button>
        )}
      </p>
      {shown.length > 0 && (
        <Table
          caption="What each source says"
          columns={COLUMNS}
          rows={shown}
          idOf={({ flag: { name } }) => name}
        />
      )}
      {isWhole && (
        <>
          <p class="note">
            Sources may disagree, and none of this is an audit. A dash means that the source does not say,
            which is not a no.
          </p>
          {untold.length > 0 && (
            <p class="note">{`No source reports on: ${untold.map(({ text }) => text).join(', ')}.`}</p>
          )}
          {reports.map(([source, finding]) => (
            <Words key={source} source={titleOf(source)} finding={finding} />
          ))}
        </>
      )}
    </Panel>
  )
}

const COLUMNS: readonly Column<Finding>[] = [
  column('flag', 'Finding', ({ flag, isDisputed }) => `${flag.text}${isDisputed ? ' (disputed)' : ''}`),
  column('said', 'Sources', ({ flag, words }) => (
    <span class="chips row">
      {words.map((word) => (
        <Word key={word.source} flag={flag} word={word} />
      ))}
    </span>
  )),
]

function Word({ flag, word: { source, at, said } }: { readonly flag: RiskFlag; readonly word: SourceWord }) {
  const from: Provenance = { source, at }
  if (said === null) {
    return (
      <small>
        {`${source} `}
        <Unknown {...from} why="The source does not say. Unknown is not safe." />
      </small>
    )
  }
  const isGrave = typeof said === 'number' ? said >= GRAVE_TAX_PERCENT : flag.isGrave
  const text = typeof said === 'number' ? percent(said) : said ? 'yes' : 'no'
  return (
    <Tipped
      {...from}
      class={`chip ${isBad(said) ? (isGrave ? 'grave' : 'power') : ''}`}
      notes={[`${flag.text}: ${text}`]}
    >
      {`${source}: ${text}`}
    </Tipped>
  )
}

/** The source's own fields, from which the findings are derived. */
function Words({ source, finding }: { readonly source: string; readonly finding: SourceFinding }) {
  const { facts, verified } = finding
  return (
    <details>
      <summary>
        {`${source}, in its own words`}
        {verified === true && ' · has verified the token'}
      </summary>
      <dl class="words">
        {Object.entries(facts).map(([name, value]) => (
          <Fact key={name} title={name}>
            {typeof value === 'string' ? value : JSON.stringify(value)}
          </Fact>
        ))}
      </dl>
    </details>
  )
}

const SPANS = { m5: '5 min', h1: '1 h', h6: '6 h', h24: '24 h' }

/** Price changes, with the number of buys and sells. */
export function Changes({ profile, from }: { readonly profile: TokenProfile; readonly from: Provenance }) {
  const changes = profile.row?.changes
  return (
    <dl class="facts changes">
      {Object.entries(SPANS).map(([span, title]) => {
        const known = changes?.[span as keyof typeof SPANS]
        const percentage = known?.pricePct
        const trades =
          known?.buys == null || known.sells == null
            ? 'No source counts its trades.'
            : `${known.buys} buys, ${known.sells} sells.`
        return (
          <Fact key={span} title={title}>
            <Figure
              {...from}
              value={percentage}
              format={change}
              class={trendOf(percentage)}
              notes={percentage == null ? from.notes : [trades]}
              unknown="The source does not report it."
            />
          </Fact>
        )
      })}
    </dl>
  )
}
