/**
 * The operator's view of one instance: its state, what is wrong and what to do, the last errors, and what is
 * in use.
 */
import { useQuery } from '../data/hooks.ts'
import { count, ms, percent, time } from '../format.ts'
import { Fact } from '../parts/fact.tsx'
import { Figure } from '../parts/figure.tsx'
import { Empty, Panel, ViewHead, Waiting } from '../parts/panel.tsx'
import { Providers } from '../parts/providers.tsx'
import { type Column, column, Table } from '../parts/table.tsx'
import { Tip } from '../parts/tip.tsx'
import { ThemeSwitch } from '../theme.tsx'
import { failedPercentOf, type Problem, problemsOf, THRESHOLDS } from './problems.ts'
import { askInstance, type InstanceReport, type RecentError, SOURCE } from './report.ts'

const EVERY_MS = 3_000

export function Operator() {
  const instance = useQuery('instance', askInstance, { everyMs: EVERY_MS })
  const { data: report, at, error } = instance
  return (
    <>
      <main class={`operator ${error === null ? '' : 'is-gone'}`}>
        <div class="operator-top row">
          <strong>swapgate</strong>
          {report !== null && (
            <small>
              {report.mode === 'sandbox' ? 'Sandbox' : 'Live'} · {report.version}
              {report.isDraining && ' · draining'}
            </small>
          )}
          <ThemeSwitch />
        </div>
        <ViewHead title="Operator" query={instance} />
        {report === null ? <Waiting query={instance} /> : <Report report={report} at={at!} />}
      </main>
      <Tip />
    </>
  )
}

interface ReportProps {
  readonly report: InstanceReport
  readonly at: number
}

function Report({ report, at }: ReportProps) {
  const { errors, upstreams, redis } = report
  return (
    <>
      <Tiles report={report} at={at} />
      <Problems problems={problemsOf(report)} />
      <Panel title="Last errors">
        {errors.length === 0 ? (
          <Empty>No errors since the service started.</Empty>
        ) : (
          <Table
            caption="Last errors"
            columns={errorColumns(at)}
            rows={errors}
            idOf={({ where, code, cause }) => `${where} ${code} ${cause}`}
          />
        )}
      </Panel>
      <Panel title="Upstreams">
        <Providers caption="Upstreams" providers={upstreams} from={{ source: SOURCE, at }} />
      </Panel>
      {redis !== null && (
        <Panel title="Instances">
          <Instances report={report} at={at} />
        </Panel>
      )}
    </>
  )
}

/** Rate, errors, duration and saturation, and how many upstreams answer. */
function Tiles({ report: { lastMinute, loopDelay, upstreams }, at }: ReportProps) {
  const { requests, p95Ms, ms: spanMs } = lastMinute
  const failedPercent = failedPercentOf(lastMinute)
  const called = upstreams.filter(({ state }) => state !== 'untried')
  const healthy = called.filter(({ state }) => state === 'ok').length
  const from = { source: SOURCE, at }
  const minute = { ...from, unknown: 'No requests in the last minute.' }
  return (
    <dl class="tiles">
      <Fact title="Requests">
        <Figure value={requests / Math.max(1, spanMs / 1_000)} format={perSecond} {...minute} />
      </Fact>
      <Fact title="Errors">
        <Figure
          value={failedPercent}
          format={percent}
          {...minute}
          notes={['replies with a 5xx in the last minute']}
        />
        <Beyond value={failedPercent} threshold={THRESHOLDS.failedPercent} format={percent} />
      </Fact>
      <Fact title="Duration, p95">
        <Figure value={p95Ms} format={ms} {...minute} notes={['the last minute']} />
        <Beyond value={p95Ms} threshold={THRESHOLDS.p95Ms} format={ms} />
      </Fact>
      <Fact title="Event loop lag, p99">
        <Figure
          {...from}
          value={loopDelay.p99Ms}
          format={ms}
          notes={[`at most ${ms(loopDelay.maxMs)} in the last full minute`]}
        />
        <Beyond value={loopDelay.p99Ms} threshold={THRESHOLDS.lateMs} format={ms} />
      </Fact>
      <Fact title="Upstreams ok">
        <Figure
          {...from}
          value={healthy}
          format={(n) => `${n} of ${called.length}`}
          notes={[`${upstreams.length - called.length} were not called yet`]}
        />
        {healthy < called.length && <Mark>{`${called.length - healthy} with problems`}</Mark>}
      </Fact>
    </dl>
  )
}

interface BeyondProps {
  readonly value: number | null
  /** That of the alert. */
  readonly threshold: number
  readonly format: (value: number) => string
}

/** Marks a figure beyond its threshold by a shape and words. */
const Beyond = ({ value, threshold, format }: BeyondProps) =>
  value !== null && value > threshold ? <Mark>{`above ${format(threshold)}`}</Mark> : null

const Mark = ({ children }: { readonly children: string }) => (
  <small class="bad row">
    <span class="shape danger" aria-hidden="true" />
    {children}
  </small>
)

const perSecond = (rate: number): string =>
  `${rate >= 100 ? count(Math.round(rate)) : rate.toFixed(rate >= 10 ? 1 : 2)}/s`

function Problems({ problems }: { readonly problems: readonly Problem[] }) {
  if (problems.length === 0) {
    return (
      <p class="all-normal">
        <span class="shape ok" aria-hidden="true" /> No problems
      </p>
    )
  }
  return (
    <Panel title="Problems">
      <Table caption="Problems" columns={PROBLEM_COLUMNS} rows={problems} idOf={({ what }) => what} />
    </Panel>
  )
}

const PROBLEM_COLUMNS: readonly Column<Problem>[] = [
  column('what', 'What', ({ what }) => what),
  column('state', 'State', ({ state }) => <span class={`chip state-${state}`}>{state}</span>),
  column('why', 'Why', ({ why }) => why),
  column('remedy', 'What to do', ({ remedy }) => remedy),
]

const errorColumns = (at: number): readonly Column<RecentError>[] => [
  column('where', 'Where', ({ where }) => <code>{where}</code>),
  column('code', 'Error', ({ code }) => code),
  column('cause', 'Cause', ({ cause }) => cause ?? 'not given'),
  column('count', 'Times', (error) => count(error.count), { isNumber: true }),
  column('at', 'Last', (error) => time(error.at, at), { isNumber: true }),
  column('id', 'Request', ({ requestId }) => requestId && <code>{requestId}</code>),
]

/** The instances that share the Redis, and whether it answers. */
function Instances({ report: { redis, instances }, at }: ReportProps) {
  const from = { source: SOURCE, at }
  return (
    <dl class="tiles">
      <Fact title="Redis">
        <span class={`chip state-${redis === 'away' ? 'refused' : redis}`}>{redis}</span>
      </Fact>
      <Fact title="Instances">
        <Figure {...from} value={instances?.length} format={count} unknown="Redis does not say." />
      </Fact>
      {instances?.map(({ name, state, isThis }) => (
        <Fact key={name} title={isThis ? `${name}, this one` : name}>
          <span class={`chip state-${state === 'ready' ? 'ok' : 'degraded'}`}>{state}</span>
        </Fact>
      ))}
    </dl>
  )
}
