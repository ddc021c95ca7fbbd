/** The operator's view of one instance: its state and its problems first, then its figures and last submissions. */
import type { ComponentChildren } from 'preact'
import { useQuery } from '../data/hooks.ts'
import { setParameters, useViewLocation, type ViewLocation } from '../location.ts'
import { CurlLine } from '../parts/curl-line.tsx'
import { Panel, ViewHead, Waiting } from '../parts/panel.tsx'
import { Tip } from '../parts/tip.tsx'
import { ThemeSwitch } from '../theme.tsx'
import { Budgets } from './budgets.tsx'
import type { Scrape } from './history.ts'
import { Answers, Instance } from './instance.tsx'
import { askInstance, askMetrics, history, type InstanceReport, reports } from './listener.ts'
import { LastErrors, Problems, Refusals, Shared, Tiles, Timelines } from './overview.tsx'
import { Pending, Receipts } from './receipts.tsx'
import { durationsSince, type RecentReport } from './recent.ts'
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
  const { data: instance } = submissions
  return (
    <>
      <main class={`operator ${metrics.error === null ? '' : 'is-gone'}`}>
        <div class="operator-top">
          <strong>swapgate</strong>
          {instance !== null && (
            <small>{`${instance.mode === 'sandbox' ? 'Sandbox' : 'Live'} · ${instance.version}`}</small>
          )}
          <ThemeSwitch />
        </div>
        <ViewHead title="Operator" query={metrics} />
        {metrics.data === null || instance === null ? (
          <Waiting query={metrics.data === null ? metrics : submissions} />
        ) : (
          <Figures
            shown={shownOf(metrics.data, instance.recent, span)}
            rate={rateOf(metrics.data)}
            instance={instance}
            spans={<Spans chosen={span.key} place={place} />}
          />
        )}
        <Panel title="Pending submissions">
          {instance === null ? (
            <Waiting query={submissions} />
          ) : (
            <Pending pending={instance.rebroadcasts} at={submissions.at!} />
          )}
        </Panel>
        <Panel title="Receipts">
          {instance === null ? (
            <Waiting query={submissions} />
          ) : (
            <Receipts receipts={instance.receipts} at={submissions.at!} />
          )}
          <CurlLine exchange={submissions.exchange} of="the submissions" />
        </Panel>
      </main>
      <Tip />
    </>
  )
}

function Spans({ chosen, place }: { readonly chosen: string; readonly place: ViewLocation }) {
  return (
    <div class="filters">
      <label>
        Counts and latencies
        <select
          value={chosen}
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
  )
}

interface FiguresProps {
  readonly shown: MetricsView
  readonly rate: TrafficRate | null
  readonly instance: InstanceReport
  readonly spans: ComponentChildren
}

function Figures({ shown, rate, instance: { recent, loopDelay, clients, instances }, spans }: FiguresProps) {
  return (
    <>
      <Tiles shown={shown} recent={recent} />
      <Problems shown={shown} />
      <Timelines recent={recent} />
      <Panel title="Last errors">
        <LastErrors errors={recent.errors} at={shown.at} />
      </Panel>
      {spans}
      <Panel title="Traffic">
        <Traffic shown={shown} rate={rate} />
      </Panel>
      <Panel title="Upstreams">
        <Upstreams shown={shown} />
      </Panel>
      <Panel title="Refused and shed">
        <Refusals shown={shown} />
      </Panel>
      <Panel title="Limits of all clients, this minute">
        <Budgets shown={shown} clients={clients} />
      </Panel>
      <Panel title="Redis and instances">
        <Shared shown={shown} instances={instances} />
      </Panel>
      <Panel title="This instance">
        <Instance shown={shown} loopDelay={loopDelay} />
      </Panel>
      <Panel title="Cache">
        <Answers shown={shown} />
      </Panel>
    </>
  )
}

function shownOf(
  { samples, at }: Scrape,
  recent: RecentReport,
  { title, spanMs }: (typeof SPANS)[number],
): MetricsView {
  const { durations } = recent
  if (spanMs === null) return { now: samples, counted: samples, durations, span: title, at }
  const before = history.before(spanMs)
  const old = (reports.before(spanMs)?.recent ?? recent).durations
  // The page has no scrapes from before it was opened.
  const seconds = before === null ? 0 : Math.round((at - before.at) / 1_000)
  return {
    now: samples,
    counted: increase(samples, before?.samples ?? samples),
    durations: {
      routes: durationsSince(durations.routes, old.routes),
      upstreams: durationsSince(durations.upstreams, old.upstreams),
    },
    span: `${title}, of which this page has seen ${seconds} s`,
    at,
  }
}

function rateOf({ samples, at }: Scrape): TrafficRate | null {
  const before = history.before(MINUTE_MS)
  // By a clock that was set back, or stands still, there is no rate.
  return before !== null && at > before.at
    ? { grown: increase(samples, before.samples), spanMs: at - before.at }
    : null
}
