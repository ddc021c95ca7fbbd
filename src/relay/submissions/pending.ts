/**
 * Transactions accepted by a node, not yet seen in a block. The identical bytes
 * go out again to all upstreams every five slots, until the
 * transaction is seen in a block, its blockhash expires or its retries are used
 * up.
 *
 *   accepted ──5 slots── again ──5 slots── again ... seen | expired | no retries left
 *
 * It has expired once a node has confirmed a block above its last valid height;
 * no clock decides that. If its blockhash did not pass the relay, that height is
 * at most that of the newest blockhash at the time of the acceptance.
 *
 * With a durable nonce it expires once its nonce account holds another value. Once its retries are used up, it goes
 * out as often as blockhashes expire, while the account holds its value, for ten minutes.
 *
 * A request that submits the same bytes in the meantime gets the same answer.
 * Stopping the service ends all of it; nothing is stored. A lease shows other
 * instances that this one is sending.
 */
import { Call } from '../../flow/call.ts'
import type { Client } from '../../flow/cancellation.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Rebroadcasts } from '../../runtime/resources/receipt.ts'
import type { RpcReply, SolanaRpc } from '../../upstream/nodes/solana/rpc.ts'
import type { SolanaSubmissions, Submission } from '../../upstream/nodes/solana/submissions.ts'
import type { StatusPoller } from '../reads/statuses.ts'
import type { Blockhashes } from './blockhashes.ts'
import { LandedFees } from './landed-fees.ts'
import type { Lease } from './leases.ts'
import type { HeldNonce, Nonces } from './nonces.ts'
import type { ReceiptTrace } from './receipts.ts'
import type { Retries } from './retries.ts'
import type { ParsedTransaction } from './submission.ts'
import { TipAdvice } from './tip-advice.ts'

/** Slots between two sends: a leader has four, so each send reaches another one. */
const AGAIN_SLOTS = 5
/** Late after two rebroadcasts without a block. */
const LATE_SLOTS = 2 * AGAIN_SLOTS
/** The longest time between two sends, however slow the cluster is: other instances wait for this one. */
const MAX_AGAIN_MS = 2_000
const DEADLINE_MS = 5_000
/** The longest that a transaction is watched after its last send, if nothing shows that it has expired. */
const WATCHED_MS = 90_000
/**
 * About 4 KiB each, 11 if the operator allows the longest of version 1; further transactions aren't
 * rebroadcast.
 */
const MAX_PENDING = 1_000
/** Those of them that are kept for their durable nonce, and those of one client: each may stay for long. */
const MAX_DURABLE = 500
const MAX_DURABLE_OF_CLIENT = 50
/** How long one with a durable nonce is kept, ms: after that its sender may submit it again. */
const DURABLE_MS = 600_000
const DURABLE_SLOTS = 150
/** Transactions that are rebroadcast at one time; the next ones wait a slot. */
const MAX_SENDING = 16

/** A submission, and what a rebroadcast needs. */
export interface FollowedSubmission extends Submission {
  /** In base58. */
  readonly blockhash: string
  /** What is in the blockhash's place; null if nothing is. */
  readonly nonce: HeldNonce | null
  readonly retries: Retries
  readonly trace: ReceiptTrace
  /** Null if no other instance waits for this one. */
  readonly lease: Lease | null
  /** Who submitted it. */
  readonly client: Client
}

/** A submission in progress, or one that a node has accepted. */
type Following = ReturnType<typeof newFollowing>

/** @param isDurable  whether it goes out again after its retries, for its nonce */
const newFollowing = (submission: FollowedSubmission, reply: Promise<RpcReply>, isDurable: boolean) => ({
  submission,
  reply,
  isDurable,
  acceptedAt: null as number | null,
  /** No block above this height can hold it; null if it isn't known yet. */
  lastValidHeight: null as number | null,
  sends: 0,
  nextAt: 0,
  /** Whether it is known if it landed in time. */
  isJudged: false,
  /** Its retries are used up: from now on it is only watched. */
  isSpent: false,
  /** Calls off the timer that runs for it. */
  callOff: (): void => {},
  unwatch: (): void => {},
})

type PendingTransaction = Pick<Following, 'submission' | 'reply'>

interface PendingOptions {
  readonly rpc: { readonly submissions: Pick<SolanaSubmissions, 'resend' | 'serviceRows'> } & Pick<
    SolanaRpc,
    'slotMs'
  >
  readonly statuses: Pick<StatusPoller, 'watch'>
  readonly blockhashes: Blockhashes
  readonly nonces: Pick<Nonces, 'look'>
  /** Has `blockhashes` learn the height of the newest confirmed block. */
  readonly askHeight: () => Promise<void>
  readonly clock: Clock
}

export class Pending {
  readonly landedFees: LandedFees
  readonly tips: TipAdvice
  readonly #options: PendingOptions
  /** By signature. */
  readonly #following = new Map<string, Following>()
  #sending = 0
  #durable = 0
  /** When the height was last asked for. */
  #heightAskedAt = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(options: PendingOptions) {
    const { rpc, clock } = options
    this.#options = options
    this.landedFees = new LandedFees(clock)
    this.tips = new TipAdvice(rpc.submissions.serviceRows, clock)
  }

  /** The time between two sends of one transaction, ms. */
  get againMs(): number {
    return Math.min(AGAIN_SLOTS * this.#options.rpc.slotMs, MAX_AGAIN_MS)
  }

  /** The submission of the same bytes that is in progress, or whose transaction is being rebroadcast. */
  find({ signature, base64 }: Pick<ParsedTransaction, 'signature' | 'base64'>): PendingTransaction | null {
    const known = this.#following.get(signature)
    return known === undefined || known.isSpent || known.submission.base64 !== base64 ? null : known
  }

  /** Whether a transaction of this signature is known to be on its way. */
  has(signature: string): boolean {
    return this.#following.has(signature)
  }

  /**
   * Follows a submission that has just gone out, if there is room.
   * @param reply  the nodes'
   */
  follow(submission: FollowedSubmission, reply: Promise<RpcReply>): void {
    const { signature, nonce } = submission
    const before = this.#following.get(signature)
    if (before !== undefined) this.#end(before)
    if (this.#isClosed || this.#following.size >= MAX_PENDING) return
    const isDurable = nonce !== null && this.#mayKeep(submission)
    const following = newFollowing(submission, reply, isDurable)
    if (isDurable) this.#durable++
    this.#following.set(signature, following)
    reply.then(
      ({ error }) => (error === null ? this.#accepted(following) : this.#end(following)),
      () => this.#end(following),
    )
  }

  /** The current rebroadcasts, the oldest first. */
  list(): Rebroadcasts['transactions'] {
    const nowMs = this.#options.clock.now()
    const shown: Rebroadcasts['transactions'] = []
    for (const { submission, acceptedAt, sends, nextAt, isSpent, isDurable } of this.#following.values()) {
      if (acceptedAt === null || (isSpent && !isDurable)) continue
      shown.push({
        ageMs: Math.round(nowMs - acceptedAt),
        sends,
        retriesLeft: submission.retries.left,
        nextInMs: Math.max(0, Math.round(nextAt - nowMs)),
        lastValidBlockHeight: this.#options.blockhashes.lastValidHeight(submission.blockhash),
      })
    }
    return shown
  }

  /** Sends nothing from now on. */
  close(): void {
    this.#isClosed = true
    for (const following of this.#following.values()) this.#end(following)
  }

  #accepted(following: Following): void {
    const { signature, trace } = following.submission
    if (this.#following.get(signature) !== following) return
    following.acceptedAt = this.#options.clock.now()
    const pending = this
    const watching = {
      priority: 'research' as const,
      get everyMs() {
        return pending.againMs / 2
      },
    }
    following.unwatch = this.#options.statuses.watch(signature, watching, ({ slot, err }) => {
      trace.landed(slot, err !== null)
      this.landedFees.note(following.submission.base64)
      this.#judge(following, true)
      this.#end(following)
    })
    this.#wake(following, this.againMs)
  }

  #wake(following: Following, ms: number): void {
    following.nextAt = this.#options.clock.now() + ms
    following.callOff = this.#options.clock.after(ms, () => this.#again(following))
  }

  /** Whether there is room to keep it for its nonce. */
  #mayKeep({ client }: FollowedSubmission): boolean {
    if (this.#durable >= MAX_DURABLE) return false
    let own = 0
    for (const one of this.#following.values())
      if (one.isDurable && one.submission.client === client && ++own >= MAX_DURABLE_OF_CLIENT) return false
    return true
  }

  #again(following: Following): void {
    const { submission, isSpent, isDurable } = following
    const { nonce } = submission
    const { slotMs, submissions } = this.#options.rpc
    const watchedMs = this.#options.clock.now() - following.acceptedAt!
    if (watchedMs >= LATE_SLOTS * slotMs) this.#judge(following, false)
    const mostMs = isDurable ? DURABLE_MS : WATCHED_MS
    if (this.#hasExpired(following) || (isSpent && watchedMs >= mostMs)) {
      this.#end(following)
    } else if (isSpent && !isDurable) {
      this.#wake(following, this.againMs)
    } else if (this.#sending >= MAX_SENDING) {
      this.#wake(following, slotMs)
    } else if (isSpent || submission.retries.take()) {
      following.sends++
      this.#sending++
      this.#wake(following, isSpent ? DURABLE_SLOTS * slotMs : this.againMs)
      if (isSpent) this.#options.nonces.look(nonce!)
      else submission.lease?.accepted()
      void submissions
        .resend(submission, Call.of(this.#options.clock, 'research', DEADLINE_MS))
        .finally(() => this.#sending--)
    } else {
      // It may still land, and its receipt should show that.
      following.isSpent = true
      submission.lease?.end()
      if (nonce !== null) this.#options.nonces.look(nonce)
      this.#wake(following, this.againMs)
    }
  }

  /** Reports once whether it landed in time. */
  #judge(following: Following, isInTime: boolean): void {
    if (following.isJudged) return
    following.isJudged = true
    const { client, base64 } = following.submission
    this.tips.note(client, base64, isInTime)
  }

  /** Whether no block can hold it any more. If that is unclear, a node is asked, for the next time. */
  #hasExpired(following: Following): boolean {
    const { nonce, blockhash } = following.submission
    if (nonce !== null) return nonce.isAdvanced
    const { blockhashes } = this.#options
    const known = blockhashes.lastValidHeight(blockhash)
    following.lastValidHeight = known ?? following.lastValidHeight ?? blockhashes.highestLastValid()
    const last = following.lastValidHeight
    const verdict = last === null ? 'unclear' : blockhashes.verdictAt(last)
    if (verdict === 'unclear') this.#learnHeight()
    return verdict === 'expired'
  }

  /** Asks for the height, once for all that wait for it. */
  #learnHeight(): void {
    const nowMs = this.#options.clock.now()
    if (nowMs - this.#heightAskedAt < this.againMs) return
    this.#heightAskedAt = nowMs
    void this.#options.askHeight()
  }

  #end(following: Following): void {
    const { signature, lease } = following.submission
    following.callOff()
    following.unwatch()
    lease?.end()
    if (this.#following.get(signature) !== following) return
    this.#following.delete(signature)
    if (following.isDurable) this.#durable--
  }
}
