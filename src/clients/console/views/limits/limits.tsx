/** The state in one line, this client's limits, the health of the providers and nodes, and what providers deliver. */
import type { Health } from '../../../client/index.ts'
import { quantile, servedMs } from '../../data/exchanges.ts'
import { useConfig, useExchanges, useHealth } from '../../data/hooks.ts'
import { titleOf } from '../../data/words.ts'
import { counted, joined, ms } from '../../format.ts'
import { CurlLine } from '../../parts/curl-line.tsx'
import { Panel, ViewHead, Waiting } from '../../parts/panel.tsx'
import { Providers } from '../../parts/providers.tsx'
import { Budgets, Spend } from './budgets.tsx'
import { WhatIsDelivered } from './delivered.tsx'

/** The number of budgets by default. */
const BUDGETS = 8
const CONFIG_REQUEST = { method: 'GET', url: '/api/config', body: null } as const
const HEALTH_REQUEST = { ...CONFIG_REQUEST, url: '/api/health' } as const

export default function Limits() {
  const health = useHealth()
  const config = useConfig()
  return (
    <>
      <ViewHead title="Limits & health" query={health} exchange={HEALTH_REQUEST} />
      {health.data === null ? <p class="state">&nbsp;</p> : <State health={health.data} />}
      <Panel title="Your limits">
        {config.data === null ? (
          <Waiting query={config} rows={BUDGETS} class="budgets" />
        ) : (
          <Budgets config={config.data} />
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
            providers={health.data.providers.map((one) => ({ ...one, name: titleOf(one.name) }))}
            from={{ source: 'The gateway’s own health', at: health.at }}
          />
        )}
      </Panel>
      <WhatIsDelivered />
    </>
  )
}

function State({ health: { providers } }: { readonly health: Health }) {
  const used = providers.filter(({ state }) => state !== 'untried')
  const failing = used.filter(({ state }) => state !== 'ok').length
  const served = useExchanges().flatMap((exchange) => servedMs(exchange) ?? [])
  const state =
    failing === 0 ? 'All systems normal' : `${failing} of ${counted(used.length, 'source')} with problems`
  const inUse = `${used.length} of ${counted(providers.length, 'source')} in use`
  const speed = served.length > 0 && `95% of requests within ${ms(quantile(served, 0.95))}`
  return (
    <p class="state" role="status">
      <span class={`shape ${failing === 0 ? 'ok' : 'warn'}`} aria-hidden="true" />
      <span>{joined(' · ', state, inUse, speed)}</span>
    </p>
  )
}
