/**
 * Node.js and its process: prom-client's default metrics, under their names. The delay of the event loop is the
 * gateway's own measurement, because prom-client's wakes the process a hundred times a second for ever.
 */
import { totalmem } from 'node:os'
import type { RecordableHistogram } from 'node:perf_hooks'
import { Gauge } from 'prom-client'
import gc from 'prom-client/lib/metrics/gc.js'
import heapSizeAndUsed from 'prom-client/lib/metrics/heapSizeAndUsed.js'
import heapSpacesSizeAndUsed from 'prom-client/lib/metrics/heapSpacesSizeAndUsed.js'
import osMemoryHeap from 'prom-client/lib/metrics/osMemoryHeap.js'
import processCpuTotal from 'prom-client/lib/metrics/processCpuTotal.js'
import processHandles from 'prom-client/lib/metrics/processHandles.js'
import processMaxFileDescriptors from 'prom-client/lib/metrics/processMaxFileDescriptors.js'
import processOpenFileDescriptors from 'prom-client/lib/metrics/processOpenFileDescriptors.js'
import processRequests from 'prom-client/lib/metrics/processRequests.js'
import processResources from 'prom-client/lib/metrics/processResources.js'
import processStartTime from 'prom-client/lib/metrics/processStartTime.js'
import version from 'prom-client/lib/metrics/version.js'
import { VERSION } from '../../runtime/version.ts'
import type { Meters } from './meters.ts'

const DEFAULTS = [
  processCpuTotal,
  processStartTime,
  osMemoryHeap,
  processOpenFileDescriptors,
  processMaxFileDescriptors,
  processResources,
  processHandles,
  processRequests,
  heapSizeAndUsed,
  heapSpacesSizeAndUsed,
  version,
  gc,
]

/** Of them, what each thread has of its own. */
const OF_A_THREAD: readonly unknown[] = [heapSizeAndUsed, heapSpacesSizeAndUsed, gc]

export interface ProcessSources {
  /** Whether this thread is one of several, and another measures the process. */
  readonly isWorker: boolean
  /** As in EventLoop. */
  scrapeLoop(read: (delays: RecordableHistogram) => void): void
}

/** Of a measurement without samples, min is the highest number, and mean and stddev are NaN. */
const LAGS: Readonly<Record<string, (delays: RecordableHistogram) => number>> = {
  min: ({ min }) => min,
  max: ({ max }) => max,
  mean: ({ mean }) => mean,
  stddev: ({ stddev }) => stddev,
  p50: (delays) => delays.percentile(50),
  p90: (delays) => delays.percentile(90),
  p99: (delays) => delays.percentile(99),
}

export function measureProcess(meters: Meters, { scrapeLoop, isWorker }: ProcessSources): void {
  const { registers } = meters
  for (const register of DEFAULTS) if (!isWorker || OF_A_THREAD.includes(register)) register(...registers)
  new Gauge({
    ...meters.named('swapgate_build_info'),
    labelNames: ['version', 'node'] as const,
  }).set({ version: VERSION, node: process.versions.node }, 1)
  new Gauge({
    ...meters.named('swapgate_memory_limit_bytes'),
    // Without a limit it is 0, or more than any machine has.
  }).set(Math.min(process.constrainedMemory() || totalmem(), totalmem()))
  const gauges: Gauge[] = []
  new Gauge({
    ...meters.named('nodejs_eventloop_lag_seconds'),
    // The first of them, which is read first, sets the others: a scrape starts the measurement again.
    collect() {
      const begunAt = performance.now()
      setImmediate(() => this.set((performance.now() - begunAt) / 1e3))
      scrapeLoop((delays) => {
        for (const [nth, read] of Object.values(LAGS).entries()) {
          gauges[nth]!.set(delays.count === 0 ? 0 : read(delays) / 1e9)
        }
      })
    },
  })
  for (const part of Object.keys(LAGS)) {
    const help = `Event loop delay while requests came in, since the last scrape: ${part}`
    gauges.push(
      new Gauge({ name: `nodejs_eventloop_lag_${part}_seconds`, help, registers, aggregator: 'max' }),
    )
  }
}
