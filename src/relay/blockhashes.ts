/**
 * What answers that pass tell of blockhashes, and of how far the cluster is: so
 * that a node's "blockhash not found" can be told apart. It is about the node
 * where the blockhash is still good, and about the transaction where it is not.
 *
 *   known to be reached        what it may be by now: a block each slot
 *   ───────┤·······················┤
 *   expired │      cannot be told  │ valid        by last valid block height
 *
 * Source: agave runtime/src/bank.rs (MAX_PROCESSING_AGE)
 */

import { parsedOrNone } from '../chains/json/parse.ts'
import { CLOCK, type Clock } from '../runtime/clock.ts'
import type { RpcReply } from '../upstream/nodes/solana-rpc.ts'
import { SLOT_MS } from '../upstream/nodes/solana-slots.ts'

/** How many blocks a blockhash is good for. */
export const BLOCKHASH_BLOCKS = 150
const MAX_BLOCKHASHES = 1_000
/** An answer with more is none about a blockhash. */
const MAX_ANSWER_BYTES = 1_024

export type Verdict = 'valid' | 'expired' | 'unclear' | 'unknown'

export class Blockhashes {
  readonly #clock: Clock
  /** Last valid block heights, by blockhash in base58; the oldest first. */
  readonly #known = new Map<string, number>()
  /** The highest that was seen, by whatever node and at whatever commitment, and when. */
  #height = 0
  #heightAt = 0
  /** The highest that a node has seen confirmed. */
  #confirmedHeight = 0

  constructor(clock: Clock = CLOCK) {
    this.#clock = clock
  }

  get size(): number {
    return this.#known.size
  }

  /**
   * Notes what an answer tells on its way to the caller.
   * @param paramsJson  as rebuilt: `processed` stands there where it was asked for
   */
  learn(method: string, paramsJson: string, { result }: RpcReply): void {
    if (method !== 'getLatestBlockhash' && method !== 'getBlockHeight') return
    const answer = result === null || result.length > MAX_ANSWER_BYTES ? null : parsedOrNone(result)
    const isConfirmed = !paramsJson.includes('"processed"')
    if (method === 'getBlockHeight') this.#observe(answer, isConfirmed)
    else this.#remember((answer as Record<string, unknown> | null | undefined)?.value, isConfirmed)
  }

  /**
   * @param blockhash  base58
   * @returns `unclear` where it may have expired meanwhile; `unknown` where it did not pass here
   */
  verdict(blockhash: string): Verdict {
    const last = this.#known.get(blockhash)
    if (last === undefined) return 'unknown'
    if (this.#confirmedHeight > last) return 'expired'
    return this.#highestPossible() <= last ? 'valid' : 'unclear'
  }

  /** The last block height at which a transaction with it can land; null where it did not pass here. */
  lastValidHeight(blockhash: string): number | null {
    return this.#known.get(blockhash) ?? null
  }

  #remember(value: unknown, isConfirmed: boolean): void {
    const { blockhash, lastValidBlockHeight } = (value ?? {}) as Record<string, unknown>
    if (typeof blockhash !== 'string' || !isHeight(lastValidBlockHeight)) return
    this.#known.delete(blockhash)
    this.#known.set(blockhash, lastValidBlockHeight)
    if (this.#known.size > MAX_BLOCKHASHES) this.#known.delete(this.#known.keys().next().value!)
    this.#observe(lastValidBlockHeight - BLOCKHASH_BLOCKS, isConfirmed)
  }

  #observe(height: unknown, isConfirmed: boolean): void {
    if (!isHeight(height)) return
    if (isConfirmed && height > this.#confirmedHeight) this.#confirmedHeight = height
    // A lower one is of a node that lags, and tells nothing of the cluster.
    if (height < this.#height) return
    this.#height = height
    this.#heightAt = this.#clock.now()
  }

  /**
   * The height by now, at a block each slot. Where slots are shorter than SLOT_MS, an expired blockhash
   * passes for valid a little longer, which costs a send within the bound on retries.
   */
  #highestPossible(): number {
    return this.#height + Math.floor((this.#clock.now() - this.#heightAt) / SLOT_MS)
  }
}

const isHeight = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
