/**
 * Reads, shared: those who ask the same at one time get one upstream's answer,
 * each with an id of its own. What is about the whole cluster is kept for a part
 * of a slot, what can change no more for as long as there is room; what is about
 * accounts is only joined while it is under way.
 *
 *   a: getBalance x  |---asked-----------------|
 *   b: getBalance x         |---joined---------|
 *   c: getBalance x                               |---asked---|
 *
 * A node looks at its state at some time between question and answer, so whoever
 * joins reads what a slow answer could have shown him as well. It is another
 * matter for a client that has just been shown a confirmation: no answer to it
 * is of a question from before, nor of an older slot (confirmations.ts).
 */
import { LRUCache } from 'lru-cache'
import type { CancellationScope, Client } from '../runtime/cancellation.ts'
import type { Clock } from '../runtime/clock.ts'
import { type CacheState, Coalescer } from '../upstream/coalescing.ts'
import type { RpcReply, SolanaRpc } from '../upstream/nodes/solana-rpc.ts'
import { FINALIZED, type Level, levelOf, slotOf } from '../upstream/nodes/solana-slots.ts'
import { Confirmations, type Seen, seenIn } from './confirmations.ts'

/** Answers that are the same for everybody. */
const CLUSTER_WIDE: ReadonlySet<string> = new Set([
  'getSlot',
  'getBlockHeight',
  'getLatestBlockhash',
  'getRecentPrioritizationFees',
])
/**
 * Whoever joins has the rest of the flight's time, not a time of his own, so a
 * flight that takes unusually long is left to those who are on it.
 */
const JOINED_WITHIN_MS = 1_000
/** Room for transactions that are finalized. */
const MAX_FINAL_BYTES = 16 * 1024 * 1024

/** A read as it goes upstream. */
export interface Question {
  readonly method: string
  /** Its params as JSON text, built anew from what was checked. */
  readonly params: string
  readonly deadlineMs: number
}

/** Whom an answer was asked of: a node, with somebody else, or before. */
export type Source = 'asked' | 'joined' | 'kept'

export interface Answer {
  readonly reply: RpcReply
  readonly source: Exclude<Source, 'kept'>
}

/** An answer, and what every reader of it is to know. */
interface Shared {
  readonly reply: RpcReply
  readonly seen: Seen | null
  readonly keepMs: number
}

export interface ReadsOptions {
  readonly rpc: Pick<SolanaRpc, 'read'>
  readonly clock: Clock
  /** How long cluster-wide answers are kept, 0 for not at all; null: nothing is shared. */
  readonly keepMs: number | null
}

export class Reads {
  /** Answers so far, by where they came from. */
  readonly counts: Record<Source, number> = { asked: 0, joined: 0, kept: 0 }
  readonly confirmations: Confirmations
  readonly #rpc: Pick<SolanaRpc, 'read'>
  readonly #clock: Clock
  readonly #keepMs: number | null
  readonly #flights: Coalescer<Shared>
  readonly #final: LRUCache<string, Shared>

  constructor({ rpc, clock, keepMs }: ReadsOptions) {
    this.#rpc = rpc
    this.#clock = clock
    this.#keepMs = keepMs
    this.confirmations = new Confirmations(clock)
    this.#flights = new Coalescer((shared) => shared.keepMs, clock)
    this.#final = new LRUCache({
      maxSize: MAX_FINAL_BYTES,
      // What is held is the whole memory that the body is a view of.
      sizeCalculation: ({ reply }, key) => reply.body.buffer.byteLength + key.length,
    })
  }

  /** Those of the whole cluster, and those of accounts while they are under way. */
  get cache(): CacheState {
    return { ...this.counts, shared: 0, entries: this.#flights.size, bytes: null }
  }

  /** Transactions that are finalized. */
  get finals(): Pick<CacheState, 'entries' | 'bytes'> {
    return { entries: this.#final.size, bytes: this.#final.calculatedSize }
  }

  /** A kept answer, without waiting; null where a node has to be asked, or somebody's answer waited for. */
  kept(question: Question, client: Client): RpcReply | null {
    const { method, params } = question
    const isFlying = CLUSTER_WIDE.has(method)
    if (this.#keepMs === null || !(isFlying || method === 'getTransaction')) return null
    const key = keyOf(question)
    const shared = isFlying
      ? this.#flights.atHand(key, client, this.#since(client))
      : (this.#final.get(key) ?? null)
    if (shared === null) return null
    const minSlot = isFlying ? this.confirmations.slotFor(client, levelOf(method, params)) : 0
    if (isOlder(method, shared.reply, minSlot)) return null
    this.counts.kept++
    if (shared.seen !== null) this.confirmations.note(client, shared.seen)
    return shared.reply
  }

  /**
   * @param caller  whose account it is on, unless others asked before
   * @throws GatewayError  upstream_*
   */
  async read(question: Question, scope: CancellationScope): Promise<Answer> {
    const { client } = scope
    const level = levelOf(question.method, question.params)
    const minSlot = this.confirmations.slotFor(client, level)
    const [shared, source] = await this.#take(question, level, minSlot, scope)
    this.counts[source]++
    if (shared.seen !== null) this.confirmations.note(client, shared.seen)
    return { reply: shared.reply, source }
  }

  async #take(
    question: Question,
    level: Level,
    minSlot: number,
    scope: CancellationScope,
  ): Promise<[Shared, Answer['source']]> {
    if (this.#keepMs === null) return [await this.#ask(question, level, minSlot, scope), 'asked']
    const key = keyOf(question)
    let isAsked = false
    const shared = await this.#flights.join(
      key,
      scope,
      async (all) => {
        isAsked = true
        return this.#keep(key, question, level, await this.#ask(question, level, minSlot, all))
      },
      this.#since(scope.client),
    )
    if (isAsked) return [shared, 'asked']
    // Who asked first may have seen less than this one.
    if (!isOlder(question.method, shared.reply, minSlot)) return [shared, 'joined']
    return [await this.#ask(question, level, minSlot, scope), 'asked']
  }

  /** When what a client is given must have been asked for, at the earliest. */
  #since(client: Client): number {
    const oldest = this.#clock.now() - JOINED_WITHIN_MS - this.#keepMs!
    return Math.max(this.confirmations.since(client), oldest)
  }

  async #ask(
    { method, params, deadlineMs }: Question,
    level: Level,
    minSlot: number,
    scope: CancellationScope,
  ) {
    const reply = await this.#rpc.read(method, params, deadlineMs, scope, 'build', minSlot)
    return { reply, seen: seenIn(method, level, reply), keepMs: 0 }
  }

  #keep(key: string, { method, params }: Question, level: Level, shared: Shared): Shared {
    if (isFinal(method, params, level, shared.reply)) this.#final.set(key, shared)
    const isKept = shared.reply.error === null && CLUSTER_WIDE.has(method)
    return isKept ? { ...shared, keepMs: this.#keepMs! } : shared
  }
}

const keyOf = ({ method, params }: Question): string => `${method} ${params}`

/** @param minSlot  0 for any */
function isOlder(method: string, reply: RpcReply, minSlot: number): boolean {
  return minSlot > 0 && (slotOf(method, reply) ?? minSlot) < minSlot
}

/** A transaction that is found finalized stays as it is; a context beside it would not. */
function isFinal(method: string, params: string, level: Level, { result }: RpcReply): boolean {
  if (method !== 'getTransaction' || level !== FINALIZED || params.includes('"withContext":true'))
    return false
  return result !== null && result.toString('latin1', 0, 4) !== 'null'
}
