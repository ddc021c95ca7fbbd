/** A worker: one of several threads that serve clients at the same address. The primary thread starts it. */
import { parentPort, workerData } from 'node:worker_threads'
import { type Config, readConfig } from '../../config/config.ts'
import { forPeople } from '../../config/terminal.ts'
import { DEFAULT_HELD, HeldBytes } from '../../flow/held-bytes.ts'
import { connectionLimits } from '../../http/connections/open-files.ts'
import type { Clock } from '../../runtime/clock.ts'
import { createLogger, type Logger } from '../../runtime/log.ts'
import { clockOf } from './since.ts'
import { WorkerLink } from './worker-link.ts'
import type { WorkerStart } from './worker-start.ts'

interface WorkerOptions {
  readonly link: WorkerLink
  readonly clock: Clock
  readonly held: HeldBytes
  readonly droppedLines: () => number
}

/** Serves until the primary stops it. @param startGateway  @throws Error  as it does */
export async function runWorker(
  startGateway: (config: Config, log: Logger, options: WorkerOptions) => Promise<unknown>,
): Promise<void> {
  const start = workerData as WorkerStart
  const { workers, number, isTerminal } = start
  const whole = readConfig(process.env)
  const { log: lines, flush, dropped } = createLogger({ ...whole, forPeople, isTerminal })
  process.on('exit', flush)
  const log = lines.child({ worker: number })
  const { client, all } = DEFAULT_HELD
  const clock = clockOf(start.sinceMs)
  await startGateway(partOf(whole, log, start), log, {
    link: new WorkerLink(start, parentPort!, clock, flush),
    clock,
    held: new HeldBytes({ limits: { client, all: Math.ceil(all / workers) } }),
    droppedLines: dropped,
  })
}

/**
 * The worker's part of what is limited for the process. The system spreads connections by chance: so a client's own
 * is twice an equal one.
 */
export function partOf(
  config: Config,
  log: Logger,
  { workers, secret, ports }: Pick<WorkerStart, 'workers' | 'secret' | 'ports'>,
): Config {
  const part = (whole: number): number => Math.ceil(whole / workers)
  const { maxConnections, maxConnectionsPerPeer } = connectionLimits(config, log)
  const { client, global } = config.inFlight
  return {
    ...config,
    port: ports.http,
    wsPort: ports.ws ?? 'off',
    quoteSecret: secret,
    inFlight: { client, global: Math.max(client, part(global)) },
    maxStreams: part(config.maxStreams),
    maxConnections: part(maxConnections),
    maxConnectionsPerClient: Math.min(maxConnectionsPerPeer, part(2 * maxConnectionsPerPeer)),
  }
}
