/**
 * Polls the statuses of all watched signatures together, 256 in one
 * getSignatureStatuses, in a round a slot. The number of calls does not grow with
 * the number of watchers.
 *
 *   round ─┬─ getSignatureStatuses [256]   the urgent signatures first, then those
 *          └─ getSignatureStatuses [256]   that were polled longest ago
 *
 * Source: agave rpc/src/rpc.rs (get_signature_statuses)
 */

import { parsedOrNone } from '../../chains/json/parse.ts'
import { Call, type Priority } from '../../flow/call.ts'
import { nullIfRefused } from '../../runtime/errors.ts'
import { getOrInsert } from '../../runtime/lists.ts'
import { slotAt } from '../../upstream/nodes/solana/slots.ts'
import { type PollerOptions, Rounds } from './rounds.ts'

const MAX_SIGNATURES = 256
/** Calls in one round; signatures that do not fit come first in the next. */
const MAX_CALLS = 8
const DEADLINE_MS = 4_000
/** The longest error as JSON; the cluster's own have a few hundred characters. */
const MAX_ERROR_CHARACTERS = 1_024
/** Statuses are of the newest block, too. */
const SLOT_PARAMS = '[{"commitment":"processed"}]'
const TOO_LONG = 'failed, with an error too long to be passed on'

export const COMMITMENTS = ['processed', 'confirmed', 'finalized'] as const
export type Commitment = (typeof COMMITMENTS)[number]

/** A transaction that a node has seen in a block: its slot, and the error that it failed with, or null. */
export type SignatureStatus = Readonly<NonNullable<ReturnType<typeof readStatus>>>

interface WatchOptions {
  /** Decides if a node's quota runs short, and orders a round. */
  readonly priority: Extract<Priority, 'quote' | 'research'>
  /** The time between two polls. Absent: every round. */
  readonly everyMs?: number
  /**
   * The transaction may already be in a block: polls at once, or as soon as a round may follow the last one.
   */
  readonly isPrompt?: boolean
  /** Called with its part of a call. */
  readonly onAsked?: (calls: number) => void
}

/**
 * Called in each round in which the node knows the transaction; `contextSlot` is the slot of the
 * node's answer.
 */
export type OnStatus = (status: SignatureStatus, contextSlot: number) => void

interface SignatureWatcher {
  readonly onStatus: OnStatus
  readonly watching: WatchOptions
}

/** All watchers of one signature. */
interface WatchedSignature {
  readonly watchers: Set<SignatureWatcher>
  askedAt: number
}

export class StatusPoller {
  readonly #options: PollerOptions
  /** By signature, in the order of their last polls. */
  readonly #watched = new Map<string, WatchedSignature>()
  readonly #slotWatchers = new Set<(slot: number) => void>()
  readonly #rounds: Rounds

  constructor(options: PollerOptions) {
    this.#options = options
    this.#rounds = new Rounds(options, () => this.#round())
  }

  /** The number of watched signatures. */
  get size(): number {
    return this.#watched.size
  }

  /**
   * @param signature  base58 of 64 bytes
   * @returns stops watching
   */
  watch(signature: string, watching: WatchOptions, onStatus: OnStatus): () => void {
    const watcher: SignatureWatcher = { onStatus, watching }
    const { watchers } = getOrInsert(this.#watched, signature, () => ({
      watchers: new Set<SignatureWatcher>(),
      askedAt: Number.NEGATIVE_INFINITY,
    }))
    watchers.add(watcher)
    this.#rounds.schedule(watching.isPrompt)
    return () => {
      if (watchers.delete(watcher) && watchers.size === 0) this.#watched.delete(signature)
    }
  }

  /**
   * Reports the slot of each round's answers. A round without a signature to poll asks for the slot.
   * @returns stops watching
   */
  watchSlots(onSlot: (slot: number) => void): () => void {
    this.#slotWatchers.add(onSlot)
    this.#rounds.schedule(true)
    return () => this.#slotWatchers.delete(onSlot)
  }

  /** Ends all polling. */
  close(): void {
    this.#watched.clear()
    this.#slotWatchers.clear()
    this.#rounds.close()
  }

  /** @returns whether there are watchers */
  async #round(): Promise<boolean> {
    const { quote, research } = this.#due()
    const calls: Promise<void>[] = []
    for (const [priority, due] of [['quote', quote] as const, ['research', research] as const]) {
      for (let at = 0; at < due.length && calls.length < MAX_CALLS; at += MAX_SIGNATURES) {
        calls.push(this.#ask(due.slice(at, at + MAX_SIGNATURES), priority))
      }
    }
    if (calls.length === 0 && this.#slotWatchers.size > 0) calls.push(this.#askSlot())
    await Promise.all(calls)
    return this.#watched.size + this.#slotWatchers.size > 0
  }

  /** The signatures that are due, by the most urgent of their watchers. */
  #due(): Record<WatchOptions['priority'], string[]> {
    const nowMs = this.#options.clock.now()
    const due: Record<WatchOptions['priority'], string[]> = { quote: [], research: [] }
    for (const [signature, { watchers, askedAt }] of this.#watched) {
      let isDue = false
      let priority: WatchOptions['priority'] = 'research'
      for (const { watching } of watchers) {
        isDue ||= nowMs - askedAt >= (watching.everyMs ?? 0)
        if (watching.priority === 'quote') priority = 'quote'
      }
      if (isDue) due[priority].push(signature)
    }
    // A call for urgent signatures is filled up with others.
    const room = (MAX_SIGNATURES - (due.quote.length % MAX_SIGNATURES)) % MAX_SIGNATURES
    due.quote.push(...due.research.splice(0, room))
    return due
  }

  async #ask(signatures: readonly string[], priority: Priority): Promise<void> {
    const askedAt = this.#options.clock.now()
    for (const signature of signatures) {
      const watched = this.#watched.get(signature)!
      watched.askedAt = askedAt
      this.#watched.delete(signature)
      this.#watched.set(signature, watched)
      const part = 1 / signatures.length / watched.watchers.size
      for (const { watching } of watched.watchers) watching.onAsked?.(part)
    }
    const result = await this.#read('getSignatureStatuses', JSON.stringify([signatures]), priority)
    const answer = result === null ? null : readStatuses(result, signatures.length)
    if (answer !== null) this.#report(signatures, answer)
  }

  async #askSlot(): Promise<void> {
    const result = await this.#read('getSlot', SLOT_PARAMS, 'research')
    const slot = result === null ? null : slotAt(result, { start: 0, end: result.length })
    if (slot !== null) this.#reportSlot(slot)
  }

  /** @returns null if it failed: the log has that already, and the next round asks again */
  async #read(method: string, params: string, priority: Priority): Promise<Buffer | null> {
    const { rpc, clock } = this.#options
    const call = Call.of(clock, priority, DEADLINE_MS)
    const reply = await rpc.read(method, params, call).catch(nullIfRefused)
    return reply?.result ?? null
  }

  #reportSlot(slot: number): void {
    for (const onSlot of [...this.#slotWatchers]) onSlot(slot)
  }

  #report(signatures: readonly string[], { contextSlot, statuses }: SignatureStatuses): void {
    this.#reportSlot(contextSlot)
    for (const [at, signature] of signatures.entries()) {
      const status = statuses[at]!
      // A watcher may end other watches.
      const watchers = status === null ? undefined : this.#watched.get(signature)?.watchers
      for (const { onStatus } of [...(watchers ?? [])]) onStatus(status!, contextSlot)
    }
  }
}

type SignatureStatuses = NonNullable<ReturnType<typeof readStatuses>>

/** @returns null if the result does not answer this many signatures */
export function readStatuses(result: Buffer, count: number) {
  const { context, value } = (parsedOrNone(result) ?? {}) as {
    context?: { slot?: unknown }
    value?: unknown
  }
  if (!isSlot(context?.slot) || !Array.isArray(value) || value.length !== count) return null
  return { contextSlot: context.slot, statuses: value.map(readStatus) }
}

function readStatus(value: Readonly<Record<string, unknown>> | null) {
  const { slot, err, confirmationStatus } = value ?? {}
  const commitment = COMMITMENTS.find((name) => name === confirmationStatus)
  if (!isSlot(slot) || commitment === undefined) return null
  return { slot, err: boundedError(err), confirmationStatus: commitment }
}

/**
 * Each watcher gets the error, and it is stored with final statuses. A node could make it as long as
 * its answer.
 */
function boundedError(err: unknown): unknown {
  if (err === undefined || err === null) return null
  return JSON.stringify(err).length <= MAX_ERROR_CHARACTERS ? err : TOO_LONG
}

const isSlot = (value: unknown): value is number => Number.isSafeInteger(value)
