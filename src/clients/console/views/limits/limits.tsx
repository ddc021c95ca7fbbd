/** The state in one line, this client's limits, the health of the providers and nodes, and the latency of requests. */
import type { Health } from '../../../client/index.ts'
import { servedMs } from '../../data/exchanges.ts'
import { useHealth } from '../../data/health.ts'
import { useConfig, useExchanges } from '../../data/hooks.ts'
import { ms } from '../../format.ts'
import { CurlLine } from '../../parts/curl-line.tsx'
import { Panel, ViewHead, Waiting } from '../../parts/panel.tsx'
import { Providers } from '../../parts/providers.tsx'
import { Budgets, Spend, UnknownBudgets } from './budgets.tsx'
import { quantile } from './histogram.ts'
import { Latency } from './latency.tsx'

const CONFIG_REQUEST = { method: 'GET', url: '/api/config', body: null } as const

export function Limits() {
  const health = useHealth()
  const config = useConfig()
  return (
    <>
      <ViewHead title="Limits & health" query={health} />
      {health.data === null ? <p class="state">&nbsp;</p> : <State health={health.data} />}
      <Panel title="Your limits">
        {config.data !== null ? (
          <Budgets config={config.data} />
        ) : config.error === null ? (
          <UnknownBudgets />
        ) : (
          <Waiting query={config} />
        )}
        <Spend />
        <CurlLine exchange={config.exchange ?? CONFIG_REQUEST} of="the limits" />
      </Panel>
      <Panel title="Providers and nodes">
        {health.data === null ? (
          <Waiting query={health} rows={9} />
        ) : (
          <Providers
            caption="Providers and nodes"
            providers={health.data.providers}
            from={{ source: 'GET /api/health', at: health.at }}
          />
        )}
      </Panel>
      <Panel title="Latency of the last hundred requests">
        <Latency />
      </Panel>
    </>
  )
}

function State({ health: { providers } }: { readonly health: Health }) {
  const asked = providers.filter(({ state }) => state !== 'untried')
  const failing = asked.filter(({ state }) => state !== 'ok').length
  const served = useExchanges().flatMap((exchange) => servedMs(exchange) ?? [])
  const text =
    failing === 0
      ? `All normal: ${asked.length} of ${providers.length} providers and nodes in use`
      : `${failing} of ${asked.length} providers and nodes in use ${failing === 1 ? 'needs' : 'need'} attention`
  return (
    <p class="state" role="status">
      <span class={`shape ${failing === 0 ? 'ok' : 'warn'}`} aria-hidden="true" />
      <span>
        {text}
        {served.length > 0 && <small>{`p95 ${ms(quantile(served, 0.95))}`}</small>}
      </span>
    </p>
  )
}
