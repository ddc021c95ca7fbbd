/**
 * The one that asks what became of transactions: every signature that somebody
 * watches, together, 256 in one getSignatureStatuses. However many watch, it is
 * the same few calls.
 *
 *   round ─┬─ getSignatureStatuses [256]   the more urgent first, then whoever
 *          └─ getSignatureStatuses [256]   was asked for longest ago
 *
 * Source: agave rpc/src/rpc.rs (get_signature_statuses)
 */

import { parsedOrNone } from '../chains/json/parse.ts'
import { CLOCK, type Clock } from '../runtime/clock.ts'
import { GatewayError } from '../runtime/errors.ts'
import type { Priority } from '../upstream/governor.ts'
import type { SolanaRpc } from '../upstream/nodes/solana-rpc.ts'

/** A slot. */
const ROUND_MS = 400
const MAX_SIGNATURES = 256
/** Calls in one round; whoever does not fit in is the first of the next. */
const MAX_CALLS = 8
const DEADLINE_MS = 4_000
/** Of an error as JSON; the longest that the cluster has is some hundred. */
const MAX_ERROR_CHARACTERS = 1_024
const TOO_LONG = 'failed, and the node says it at too great length'

export const COMMITMENTS = ['processed', 'confirmed', 'finalized'] as const
export type Commitment = (typeof COMMITMENTS)[number]

/** A transaction that a node has seen in a block. */
export interface SignatureStatus {
  /** That of its block. */
  readonly slot: number
  /** Why it failed; null where it did not. */
  readonly err: unknown
  readonly confirmationStatus: Commitment
}

export interface Watching {
  /** Its rank where a node's quota runs short, and in a round. */
  readonly priority: Extract<Priority, 'quote' | 'research'>
  /** How often it is worth a question; each round where absent. */
  readonly everyMs?: number
  /** May be known already: asked for at once, where the last round is over long enough. */
  readonly isPrompt?: boolean
}

/** Told in each round in which the transaction is known; `contextSlot` is where the node stood that answered. */
export type OnStatus = (status: SignatureStatus, contextSlot: number) => void

interface Watcher {
  readonly onStatus: OnStatus
  readonly watching: Watching
}

/** A signature, and all who watch it. */
interface Watched {
  readonly watchers: Set<Watcher>
  askedAt: number
}

export interface StatusPollerOptions {
  readonly rpc: Pick<SolanaRpc, 'read'>
  readonly clock?: Clock
}

export class StatusPoller {
  readonly #rpc: Pick<SolanaRpc, 'read'>
  readonly #clock: Clock
  /** In the order in which they were asked for last. */
  readonly #watched = new Map<string, Watched>()
  #callOff: (() => void) | null = null
  /** When the last round began. */
  #roundAt = Number.NEGATIVE_INFINITY
  #isAsking = false
  #isClosed = false

  constructor({ rpc, clock = CLOCK }: StatusPollerOptions) {
    this.#rpc = rpc
    this.#clock = clock
  }

  /** Signatures that are watched. */
  get size(): number {
    return this.#watched.size
  }

  /**
   * @param signature  base58 of 64 bytes
   * @returns ends it
   */
  watch(signature: string, watching: Watching, onStatus: OnStatus): () => void {
    const watcher: Watcher = { onStatus, watching }
    let watched = this.#watched.get(signature)
    if (watched === undefined) {
      watched = { watchers: new Set(), askedAt: Number.NEGATIVE_INFINITY }
      this.#watched.set(signature, watched)
    }
    const { watchers } = watched
    watchers.add(watcher)
    this.#schedule(watching.isPrompt)
    return () => {
      if (watchers.delete(watcher) && watchers.size === 0) this.#watched.delete(signature)
    }
  }

  /** Asks nothing more, whoever watches. */
  close(): void {
    this.#isClosed = true
    this.#watched.clear()
    this.#callOff?.()
  }

  /** There are rounds only while somebody watches. */
  #schedule(isPrompt = false): void {
    if (this.#isAsking || this.#isClosed || (this.#callOff !== null && !isPrompt)) return
    this.#callOff?.()
    const restMs = this.#roundAt + ROUND_MS - this.#clock.now()
    this.#callOff = this.#clock.after(isPrompt ? Math.max(0, restMs) : ROUND_MS, () => {
      this.#callOff = null
      void this.#round()
    })
  }

  async #round(): Promise<void> {
    this.#isAsking = true
    this.#roundAt = this.#clock.now()
    const { quote, research } = this.#due()
    const calls: Promise<void>[] = []
    for (const [priority, due] of [['quote', quote] as const, ['research', research] as const]) {
      for (let at = 0; at < due.length && calls.length < MAX_CALLS; at += MAX_SIGNATURES) {
        calls.push(this.#ask(due.slice(at, at + MAX_SIGNATURES), priority))
      }
    }
    await Promise.all(calls)
    this.#isAsking = false
    if (this.#watched.size > 0) this.#schedule()
  }

  /** The signatures that are worth a question now, by the most urgent of their watchers. */
  #due(): Record<Watching['priority'], string[]> {
    const nowMs = this.#clock.now()
    const due: Record<Watching['priority'], string[]> = { quote: [], research: [] }
    for (const [signature, { watchers, askedAt }] of this.#watched) {
      let isDue = false
      let priority: Watching['priority'] = 'research'
      for (const { watching } of watchers) {
        isDue ||= nowMs - askedAt >= (watching.everyMs ?? 0)
        if (watching.priority === 'quote') priority = 'quote'
      }
      if (isDue) due[priority].push(signature)
    }
    // What is urgent takes along what is not, up to a whole call.
    const room = (MAX_SIGNATURES - (due.quote.length % MAX_SIGNATURES)) % MAX_SIGNATURES
    due.quote.push(...due.research.splice(0, room))
    return due
  }

  async #ask(signatures: readonly string[], priority: Priority): Promise<void> {
    const askedAt = this.#clock.now()
    for (const signature of signatures) {
      const watched = this.#watched.get(signature)!
      watched.askedAt = askedAt
      this.#watched.delete(signature)
      this.#watched.set(signature, watched)
    }
    const params = JSON.stringify([signatures])
    try {
      const { result } = await this.#rpc.read('getSignatureStatuses', params, DEADLINE_MS, null, priority)
      const answer = result === null ? null : readStatuses(result, signatures.length)
      if (answer !== null) this.#tell(signatures, answer)
    } catch (error) {
      // The log has it already; the next round asks again.
      if (!(error instanceof GatewayError)) throw error
    }
  }

  #tell(signatures: readonly string[], { contextSlot, statuses }: Statuses): void {
    for (const [at, signature] of signatures.entries()) {
      const status = statuses[at]!
      // Who is told may end other watches.
      const watchers = status === null ? undefined : this.#watched.get(signature)?.watchers
      for (const { onStatus } of [...(watchers ?? [])]) onStatus(status!, contextSlot)
    }
  }
}

interface Statuses {
  readonly contextSlot: number
  readonly statuses: readonly (SignatureStatus | null)[]
}

/** @returns null for what is no answer to so many signatures */
export function readStatuses(result: Buffer, count: number): Statuses | null {
  const { context, value } = (parsedOrNone(result) ?? {}) as {
    context?: { slot?: unknown }
    value?: unknown
  }
  if (!isSlot(context?.slot) || !Array.isArray(value) || value.length !== count) return null
  return { contextSlot: context.slot, statuses: value.map(readStatus) }
}

function readStatus(value: Readonly<Record<string, unknown>> | null): SignatureStatus | null {
  const { slot, err, confirmationStatus } = value ?? {}
  const commitment = COMMITMENTS.find((name) => name === confirmationStatus)
  if (!isSlot(slot) || commitment === undefined) return null
  return { slot, err: boundedError(err), confirmationStatus: commitment }
}

/** It is told to all who watch, and kept with what is final: a node could make it as long as its answer. */
function boundedError(err: unknown): unknown {
  if (err === undefined || err === null) return null
  return JSON.stringify(err).length <= MAX_ERROR_CHARACTERS ? err : TOO_LONG
}

const isSlot = (value: unknown): value is number => Number.isSafeInteger(value)
