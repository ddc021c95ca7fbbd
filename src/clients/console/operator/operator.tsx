/** The operator's view of one instance: its /metrics and its last submissions. */
import { useQuery } from '../data/hooks.ts'
import { setParameters, useViewLocation } from '../location.ts'
import { CurlLine } from '../parts/curl-line.tsx'
import { Panel, ViewHead, Waiting } from '../parts/panel.tsx'
import { Tip } from '../parts/tip.tsx'
import { ThemeSwitch } from '../theme.tsx'
import { Budgets } from './budgets.tsx'
import type { Scrape } from './history.ts'
import { Answers, Instance } from './instance.tsx'
import { askInstance, askMetrics, history, type InstanceReport } from './listener.ts'
import { Pending, Receipts } from './receipts.tsx'
import { increase } from './series.ts'
import type { MetricsView } from './shown.ts'
import { Traffic, type TrafficRate } from './traffic.tsx'
import { Upstreams } from './upstreams.tsx'

const EVERY_MS = 3_000
const MINUTE_MS = 60_000

/** The spans of counts and latencies: the key in the URL, and the title. */
const SPANS = [
  { key: '', title: 'since the service started', spanMs: null },
  { key: '1m', title: 'the last minute', spanMs: MINUTE_MS },
  { key: '5m', title: 'the last five minutes', spanMs: 5 * MINUTE_MS },
] as const

export function Operator() {
  const place = useViewLocation()
  const metrics = useQuery('metrics', askMetrics, { everyMs: EVERY_MS })
  const submissions = useQuery('instance', askInstance, { everyMs: EVERY_MS })
  const span = SPANS.find(({ key }) => key === place.parameters.get('span')) ?? SPANS[0]
  return (
    <>
      <main class="operator">
        <div class="operator-top">
          <strong>swapgate</strong>
          {submissions.data !== null && (
            <small>
              {`${submissions.data.mode === 'sandbox' ? 'sandbox: simulated' : 'live'} · ${submissions.data.version}`}
            </small>
          )}
          <ThemeSwitch />
        </div>
        <ViewHead title="Operator" query={metrics} />
        <div class="filters">
          <label>
            Counts and latencies
            <select
              value={span.key}
              onChange={({ currentTarget }) => setParameters(place, { span: currentTarget.value })}
            >
              {SPANS.map(({ key, title }) => (
                <option key={key} value={key}>
                  {title}
                </option>
              ))}
            </select>
          </label>
        </div>
        {metrics.data === null ? (
          <Waiting query={metrics} />
        ) : (
          <Figures
            shown={shownOf(metrics.data, span)}
            rate={rateOf(metrics.data)}
            loopDelay={submissions.data?.loopDelay ?? null}
            clients={submissions.data?.clients ?? []}
          />
        )}
        <Panel title="Pending submissions">
          {submissions.data === null ? (
            <Waiting query={submissions} />
          ) : (
            <Pending pending={submissions.data.rebroadcasts} at={submissions.at!} />
          )}
        </Panel>
        <Panel title="Receipts">
          {submissions.data === null ? (
            <Waiting query={submissions} />
          ) : (
            <Receipts receipts={submissions.data.receipts} at={submissions.at!} />
          )}
          <CurlLine exchange={submissions.exchange} of="the submissions" />
        </Panel>
      </main>
      <Tip />
    </>
  )
}

interface FiguresProps {
  readonly shown: MetricsView
  readonly rate: TrafficRate | null
  readonly loopDelay: InstanceReport['loopDelay'] | null
  readonly clients: InstanceReport['clients']
}

function Figures({ shown, rate, loopDelay, clients }: FiguresProps) {
  return (
    <>
      <Panel title="Traffic">
        <Traffic shown={shown} rate={rate} />
      </Panel>
      <Panel title="Budgets of all clients, current 60 s window">
        <Budgets shown={shown} clients={clients} />
      </Panel>
      <Panel title="Upstreams">
        <Upstreams shown={shown} />
      </Panel>
      <Panel title="This instance">
        <Instance shown={shown} loopDelay={loopDelay} />
      </Panel>
      <Panel title="Where answers came from">
        <Answers shown={shown} />
      </Panel>
    </>
  )
}

function shownOf({ samples, at }: Scrape, { title, spanMs }: (typeof SPANS)[number]): MetricsView {
  if (spanMs === null) return { now: samples, counted: samples, span: title, at }
  const before = history.before(spanMs)
  // The page has no scrapes from before it was opened.
  const seconds = before === null ? 0 : Math.round((at - before.at) / 1_000)
  const counted = increase(samples, before?.samples ?? samples)
  return { now: samples, counted, span: `${title}, of which this page has seen ${seconds} s`, at }
}

function rateOf({ samples, at }: Scrape): TrafficRate | null {
  const before = history.before(MINUTE_MS)
  return before && { grown: increase(samples, before.samples), spanMs: at - before.at }
}
