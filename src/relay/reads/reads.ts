/**
 * Reads are coalesced: identical requests at one time get one node's answer, each
 * with its own id. Cluster-wide answers are cached for a part of a slot, and
 * finalized transactions while there is room. A read of accounts is only joined
 * while it is in progress.
 *
 *   a: getBalance x  |---asked-----------------|
 *   b: getBalance x         |---joined---------|
 *   c: getBalance x                               |---asked---|
 *
 * A node reads its state at some time between question and answer, so a client
 * that joins a call gets nothing that a slow answer of its own could not have
 * shown. A client that has just seen a confirmation is the exception: its answers
 * were asked for after that, and are of no older slot (confirmations.ts).
 */
import type { Call } from '../../flow/call.ts'
import type { CancellationScope, Client } from '../../flow/cancellation.ts'
import { headOf, Pieces } from '../../flow/pieces.ts'
import { type BoundedCache, boundedCache } from '../../runtime/bounded-cache.ts'
import type { Clock } from '../../runtime/clock.ts'
import methods from '../../runtime/resources/solrpc-methods.json' with { type: 'json' }
import { named } from '../../runtime/tape.ts'
import { type CacheState, Coalescer } from '../../upstream/answers/coalescing.ts'
import type { ReadReply, SolanaRpc } from '../../upstream/nodes/solana/rpc.ts'
import { type CommitmentLevel, FINALIZED, isOlder, levelOf } from '../../upstream/nodes/solana/slots.ts'
import { Confirmations, type SeenSlots, seenIn } from './confirmations.ts'

/** Methods whose answer is the same for every client. */
const CLUSTER_WIDE: ReadonlySet<string> = new Set(methods.clusterWide)
/**
 * A joining request gets the rest of the call's deadline, not its own, so a call that takes unusually long
 * isn't joined any more.
 */
const JOINED_WITHIN_MS = 1_000
/** Cluster-wide answers change each slot: none is kept for longer than half of one. */
const KEPT_SLOTS = 0.5
/** The cache of finalized transactions. */
const MAX_FINAL_BYTES = 16 * 1024 * 1024

/** A read, as it goes to the nodes. */
interface RelayedRead {
  readonly method: string
  /** JSON text, built from validated values. */
  readonly paramsJson: string
}

/** The source of an answer: a new call to a node, a call in progress, or the cache. */
export type ReadSource = 'asked' | 'coalesced' | 'cached'

/** A reply that several clients may get. */
interface SharedReply {
  readonly reply: ReadReply
  readonly seen: SeenSlots | null
  readonly keepMs: number
}

interface ReadsOptions {
  readonly rpc: Pick<SolanaRpc, 'reads' | 'slotMs'>
  readonly clock: Clock
  /** The longest that cluster-wide answers are cached, 0 for not at all; null: nothing is shared. */
  readonly keepMs: number | null
}

export class RelayReads {
  /** Answers so far, by source. */
  readonly counts: Record<ReadSource, number> = { asked: 0, coalesced: 0, cached: 0 }
  readonly confirmations: Confirmations
  readonly #options: ReadsOptions
  readonly #calls: Coalescer<SharedReply>
  readonly #final: BoundedCache<string, SharedReply>

  constructor(options: ReadsOptions) {
    const { clock } = options
    this.#options = options
    this.confirmations = new Confirmations(clock)
    this.#calls = new Coalescer((shared) => shared.keepMs, named(clock, 'reads'))
    this.#final = boundedCache({
      max: MAX_FINAL_BYTES,
      // The body is a view: all the memory behind it is held.
      sizeOf: ({ reply: { body } }, key) =>
        (body instanceof Pieces ? body.memoryBytes : body.buffer.byteLength) + key.length,
    })
  }

  /** Cluster-wide answers, and account reads in progress. */
  get cache(): CacheState {
    return { ...this.counts, entries: this.#calls.size, bytes: null }
  }

  /** The cache of finalized transactions. */
  get finals(): Pick<CacheState, 'entries' | 'bytes'> {
    return { entries: this.#final.size, bytes: this.#final.calculatedSize }
  }

  /** A cached answer, without waiting; null if it takes a call, or one in progress has to be awaited. */
  cached(read: RelayedRead, client: Client): ReadReply | null {
    const { method, paramsJson } = read
    const isClusterWide = CLUSTER_WIDE.has(method)
    if (this.#options.keepMs === null || !(isClusterWide || method === 'getTransaction')) return null
    const key = keyOf(read)
    const shared = isClusterWide
      ? this.#calls.cached(key, client, this.#since(client))
      : (this.#final.get(key) ?? null)
    if (shared === null) return null
    const minSlot = isClusterWide ? this.confirmations.slotFor(client, levelOf(method, paramsJson)) : 0
    if (isOlder(method, shared.reply, minSlot)) return null
    this.counts.cached++
    if (shared.seen !== null) this.confirmations.note(client, shared.seen)
    return shared.reply
  }

  /**
   * @param call  its account is charged, unless another request's call is joined
   * @throws GatewayError  upstream_*
   */
  async answer(read: RelayedRead, call: Call) {
    const { client } = call.scope
    const level = levelOf(read.method, read.paramsJson)
    const minSlot = this.confirmations.slotFor(client, level)
    let source: Exclude<ReadSource, 'cached'> = 'coalesced'
    const ask = async (scope: CancellationScope): Promise<SharedReply> => {
      source = 'asked'
      return this.#sharedOf(
        read,
        level,
        await this.#options.rpc.reads.read({ ...read, minSlot }, call.in(scope)),
      )
    }
    let shared =
      this.#options.keepMs === null
        ? await ask(call.scope)
        : await this.#calls.join(keyOf(read), call.scope, ask, this.#since(client))
    // The client that asked first may have seen less than this one.
    if (source === 'coalesced' && isOlder(read.method, shared.reply, minSlot)) shared = await ask(call.scope)
    this.counts[source]++
    if (shared.seen !== null) this.confirmations.note(client, shared.seen)
    return { reply: shared.reply, source }
  }

  /** The earliest time at which a client's answer may have been requested, by the monotonic clock. */
  #since(client: Client): number {
    const oldest = this.#options.clock.now() - JOINED_WITHIN_MS - this.#options.keepMs!
    return Math.max(this.confirmations.since(client), oldest)
  }

  #sharedOf(read: RelayedRead, level: CommitmentLevel, reply: ReadReply): SharedReply {
    const { method } = read
    const { rpc, keepMs: mostMs } = this.#options
    const isKept = mostMs !== null && reply.error === null && CLUSTER_WIDE.has(method)
    const keepMs = isKept ? Math.min(mostMs, rpc.slotMs * KEPT_SLOTS) : 0
    const shared = { reply, seen: seenIn(method, level, reply), keepMs }
    if (mostMs !== null && isFinal(read, level, reply)) this.#final.set(keyOf(read), shared)
    return shared
  }
}

const keyOf = ({ method, paramsJson }: RelayedRead): string => `${method} ${paramsJson}`

/** Not cached with `withContext`: its slot changes. */
function isFinal(
  { method, paramsJson }: RelayedRead,
  level: CommitmentLevel,
  { result }: ReadReply,
): boolean {
  if (method !== 'getTransaction' || level !== FINALIZED || paramsJson.includes('"withContext":true'))
    return false
  return result !== null && headOf(result, 4).toString('latin1') !== 'null'
}
