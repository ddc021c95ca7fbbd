/** The providers and nodes: calls, latency, errors, circuit breakers and quotas. */
import { count, percent } from '../format.ts'
import { Figure } from '../parts/figure.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { tipOf } from '../parts/tip.tsx'
import { pick, sumOf, sumsBy } from './series.ts'
import { from, type MetricsView } from './shown.ts'
import { Counts, quantiles } from './traffic.tsx'

interface UpstreamRow {
  readonly upstream: string
  readonly state: string
}

/** Unhealthy states first. */
const ORDER: readonly string[] = ['refused', 'cooling', 'degraded', 'ok']
/** Outcomes that are not failures of the upstream. */
const USUAL: readonly string[] = ['ok', 'given_up']

export function Upstreams({ shown }: { readonly shown: MetricsView }) {
  const all = pick(shown.now, 'swapgate_upstream_state')
    .filter(({ value }) => value === 1)
    .map(({ labels }) => ({ upstream: labels.upstream!, state: labels.state! }))
  const rows = all
    .filter(({ state }) => state !== 'untried')
    .sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))
  const untried = all.filter(({ state }) => state === 'untried').map(({ upstream }) => upstream)
  return (
    <>
      {rows.length > 0 && (
        <Table caption="Upstreams" columns={columnsOf(shown)} rows={rows} idOf={({ upstream }) => upstream} />
      )}
      {untried.length > 0 && (
        <p class="untried">
          <strong>Not called since the service started:</strong> {untried.join(', ')}
        </p>
      )}
    </>
  )
}

const columnsOf = (shown: MetricsView): readonly Column<UpstreamRow>[] => [
  { key: 'upstream', title: 'Upstream', cell: ({ upstream }) => upstream },
  {
    key: 'state',
    title: 'State',
    cell: ({ upstream, state }) => (
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
    cell: ({ upstream }) => (
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
    cell: ({ upstream }) => (
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
    cell: ({ upstream }) => (
      <Counts
        counts={sumsBy(pick(shown.counted, 'swapgate_upstream_held_back_total', { upstream }), 'by')}
        metric="upstream_held_back_total"
        shown={shown}
        toneOf={() => 'power'}
      />
    ),
  },
  ...quantiles<UpstreamRow>(shown, 'upstreams', ({ upstream }) => upstream),
  {
    key: 'quota',
    title: 'Quota left',
    isNumber: true,
    cell: ({ upstream }) => {
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
