/** This client's budgets, the latency of its requests, and the health of the providers and nodes. */

import { useHealth } from '../../data/health.ts'
import { useConfig } from '../../data/hooks.ts'
import { CurlLine } from '../../parts/curl-line.tsx'
import { Panel, ViewHead, Waiting } from '../../parts/panel.tsx'
import { Budgets } from './budgets.tsx'
import { Latency } from './latency.tsx'
import { Providers } from './providers.tsx'

export function Limits() {
  const health = useHealth()
  const config = useConfig()
  return (
    <>
      <ViewHead title="Limits & health" query={health} />
      <Panel title="Your budgets">
        {config.data === null ? <Waiting query={config} /> : <Budgets config={config.data} />}
        <CurlLine exchange={config.exchange} of="the budgets" />
      </Panel>
      <Panel title="Latency of the last hundred requests">
        <Latency />
      </Panel>
      <Panel title="Providers and nodes">
        {health.data === null ? (
          <Waiting query={health} />
        ) : (
          <Providers health={health.data} at={health.at!} />
        )}
      </Panel>
    </>
  )
}
