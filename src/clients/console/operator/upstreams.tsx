/** The providers and nodes: calls, latency, errors, circuit breakers and quotas. */
import { count, percent } from '../format.ts'
import { ByState } from '../parts/by-state.tsx'
import { Figure } from '../parts/figure.tsx'
import type { Column } from '../parts/table.tsx'
import { tipOf } from '../parts/tip.tsx'
import { pick, sumOf, sumsBy } from './series.ts'
import { from, type MetricsView } from './shown.ts'
import { Counts, quantiles } from './traffic.tsx'

interface UpstreamRow {
  readonly name: string
  readonly state: string
}

/** Outcomes that are not failures of the upstream. */
const USUAL: readonly string[] = ['ok', 'given_up']

export function Upstreams({ shown }: { readonly shown: MetricsView }) {
  const rows = pick(shown.now, 'swapgate_upstream_state')
    .filter(({ value }) => value === 1)
    .map(({ labels }) => ({ name: labels.upstream!, state: labels.state! }))
  return <ByState caption="Upstreams" columns={columnsOf(shown)} rows={rows} />
}

const columnsOf = (shown: MetricsView): readonly Column<UpstreamRow>[] => [
  { key: 'upstream', title: 'Upstream', cell: ({ name }) => name },
  {
    key: 'state',
    title: 'State',
    cell: ({ name: upstream, state }) => (
      <span class="chips">
        <button
          type="button"
          class={`figure chip state-${state}`}
          {...tipOf(from(shown, 'upstream_state', false))}
        >
          {state}
        </button>
        {pick(shown.now, 'swapgate_upstream_breaker', { upstream })
          .filter(({ labels, value }) => value === 1 && labels.phase !== 'closed')
          .map(({ labels: { carries, phase } }) => (
            <button
              key={carries}
              type="button"
              class="figure chip grave"
              {...tipOf(from(shown, 'upstream_breaker', false))}
            >
              {`breaker of ${carries}: ${phase}`}
            </button>
          ))}
      </span>
    ),
  },
  {
    key: 'calls',
    title: 'Calls',
    isNumber: true,
    cell: ({ name: upstream }) => (
      <Figure
        value={sumOf(shown.counted, 'swapgate_upstream_calls_total', { upstream }) ?? 0}
        format={count}
        {...from(shown, 'upstream_calls_total')}
      />
    ),
  },
  {
    key: 'errors',
    title: 'Errors',
    cell: ({ name: upstream }) => (
      <Counts
        counts={sumsBy(pick(shown.counted, 'swapgate_upstream_calls_total', { upstream }), 'outcome').filter(
          ([outcome]) => !USUAL.includes(outcome),
        )}
        metric="upstream_calls_total"
        shown={shown}
        toneOf={() => 'grave'}
      />
    ),
  },
  {
    key: 'held',
    title: 'Skipped',
    cell: ({ name: upstream }) => (
      <Counts
        counts={sumsBy(pick(shown.counted, 'swapgate_upstream_held_back_total', { upstream }), 'by')}
        metric="upstream_held_back_total"
        shown={shown}
        toneOf={() => 'power'}
      />
    ),
  },
  ...quantiles<UpstreamRow>(shown, 'upstreams', ({ name }) => name),
  {
    key: 'quota',
    title: 'Quota left',
    isNumber: true,
    cell: ({ name: upstream }) => {
      const quotas = pick(shown.now, 'swapgate_upstream_quota_left_ratio', { upstream })
      const least = quotas.reduce(
        (a, b) => (b.value < a.value ? b : a),
        quotas[0] ?? { labels: {}, value: 1 },
      )
      return (
        <Figure
          value={quotas.length === 0 ? null : least.value * 100}
          format={percent}
          unknown="The gateway applies no quota to it."
          {...from(shown, 'upstream_quota_left_ratio', false)}
          notes={[quotas.length > 1 ? `${least.labels.quota}, the lowest of ${quotas.length}` : null]}
        />
      )
    },
  },
]
