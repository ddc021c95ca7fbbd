/**
 * The thread that starts the workers, replaces one that ends, and holds what the process must have once: the
 * submissions on their way, the quotas and cooldowns of upstreams, the polling for subscriptions, the token list,
 * and the listener for the operator. It serves no clients itself, so that nothing of theirs delays the others.
 *
 *   client ──> worker 1 ──┐                            budgets: in memory that all threads share
 *   client ──> worker 2 ──┼── primary ──> nodes        the rest: messages
 *   client ──> worker 3 ──┘
 */
import { randomBytes } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { Config } from '../../config/config.ts'
import type { Counts } from '../../http/counts/counts.ts'
import { allocateBudgets, type BudgetsMemory, releaseBudgets } from '../../http/limit/budgets.ts'
import type { Confirmations } from '../../relay/reads/confirmations.ts'
import type { ThreadMetrics } from '../../routes/metrics/admin.ts'
import { type Clock, orLate } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/log.ts'
import { localLimits } from '../../upstream/admission/local-limits.ts'
import type { ShareLimits } from '../../upstream/admission/shared-limits.ts'
import { mergedStates, type UpstreamState } from '../../upstream/health.ts'
import { Port } from './port.ts'
import { type PrimaryMethodsOptions, primaryMethods } from './primary-methods.ts'
import { type Note, replicate } from './replicated.ts'
import { sinceMs } from './since.ts'
import { type Polling, ServedWatches } from './watches.ts'
import type { WorkerMethods } from './worker-methods.ts'
import type { WorkerStart } from './worker-start.ts'

/** How often a worker is asked whether its event loop turns, and how often in a row it may miss that. */
const PING_MS = 5_000
const MAX_MISSES = 3
/** How long the primary waits for what workers say of themselves. */
const GATHER_MS = 300
/** A worker that lived for less is replaced only after this time. */
const PAUSE_MS = 1_000
/** The metrics that only grow. */
const ADDED: readonly unknown[] = ['counter', 'histogram']
/** What a worker that replaces another is told of what was noted before. */
const MAX_NOTES = 10_000

/** The primary's in locks; no worker gets as far. */
const OWN_NUMBER = 2 ** 30

/** Since when several sockets of one process may listen on one port. */
const LEAST_NODE = [22, 12] as const

/** How many workers there are to be: one, where threads can't listen on the same port. */
export function workersOf({ workers }: Config, log: Logger): number {
  const [major, minor] = process.versions.node.split('.').map(Number) as [number, number]
  const isOld = major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1])
  if (workers === 1 || (process.platform === 'linux' && !isOld)) return workers
  const needs = `Linux and Node.js ${LEAST_NODE.join('.')} or newer`
  log.warn({ workers, needs, node: process.versions.node }, 'one worker only: WORKERS needs what is not here')
  return 1
}

const portOf = (url: string): number => Number(new URL(url).port)

interface PrimaryOptions {
  readonly config: Config
  readonly workers: number
  readonly log: Logger
  readonly clock: Clock
  /** What each thread runs. */
  readonly program: string
  /** Under which clients are named in the log. */
  readonly nameKey: string
}

/** What the threads share, as the primary has it. */
interface PrimaryParts extends Pick<PrimaryMethodsOptions, 'submissions' | 'inquiries' | 'list' | 'tables'> {
  readonly polling: Polling
  readonly counts: Counts
  readonly confirmations: Confirmations
  /** Null in live mode. */
  readonly sandbox: WorkerStart['sandbox']
  /** At which the workers are to listen. */
  readonly urls: { readonly url: string; readonly wsUrl: string | null }
  providers(): readonly UpstreamState[]
}

class RunningWorker {
  readonly number: number
  readonly thread: Worker
  readonly startedAt: number
  readonly ready: Promise<void>
  onReady!: () => void
  port!: Port<WorkerMethods>
  watches!: ServedWatches
  isReady = false
  misses = 0
  /** As it last gave them. */
  metrics: Awaited<ReturnType<WorkerMethods['metrics']>> = []

  constructor(number: number, thread: Worker, startedAt: number) {
    this.number = number
    this.thread = thread
    this.startedAt = startedAt
    this.ready = new Promise((resolve) => {
      this.onReady = resolve
    })
  }
}

export class Primary {
  readonly shareLimits: ShareLimits
  /** How many workers ended and were replaced. */
  replaced = 0
  readonly #options: PrimaryOptions
  readonly #budgets: BudgetsMemory
  readonly #running = new Set<RunningWorker>()
  readonly #notes: Note[] = []
  readonly #builds: Note[] = []
  /** What workers that ended had counted. */
  readonly #ended: object[][] = []
  readonly #start: Pick<WorkerStart, 'workers' | 'budgets' | 'sinceMs' | 'secret' | 'nameKey' | 'isTerminal'>
  #parts!: PrimaryParts
  #repeat!: (note: Note) => void
  /** Since when the notes are whole, ms epoch. */
  #since: number
  #last = 0
  #callOff = (): void => {}
  #isOpen = false
  #isStopping = false

  constructor(options: PrimaryOptions) {
    const { config, workers, clock, nameKey } = options
    this.#options = options
    this.#since = clock.date()
    this.#budgets = allocateBudgets(config.limits)
    this.shareLimits = localLimits(clock)
    this.#start = {
      workers,
      budgets: this.#budgets,
      sinceMs: sinceMs(),
      secret: config.quoteSecret ?? randomBytes(32).toString('base64'),
      nameKey,
      isTerminal: process.stdout.isTTY === true,
    }
  }

  /** The workers that serve clients now. */
  get serving(): number {
    return [...this.#running].filter(({ isReady }) => isReady).length
  }

  /** The budgets, of which this thread reads what is spent. */
  get budgets() {
    return { memory: this.#budgets, thread: OWN_NUMBER }
  }

  /** Starts the workers. @throws Error  if one ends before it listens */
  async open(parts: PrimaryParts): Promise<void> {
    this.#parts = parts
    const { counts, confirmations, list } = parts
    this.#repeat = replicate({ ...counts, confirmations }, this.#options.clock, (note) =>
      this.#publish(note, null),
    )
    list.watch(() => {
      for (const worker of this.#running) this.#tellList(worker)
    })
    const { workers } = this.#options
    const started = Array.from({ length: workers }, () => this.#spawn())
    await Promise.all(
      started.map(({ ready, thread }) =>
        Promise.race([
          ready,
          new Promise((_resolve, reject) => {
            thread.once('error', reject)
            thread.once('exit', () => reject(new Error('a worker ended before it listened')))
          }),
        ]),
      ),
    )
    this.#isOpen = true
    this.#watchPings()
  }

  /** What the operator's page shows of each worker that answers in time. */
  instances() {
    return this.#gather(({ port }) => port.call('instance'))
  }

  /** The state of all upstreams, as all threads have it. */
  async health(): Promise<UpstreamState[]> {
    const others = await this.#gather(({ port }) => port.call('providers'))
    return mergedStates([...this.#parts.providers(), ...others.flat()])
  }

  /** What each worker counted, and those that have ended: what was counted never becomes less. */
  async metrics(): Promise<ThreadMetrics> {
    await this.#gather(async (worker) => {
      worker.metrics = await worker.port.call('metrics')
    })
    return { running: [...this.#running].map(({ metrics }) => metrics), ended: this.#ended }
  }

  /** The results of those that give one in time. */
  async #gather<T>(ask: (worker: RunningWorker) => Promise<T>): Promise<NonNullable<T>[]> {
    const asked = [...this.#running].map((worker) => {
      const answer = ask(worker).catch(() => null)
      return orLate(this.#options.clock, GATHER_MS, answer, null)
    })
    return (await Promise.all(asked)).filter((one) => one !== null && one !== undefined)
  }

  /** Has the workers read the operator's files again. */
  async reload(): Promise<void> {
    await Promise.all([...this.#running].map(({ port }) => port.call('reload').catch(() => {})))
  }

  /** Lets the workers finish. @returns false if the grace was too short for some requests */
  async stop(): Promise<boolean> {
    this.#isStopping = true
    this.#callOff()
    const stopped = await Promise.all(
      [...this.#running].map(async ({ port, thread }) => {
        const isWhole = await port.call('stop').catch(() => false)
        await thread.terminate()
        return isWhole
      }),
    )
    return stopped.every(Boolean)
  }

  #spawn(): RunningWorker {
    const { clock, config, program } = this.#options
    const { sandbox, urls, polling } = this.#parts
    const ports = { http: portOf(urls.url), ws: urls.wsUrl === null ? null : portOf(urls.wsUrl) }
    const number = ++this.#last
    const workerData: WorkerStart = { ...this.#start, number, since: this.#since, sandbox, ports }
    const thread = new Worker(program, { workerData })
    const worker = new RunningWorker(number, thread, clock.now())
    worker.watches = new ServedWatches(polling, clock, (id, notice) => worker.port.tell('notice', id, notice))
    worker.port = new Port(
      thread,
      primaryMethods({
        ...this.#parts,
        clock,
        maxV1Bytes: config.maxV1TransactionBytes,
        shareLimits: this.shareLimits,
        watches: worker.watches,
        onReady: () => this.#onReady(worker),
        onNote: (note) => {
          this.#repeat(note)
          this.#publish(note, worker)
        },
        health: () => this.health(),
      }),
    )
    this.#running.add(worker)
    thread.once('error', (err) => this.#options.log.error({ worker: number, err }, 'a worker failed'))
    thread.once('exit', () => this.#onExit(worker))
    return worker
  }

  #onReady(worker: RunningWorker): void {
    worker.isReady = true
    worker.onReady()
    for (const note of [...this.#builds, ...this.#notes]) worker.port.tell('note', note)
    this.#tellList(worker)
  }

  /** The requests of a worker that ended have failed; what it held is released, and another takes its place. */
  #onExit(worker: RunningWorker): void {
    const { clock, log } = this.#options
    this.#running.delete(worker)
    releaseBudgets(this.#budgets, worker.number)
    this.#ended.push(worker.metrics.filter(({ type }) => ADDED.includes(type)))
    worker.watches.close()
    worker.port.close()
    if (this.#isStopping || !this.#isOpen) return
    this.replaced++
    const livedMs = clock.now() - worker.startedAt
    log.error(
      { worker: worker.number, livedMs: Math.round(livedMs) },
      'a worker ended; another takes its place',
    )
    clock.after(livedMs < PAUSE_MS ? PAUSE_MS : 0, () => {
      if (!this.#isStopping) this.#spawn()
    })
  }

  /** Ends a worker whose event loop does not turn any more. */
  #watchPings(): void {
    const { clock, log } = this.#options
    this.#callOff = clock.after(PING_MS, () => {
      this.#watchPings()
      for (const worker of this.#running) {
        if (worker.misses >= MAX_MISSES) {
          log.error({ worker: worker.number }, 'a worker does not answer, and is ended')
          void worker.thread.terminate()
        }
        worker.misses++
        worker.port.call('ping').then(
          () => (worker.misses = 0),
          () => {},
        )
      }
    })
  }

  /** Repeats a note in the workers, but not in the one that it is from. */
  #publish(note: Note, from: RunningWorker | null): void {
    // Other instances build, too, as much as they like: what is counted keeps its place.
    const isBuild = note.method === 'built' || note.method === 'sharedBuild'
    const notes = isBuild ? this.#builds : this.#notes
    notes.push(note)
    const dropped = notes.length > MAX_NOTES ? notes.splice(0, MAX_NOTES / 2) : []
    if (!isBuild && dropped.length > 0) this.#since = dropped.at(-1)!.at
    for (const worker of this.#running) if (worker !== from && worker.isReady) worker.port.tell('note', note)
  }

  #tellList(worker: RunningWorker): void {
    const snapshot = this.#parts.list.snapshot()
    if (snapshot !== null && worker.isReady) worker.port.tell('list', snapshot)
  }
}
