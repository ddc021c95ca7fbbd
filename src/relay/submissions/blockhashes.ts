/**
 * Learns blockhashes and the cluster's block height from answers that pass the
 * relay. They explain a node's "blockhash not found": the node lags if the
 * blockhash is still valid, and the transaction is too old if it has expired.
 *
 *   height known            about the highest by now: a block each slot
 *   ───────┤·······················┤
 *   expired │       unclear        │ valid        by last valid block height
 *
 * Only a height that a node has confirmed says that a blockhash has expired. The
 * pace of slots only shows when it is worth asking for it.
 *
 * Source: agave runtime/src/bank.rs (MAX_PROCESSING_AGE)
 */

import { parsedOrNone } from '../../chains/json/parse.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { ReadReply, SolanaRpc } from '../../upstream/nodes/solana/rpc.ts'

/** The number of blocks for which a blockhash is valid. What depends on it is an estimate. */
const BLOCKHASH_BLOCKS = 150
const MAX_BLOCKHASHES = 1_000
const TELL_HEIGHT: ReadonlySet<string> = new Set(['getLatestBlockhash', 'getBlockHeight', 'getEpochInfo'])
/** Answers about blockhashes aren't longer. */
const MAX_ANSWER_BYTES = 1_024

type BlockhashVerdict = 'valid' | 'expired' | 'unclear' | 'unknown'

interface BlockhashesOptions {
  readonly rpc: Pick<SolanaRpc, 'slotMs'>
  readonly clock: Clock
}

export class Blockhashes {
  readonly #options: BlockhashesOptions
  /** Last valid block heights, by blockhash in base58; the oldest first. */
  readonly #known = new Map<string, number>()
  /** The highest that any node has reported, at any commitment, and when; 0 for none. */
  #height = 0
  #heightAt = 0
  /** The highest that a node has reported as confirmed, and when one was last reported. */
  #confirmedHeight = 0
  #confirmedAt = Number.NEGATIVE_INFINITY

  constructor(options: BlockhashesOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#known.size
  }

  /**
   * Learns from an answer on its way to the client.
   * @param paramsJson  as rebuilt: it has `processed` if that was requested
   * @returns whether it tells of a higher height than was known
   */
  learn(method: string, paramsJson: string, { result }: Pick<ReadReply, 'result'>): boolean {
    if (!TELL_HEIGHT.has(method)) return false
    const known = this.#height + this.#confirmedHeight
    const isShort = Buffer.isBuffer(result) && result.length <= MAX_ANSWER_BYTES
    const answer = isShort ? parsedOrNone(result) : null
    const members = (answer ?? {}) as Readonly<Record<string, unknown>>
    const isConfirmed = !paramsJson.includes('"processed"')
    if (method === 'getLatestBlockhash') this.#remember(members.value)
    else this.#observe(method === 'getEpochInfo' ? members.blockHeight : answer, isConfirmed)
    return this.#height + this.#confirmedHeight > known
  }

  /**
   * @param blockhash  base58
   * @returns `unclear` if it may have expired in the meantime; `unknown` if it did not pass the relay
   */
  verdict(blockhash: string): BlockhashVerdict {
    const last = this.#known.get(blockhash)
    return last === undefined ? 'unknown' : this.verdictAt(last)
  }

  /** The verdict on blockhashes of this last valid block height. */
  verdictAt(last: number): Exclude<BlockhashVerdict, 'unknown'> {
    if (this.#confirmedHeight > last) return 'expired'
    return this.#heightByNow() <= last ? 'valid' : 'unclear'
  }

  /** No existing blockhash has a higher last valid block height; null while no height is known. */
  highestLastValid(): number | null {
    return this.#height === 0 ? null : this.#heightByNow() + BLOCKHASH_BLOCKS
  }

  /**
   * Approximately when a transaction with it expires, for ordering several; monotonic, ms. One that has
   * expired, or did not pass the relay, counts as fresh: nothing is known that makes it urgent.
   */
  expiresAt(blockhash: string): number {
    const last = this.#known.get(blockhash)
    const left = last === undefined ? 0 : last - this.#heightByNow() + 1
    return this.#options.clock.now() + this.#options.rpc.slotMs * (left > 0 ? left : BLOCKHASH_BLOCKS)
  }

  /** How long ago a node last reported a confirmed height, ms. */
  get confirmedAgeMs(): number {
    return this.#options.clock.now() - this.#confirmedAt
  }

  /** The last block height at which a transaction with it can land; null if it did not pass the relay. */
  lastValidHeight(blockhash: string): number | null {
    return this.#known.get(blockhash) ?? null
  }

  #remember(value: unknown): void {
    const { blockhash, lastValidBlockHeight } = (value ?? {}) as Record<string, unknown>
    if (typeof blockhash !== 'string' || !isHeight(lastValidBlockHeight)) return
    this.#known.delete(blockhash)
    this.#known.set(blockhash, lastValidBlockHeight)
    if (this.#known.size > MAX_BLOCKHASHES) this.#known.delete(this.#known.keys().next().value!)
    // Nodes may one day give blockhashes another lifetime, so this height isn't theirs.
    this.#observe(lastValidBlockHeight - BLOCKHASH_BLOCKS, false)
  }

  #observe(height: unknown, isConfirmed: boolean): void {
    if (!isHeight(height)) return
    if (isConfirmed) {
      this.#confirmedHeight = Math.max(this.#confirmedHeight, height)
      this.#confirmedAt = this.#options.clock.now()
    }
    // A lower height is a lagging node's, and says nothing about the cluster.
    if (height < this.#height) return
    this.#height = height
    this.#heightAt = this.#options.clock.now()
  }

  /** The height by now, at a block each slot. */
  #heightByNow(): number {
    return this.#height + Math.floor((this.#options.clock.now() - this.#heightAt) / this.#options.rpc.slotMs)
  }
}

const isHeight = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
