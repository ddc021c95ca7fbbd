/** The process's own figures, and where its answers come from. */
import { count, ms, percent } from '../format.ts'
import { Fact } from '../parts/fact.tsx'
import { Figure } from '../parts/figure.tsx'
import { type Column, Table } from '../parts/table.tsx'
import type { InstanceReport } from './listener.ts'
import { pick, sumOf, sumsBy } from './series.ts'
import { from, type MetricsView } from './shown.ts'

const MIB = 1_048_576
const mebibytes = (bytes: number): string => `${count(Math.round(bytes / MIB))} MiB`

interface Gauge {
  readonly title: string
  readonly metric: string
  readonly format: (value: number) => string
  readonly labels?: Readonly<Record<string, string>>
}

const GAUGES: readonly Gauge[] = [
  { title: 'Resident memory', metric: 'process_resident_memory_bytes', format: mebibytes },
  { title: 'Heap used', metric: 'nodejs_heap_size_used_bytes', format: mebibytes },
  { title: 'Connections', metric: 'swapgate_connections', format: count },
  { title: 'Held for clients', metric: 'swapgate_held_bytes', format: mebibytes },
  { title: 'Event streams', metric: 'swapgate_streams', format: count },
  { title: 'Subscriptions', metric: 'swapgate_subscriptions', format: count },
  {
    title: 'Upstream calls under way',
    metric: 'swapgate_upstream_calls_in_flight',
    format: count,
    labels: { state: 'under_way' },
  },
  {
    title: 'Upstream calls waiting',
    metric: 'swapgate_upstream_calls_in_flight',
    format: count,
    labels: { state: 'waiting' },
  },
  { title: 'Rebroadcasting', metric: 'swapgate_rebroadcasts', format: count },
]

const COUNTERS: readonly Gauge[] = [
  { title: 'Log lines dropped', metric: 'swapgate_log_lines_dropped_total', format: count },
]

const DELAYS = { p50Ms: 'Event loop, p50', p99Ms: 'Event loop, p99', maxMs: 'Event loop, longest' } as const

interface InstanceProps {
  readonly shown: MetricsView
  /** Null before the first answer. */
  readonly loopDelay: InstanceReport['loopDelay'] | null
}

export function Instance({ shown, loopDelay }: InstanceProps) {
  return (
    <dl class="gauges">
      {(['p50Ms', 'p99Ms', 'maxMs'] as const).map((key) => (
        <Fact key={key} title={DELAYS[key]}>
          <Figure
            value={loopDelay?.[key]}
            format={ms}
            source="GET /instance: loopDelay"
            at={shown.at}
            notes={['over the last full minute']}
            unknown="The service has not reported it yet."
          />
        </Fact>
      ))}
      {GAUGES.map(({ title, metric, format, labels }) => (
        <Fact key={title} title={title}>
          <Figure
            value={sumOf(shown.now, metric, labels)}
            format={format}
            source={`GET /metrics: ${metric}`}
            at={shown.at}
            unknown="The service does not report it."
          />
        </Fact>
      ))}
      {COUNTERS.map(({ title, metric, format }) => (
        <Fact key={title} title={title}>
          <Figure
            value={sumOf(shown.counted, metric) ?? 0}
            format={format}
            source={`GET /metrics: ${metric}`}
            at={shown.at}
            notes={[shown.span]}
          />
        </Fact>
      ))}
    </dl>
  )
}

interface AnswerKindRow {
  readonly of: string
}

const SOURCES = ['asked', 'joined', 'kept', 'shared'] as const

export function Answers({ shown }: { readonly shown: MetricsView }) {
  const kinds = [...new Set(pick(shown.now, 'swapgate_answers_total').map(({ labels }) => labels.of!))]
  const isAsked = (of: string): boolean => sumOf(shown.counted, 'swapgate_answers_total', { of })! > 0
  const rows = kinds.filter(isAsked).map((of) => ({ of }))
  const others = kinds.filter((of) => !isAsked(of))
  return (
    <>
      {rows.length > 0 && (
        <Table caption="Answers" columns={columnsOf(shown)} rows={rows} idOf={({ of }) => of} />
      )}
      {others.length > 0 && (
        <p class="untried">
          <strong>No requests for:</strong> {others.join(', ')}
        </p>
      )}
    </>
  )
}

const columnsOf = (shown: MetricsView): readonly Column<AnswerKindRow>[] => [
  { key: 'of', title: 'Of', cell: ({ of }) => of },
  ...SOURCES.map(
    (source): Column<AnswerKindRow> => ({
      key: source,
      title: source,
      isNumber: true,
      cell: ({ of }) => (
        <Figure
          value={sumOf(shown.counted, 'swapgate_answers_total', { of, source }) ?? 0}
          format={count}
          {...from(shown, 'answers_total')}
        />
      ),
    }),
  ),
  {
    key: 'hits',
    title: 'Without an upstream',
    isNumber: true,
    cell: ({ of }) => {
      const bySource = new Map(sumsBy(pick(shown.counted, 'swapgate_answers_total', { of }), 'source'))
      const all = [...bySource.values()].reduce((sum, value) => sum + value, 0)
      return (
        <Figure
          value={all === 0 ? null : 100 * (1 - (bySource.get('asked') ?? 0) / all)}
          format={percent}
          unknown="None was asked for in this span."
          {...from(shown, 'answers_total')}
        />
      )
    },
  },
]
