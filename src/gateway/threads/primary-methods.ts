/** What a worker may ask of the primary thread. */
import type { Counts } from '../../http/counts/counts.ts'
import type { Inquiries } from '../../relay/submissions/inquiries.ts'
import type { Submissions } from '../../relay/submissions/submissions.ts'
import type { LiveTokenList } from '../../research/list/token-list.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { TableChecks } from '../../swap/tables/checks.ts'
import type {
  SharedAsk,
  SharedCooldown,
  ShareLimits,
  UpstreamIdentity,
} from '../../upstream/admission/shared-limits.ts'
import type { UpstreamState } from '../../upstream/health.ts'
import type { Note } from './replicated.ts'
import { type SubmissionTask, submitHere } from './submitting.ts'
import type { ServedWatches, Watched } from './watches.ts'

export interface PrimaryMethodsOptions {
  readonly clock: Clock
  readonly maxV1Bytes: number
  readonly submissions: Submissions
  readonly inquiries: Inquiries
  readonly counts: Counts
  readonly list: LiveTokenList
  readonly tables: Pick<TableChecks, 'tables' | 'stale'>
  readonly shareLimits: ShareLimits
  /** Of the worker that asks. */
  readonly watches: ServedWatches
  onReady(): void
  onNote(note: Note): void
  health(): Promise<UpstreamState[]>
}

export type PrimaryMethods = ReturnType<typeof primaryMethods>

export function primaryMethods(options: PrimaryMethodsOptions) {
  const { clock, maxV1Bytes, submissions, inquiries, counts, list, tables, shareLimits, watches } = options
  return {
    ready: () => options.onReady(),
    submit: (task: SubmissionTask) => submitHere(submissions, clock, maxV1Bytes, task),
    learn(method: string, params: string, result: Uint8Array): void {
      submissions.blockhashes.learn(method, params, { result: Buffer.from(result) })
    },
    receipts: (digests: readonly string[]) => digests.map((digest) => inquiries.receipt(digest)),
    rebroadcasts: () => inquiries.rebroadcasts(),
    landedFees: () => inquiries.landedFees(),
    adviseTip: (client: string) => inquiries.adviseTip(client),
    lastReceipts: (most: number) => inquiries.lastReceipts(most),
    isSubmitted: (signature: string) => inquiries.isSubmitted(signature),
    landed: (...seen: Parameters<Inquiries['landed']>) => inquiries.landed(...seen),
    submitted: (signature: string) => inquiries.submitted(signature),
    decide: (upstream: UpstreamIdentity, ask: SharedAsk) => shareLimits(upstream).decide(ask),
    look: (upstream: UpstreamIdentity, lane: string) => shareLimits(upstream).look(lane),
    startCooldown: (upstream: UpstreamIdentity, lane: string, cooldown: SharedCooldown) =>
      shareLimits(upstream).startCooldown(lane, cooldown),
    endCooldown: (upstream: UpstreamIdentity, lane: string) => shareLimits(upstream).endCooldown(lane),
    watch: (id: number, watched: Watched) => watches.watch(id, watched),
    unwatch: (id: number) => watches.unwatch(id),
    note: (note: Note) => options.onNote(note),
    // What it notes arrives there first.
    catchUp: () => counts.deliveries.catchUp(),
    readList: () => list.noteRead(),
    tables: async () => ({ tables: await tables.tables(), stale: tables.stale }),
    health: () => options.health(),
  }
}
