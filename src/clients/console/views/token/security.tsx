/**
 * What each source reports about the token, in a column per source. The findings are
 * not merged into a verdict: sources may contradict each other, and what none of
 * them checked is unknown.
 */
import type { TokenProfile } from '../../../client/index.ts'
import { change, percent } from '../../format.ts'
import { Unknown } from '../../parts/figure.tsx'
import { Empty, Panel } from '../../parts/panel.tsx'
import type { Provenance } from '../../parts/provenance.ts'
import { type Column, Table } from '../../parts/table.tsx'
import { tipOf } from '../../parts/tip.tsx'
import { FLAGS, GRAVE_TAX_PERCENT, type RiskFlag } from '../tokens/risks.ts'

type ProfileSecurity = NonNullable<TokenProfile['security']>
type SourceFinding = ProfileSecurity[string]

export function SecurityBySource({ profile }: { readonly profile: TokenProfile }) {
  const sources = Object.entries(profile.security ?? {})
  if (sources.length === 0) {
    return (
      <Panel title="Security, by source">
        <Empty>No source has answered. Unknown is not safe.</Empty>
      </Panel>
    )
  }
  const isTold = ({ name }: RiskFlag): boolean => sources.some(([, { flags }]) => flags[name] != null)
  const untold = FLAGS.filter((flag) => !isTold(flag))
  return (
    <Panel title="Security, by source">
      <p class="note">
        Sources may contradict each other, and none of this is an audit. A dash means that the source does not
        say, which is not a no.
      </p>
      <Table
        caption="What each source says"
        columns={columnsOf(sources)}
        rows={FLAGS.filter(isTold)}
        idOf={({ name }) => name}
      />
      {untold.length > 0 && (
        <p class="note">{`No source reports on: ${untold.map(({ text }) => text).join(', ')}.`}</p>
      )}
      {sources.map(([source, finding]) => (
        <Words key={source} source={source} finding={finding} />
      ))}
    </Panel>
  )
}

function columnsOf(sources: readonly (readonly [string, SourceFinding])[]): readonly Column<RiskFlag>[] {
  return [
    { key: 'flag', title: 'Finding', cell: ({ text }) => text },
    ...sources.map(([source, { at, flags }]) => ({
      key: source,
      title: source,
      cell: (flag: RiskFlag) => <Said flag={flag} said={flags[flag.name]} from={{ source, at }} />,
    })),
  ]
}

function Said({
  flag,
  said,
  from,
}: {
  readonly flag: RiskFlag
  readonly said: unknown
  readonly from: Provenance
}) {
  if (said === null || said === undefined) {
    return <Unknown {...from} why="The source does not say. Unknown is not safe." />
  }
  const isBad = typeof said === 'number' ? said > 0 : said === true
  const isGrave = typeof said === 'number' ? said >= GRAVE_TAX_PERCENT : flag.isGrave
  const text = typeof said === 'number' ? percent(said) : said === true ? 'yes' : 'no'
  return (
    <button
      type="button"
      class={`figure ${isBad ? `chip ${isGrave ? 'grave' : 'power'}` : ''}`}
      {...tipOf({ ...from, notes: [`${flag.text}: ${text}`] })}
    >
      {text}
    </button>
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
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

const SPANS = [
  ['m5', '5 min'],
  ['h1', '1 h'],
  ['h6', '6 h'],
  ['h24', '24 h'],
] as const

/** Price changes, with the number of buys and sells. */
export function Changes({ profile, from }: { readonly profile: TokenProfile; readonly from: Provenance }) {
  const changes = profile.row?.changes
  return (
    <dl class="facts changes">
      {SPANS.map(([span, title]) => {
        const known = changes?.[span]
        const percentage = known?.pricePct
        const trades =
          known?.buys == null || known.sells == null
            ? 'No source counts its trades.'
            : `${known.buys} buys, ${known.sells} sells.`
        return (
          <div key={span}>
            <dt>{title}</dt>
            <dd>
              {percentage === null || percentage === undefined ? (
                <Unknown {...from} why="The source does not report it." />
              ) : (
                <button
                  type="button"
                  class={`figure ${percentage > 0 ? 'up' : percentage < 0 ? 'down' : ''}`}
                  {...tipOf({ ...from, notes: [trades] })}
                >
                  {change(percentage)}
                </button>
              )}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
