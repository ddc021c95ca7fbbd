/**
 * Transactions that a node has accepted and nobody has seen in a block yet: the
 * identical bytes go out again, to everybody and every two seconds, until the
 * transaction is seen, its blockhash has expired or its retries are used up.
 *
 *   accepted ──2 s── again ──2 s── again ... seen | expired | no retries left
 *
 * Who submits the same bytes within that time is told what is known. Nothing
 * here survives a stop, which ends all of it. Other instances know by a claim
 * that it is on its way here.
 */
import { CLOCK, type Clock } from '../runtime/clock.ts'
import type { RpcReply } from '../upstream/nodes/solana-rpc.ts'
import type { Outgoing, SolanaSubmissions } from '../upstream/nodes/solana-submissions.ts'
import { BLOCKHASH_BLOCKS, type Blockhashes, SLOT_MS } from './blockhashes.ts'
import type { Lease } from './leases.ts'
import type { Notes } from './receipts.ts'
import type { Retries } from './retries.ts'
import type { StatusPoller } from './statuses.ts'

/** Between two sends. */
export const AGAIN_MS = 2_000
/** How often a status is worth a question. */
const STATUS_MS = 1_000
const DEADLINE_MS = 5_000
/** How long a blockhash is good for that did not pass here, counted from the acceptance. */
const BLOCKHASH_MS = BLOCKHASH_BLOCKS * SLOT_MS
/** Some 4 KiB each; what comes beyond is not sent again. */
const MAX_PENDING = 1_000
/** Transactions that are sent again at one time; the next ones wait a slot. */
const MAX_SENDING = 16

/** A submission on its way. */
export interface SharedCall {
  readonly outgoing: Outgoing
  /** In base58. */
  readonly blockhash: string
  readonly isDurableNonce: boolean
  readonly retries: Retries
  readonly notes: Notes
  /** What the nodes say. */
  readonly reply: Promise<RpcReply>
  /** That it is this instance that sends; null where no other has to know. */
  readonly claim: Lease | null
}

/** What is told of one transaction that is sent again: nothing by which anybody finds it. */
export interface Rebroadcast {
  /** Since a node accepted it. */
  readonly ageMs: number
  /** How often it was sent again. */
  readonly sends: number
  readonly retriesLeft: number
  readonly nextInMs: number
  /** Null where its blockhash did not pass here, or it does not expire. */
  readonly lastValidBlockHeight: number | null
}

interface Entry {
  readonly flight: SharedCall
  acceptedAt: number | null
  sends: number
  nextAt: number
  /** It is only watched from now on. */
  isSpent: boolean
  /** Of whatever waits for its time. */
  callOff: () => void
  unwatch: () => void
}

export interface PendingOptions {
  readonly submissions: Pick<SolanaSubmissions, 'resend'>
  readonly statuses: Pick<StatusPoller, 'watch'>
  readonly blockhashes: Blockhashes
  readonly clock?: Clock
}

export class Pending {
  readonly #submissions: Pick<SolanaSubmissions, 'resend'>
  readonly #statuses: Pick<StatusPoller, 'watch'>
  readonly #blockhashes: Blockhashes
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  #sending = 0
  #isClosed = false

  constructor({ submissions, statuses, blockhashes, clock = CLOCK }: PendingOptions) {
    this.#submissions = submissions
    this.#statuses = statuses
    this.#blockhashes = blockhashes
    this.#clock = clock
  }

  /** The submission of the same bytes that is under way, or whose transaction is being sent again. */
  find({ signature, transaction }: Outgoing): SharedCall | null {
    const entry = this.#entries.get(signature)
    if (entry === undefined || entry.isSpent || entry.flight.outgoing.transaction !== transaction) return null
    return entry.flight
  }

  /** Whether a transaction of this signature is on its way, as far as is known. */
  has(signature: string): boolean {
    return this.#entries.has(signature)
  }

  /** Takes a submission that has just gone out, as far as there is room. */
  follow(flight: SharedCall): void {
    const { signature } = flight.outgoing
    const before = this.#entries.get(signature)
    if (before !== undefined) this.#end(before)
    if (this.#isClosed || this.#entries.size >= MAX_PENDING) return
    const entry: Entry = {
      flight,
      acceptedAt: null,
      sends: 0,
      nextAt: 0,
      isSpent: false,
      callOff: () => {},
      unwatch: () => {},
    }
    this.#entries.set(signature, entry)
    flight.reply.then(
      ({ error }) => (error === null ? this.#accepted(entry) : this.#end(entry)),
      () => this.#end(entry),
    )
  }

  /** What is being sent again, the oldest first. */
  list(): Rebroadcast[] {
    const nowMs = this.#clock.now()
    const shown: Rebroadcast[] = []
    for (const { flight, acceptedAt, sends, nextAt, isSpent } of this.#entries.values()) {
      if (acceptedAt === null || isSpent) continue
      shown.push({
        ageMs: Math.round(nowMs - acceptedAt),
        sends,
        retriesLeft: flight.retries.left,
        nextInMs: Math.max(0, Math.round(nextAt - nowMs)),
        lastValidBlockHeight: this.#blockhashes.lastValidHeight(flight.blockhash),
      })
    }
    return shown
  }

  /** Nothing is sent from now on. */
  close(): void {
    this.#isClosed = true
    for (const entry of this.#entries.values()) this.#end(entry)
  }

  #accepted(entry: Entry): void {
    if (this.#entries.get(entry.flight.outgoing.signature) !== entry) return
    const { outgoing, notes } = entry.flight
    entry.acceptedAt = this.#clock.now()
    const watching = { priority: 'research', everyMs: STATUS_MS } as const
    entry.unwatch = this.#statuses.watch(outgoing.signature, watching, ({ slot, err }) => {
      notes.landed(slot, err !== null)
      this.#end(entry)
    })
    this.#wake(entry, AGAIN_MS)
  }

  #wake(entry: Entry, ms: number): void {
    entry.nextAt = this.#clock.now() + ms
    entry.callOff = this.#clock.after(ms, () => this.#again(entry))
  }

  #again(entry: Entry): void {
    const { outgoing, notes, retries, claim } = entry.flight
    if (entry.isSpent || !this.#mayLand(entry)) {
      this.#end(entry)
    } else if (this.#sending >= MAX_SENDING) {
      this.#wake(entry, SLOT_MS)
    } else if (retries.take()) {
      entry.sends++
      this.#sending++
      this.#wake(entry, AGAIN_MS)
      claim?.accepted()
      void this.#submissions.resend(outgoing, DEADLINE_MS, notes).finally(() => this.#sending--)
    } else {
      // It may still land by itself, which its receipt should tell.
      entry.isSpent = true
      claim?.end()
      const watchedMs = this.#clock.now() - entry.acceptedAt!
      this.#wake(entry, Math.max(BLOCKHASH_MS - watchedMs, AGAIN_MS))
    }
  }

  /** Whether a block may still take it. */
  #mayLand({ flight, acceptedAt }: Entry): boolean {
    if (flight.isDurableNonce) return true
    const verdict = this.#blockhashes.verdict(flight.blockhash)
    if (verdict === 'unknown') return this.#clock.now() - acceptedAt! < BLOCKHASH_MS
    return verdict === 'valid'
  }

  #end(entry: Entry): void {
    entry.callOff()
    entry.unwatch()
    entry.flight.claim?.end()
    const { signature } = entry.flight.outgoing
    if (this.#entries.get(signature) === entry) this.#entries.delete(signature)
  }
}
