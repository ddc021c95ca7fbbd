/** What a worker takes from the primary thread: see primary.ts. */
import type { MessagePort } from 'node:worker_threads'
import { Blockhashes } from '../../relay/submissions/blockhashes.ts'
import type { Asked, Inquiries } from '../../relay/submissions/inquiries.ts'
import type { Clock } from '../../runtime/clock.ts'
import { batched } from '../../runtime/joined.ts'
import type { Rebroadcasts, SubmissionReceipt } from '../../runtime/resources/receipt.ts'
import { throttled } from '../../runtime/throttled.ts'
import type { StaleRow } from '../../swap/tables/checks.ts'
import type { ShareLimits } from '../../upstream/admission/shared-limits.ts'
import type { UpstreamState } from '../../upstream/health.ts'
import type { SolanaRpc } from '../../upstream/nodes/solana/rpc.ts'
import { Port } from './port.ts'
import type { PrimaryMethods } from './primary-methods.ts'
import { type Note, replicate } from './replicated.ts'
import { submitElsewhere } from './submitting.ts'
import { RemoteWatches } from './watches.ts'
import type { WorkerMethods } from './worker-methods.ts'
import type { WorkerStart } from './worker-start.ts'

/** How long an answer of the primary is shared that no budget covers. */
const SHARED_MS = 1_000

export class WorkerLink {
  readonly start: WorkerStart
  readonly watches: RemoteWatches
  /** Writes what is left of the log. */
  readonly flush: () => void
  readonly #port: Port<PrimaryMethods>
  readonly #methods: Record<string, (...args: never[]) => unknown> = {}

  /**
   * The state of all upstreams, as all threads have it; null if the primary does not answer. Each time costs every
   * thread, and no budget covers it: so at most once a second, however often clients ask.
   */
  readonly health: () => Promise<UpstreamState[] | null>
  readonly #clock: Clock
  readonly #rebroadcasts: () => Promise<Rebroadcasts>
  readonly #receipt: (digest: string) => Promise<SubmissionReceipt | null>

  constructor(start: WorkerStart, port: MessagePort, clock: Clock, flush: () => void) {
    this.start = start
    this.#clock = clock
    this.flush = flush
    this.#port = new Port(port, this.#methods)
    this.health = throttled(SHARED_MS, clock, () => this.#port.call('health').catch(() => null))
    this.#rebroadcasts = throttled(SHARED_MS, clock, () => this.#port.call('rebroadcasts'))
    this.#receipt = batched((digests) => this.#port.call('receipts', digests))
    this.watches = new RemoteWatches({
      watch: (id, watched) => this.#port.tell('watch', id, watched),
      unwatch: (id) => this.#port.tell('unwatch', id),
    })
  }

  /** The budgets' memory, and this thread's number in their locks. */
  get budgets() {
    return { memory: this.start.budgets, thread: this.start.number }
  }

  readonly shareLimits: ShareLimits = (upstream) => ({
    decide: (ask) => this.#port.call('decide', upstream, ask),
    look: (lane) => this.#port.call('look', upstream, lane),
    startCooldown: (lane, cooldown) => this.#port.call('startCooldown', upstream, lane, cooldown),
    endCooldown: (lane) => this.#port.tell('endCooldown', upstream, lane),
  })

  /** What stands in this thread for what sends transactions and polls. */
  sending(options: { readonly rpc: Pick<SolanaRpc, 'slotMs'>; readonly clock: Clock }) {
    const blockhashes = new Blockhashes(options)
    const port = this.#port
    const learnHere = blockhashes.learn.bind(blockhashes)
    const learn: Blockhashes['learn'] = (method, params, reply) => {
      const isNews = learnHere(method, params, reply)
      if (isNews) port.tell('learn', method, params, Uint8Array.from(reply.result as Buffer))
      return isNews
    }
    const inquiries: Asked<Inquiries> = {
      receipt: this.#receipt,
      rebroadcasts: this.#rebroadcasts,
      landedFees: () => port.call('landedFees'),
      adviseTip: (client) => port.call('adviseTip', client),
      lastReceipts: (most) => port.call('lastReceipts', most),
      isSubmitted: (signature) => port.call('isSubmitted', signature),
      landed: (...seen) => port.tell('landed', ...seen),
      submitted: (signature) => port.call('submitted', signature),
    }
    return {
      statuses: this.watches.statuses,
      accounts: this.watches.accounts,
      slots: this.watches.slots,
      submissions: {
        submit: submitElsewhere((task) => port.call('submit', task)),
        blockhashes: Object.assign(blockhashes, { learn }),
        close() {},
      },
      inquiries,
      // The thread that polls knows which are.
      isOurs: () => false,
      here: null,
    }
  }

  /** The checks of hard-coded tables, which the primary makes. */
  readonly tables = {
    stale: [] as readonly StaleRow[],
    tables: async () => {
      const { tables, stale } = await this.#port.call('tables')
      this.tables.stale = stale
      return tables
    },
  }

  /** Resolves once what other instances have built is known here. */
  readonly catchUp = (): Promise<void> => this.#port.call('catchUp')

  /** Notes that the token list is read. */
  readonly onListRead = (): void => this.#port.tell('readList')

  /** Publishes what is noted here. @returns repeats what was noted elsewhere */
  replicate(here: Parameters<typeof replicate>[0]): (note: Note) => void {
    return replicate(here, this.#clock, (note) => this.#port.tell('note', note))
  }

  /** Tells the primary that this worker listens. @param methods  what it may call from now on */
  ready(methods: WorkerMethods): void {
    Object.assign(this.#methods, methods)
    this.#port.tell('ready')
  }
}
