/** What the primary thread may ask of a worker. */
import type { EventLoop } from '../../flow/event-loop.ts'
import type { ListSnapshot, LiveTokenList } from '../../research/list/token-list.ts'
import type { Metrics } from '../../routes/metrics/index.ts'
import type { UpstreamState } from '../../upstream/health.ts'
import type { Note } from './replicated.ts'
import type { Notice, RemoteWatches } from './watches.ts'

/** The parts of a worker's gateway that the primary reads. */
interface WorkerParts {
  /** Writes what is left of the log. */
  readonly flush: () => void
  readonly watches: RemoteWatches
  /** Repeats what was noted in another thread. */
  readonly repeat: (note: Note) => void
  readonly list: LiveTokenList
  readonly eventLoop: EventLoop
  readonly metrics: Metrics | null
  readonly droppedLines: () => number
  providers(): readonly UpstreamState[]
  reload(): Promise<void>
  stop(): Promise<boolean>
}

export type WorkerMethods = ReturnType<typeof workerMethods>

/** What the primary may call. */
export function workerMethods(parts: WorkerParts) {
  const { flush, watches, repeat, list, eventLoop, metrics, droppedLines, providers, reload, stop } = parts
  return {
    ping: () => true,
    notice: (id: number, notice: Notice) => watches.notice(id, notice),
    note: (note: Note) => repeat(note),
    list: (snapshot: ListSnapshot) => list.follow(snapshot),
    providers,
    /** What the operator's page shows of this worker. */
    instance: () => ({ loopDelay: eventLoop.delay, droppedLines: droppedLines(), recent: metrics!.recent() }),
    metrics: async () => metrics!.values(),
    reload,
    async stop() {
      const isWhole = await stop()
      flush()
      return isWhole
    },
  }
}
