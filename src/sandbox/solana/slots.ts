/**
 * The sandbox chain's time: which slot it is, and which blockhashes may still
 * be named. Nothing ticks: the slot follows from the clock, and is caught up
 * with when somebody asks, at a cost that does not grow with the time away.
 *
 *   oldest usable hash       finalized     confirmed   processed
 *   |<------ 118 slots ----->|<--- 31 ---->|<--- 1 --->|
 *
 * Source: anza-xyz/agave clock/src/lib.rs (MAX_PROCESSING_AGE)
 */

/** How far behind the newest slot each commitment sees, in slots. */
export const SLOTS_BEHIND = { processed: 0, confirmed: 1, finalized: 32 } as const
export type Commitment = keyof typeof SLOTS_BEHIND

const SLOT_MS = 400
/** A blockhash is usable up to this many blocks after its own. */
export const MAX_BLOCKHASH_AGE = 150
/** Hashes of ages 0 to 150. */
const RING_SLOTS = MAX_BLOCKHASH_AGE + 1
/**
 * Slots that went without a block, as some 22 million did on mainnet: whoever
 * mistakes a slot for a block height fails here as there.
 */
const SKIPPED_SLOTS = 22_000_000

export interface LatestBlockhash {
  readonly blockhash: string
  /** The last block height at which a transaction that names it can be processed. */
  readonly lastValidBlockHeight: number
}

export class Slots {
  readonly #now: () => number
  readonly #nextHash: () => string
  readonly #startedAt: number
  readonly #startSlot: number
  /** The hash of slot s is at s mod 151. */
  readonly #hashes: string[] = new Array(RING_SLOTS)
  readonly #slotOf = new Map<string, number>()
  #newest: number

  /**
   * @param firstSlot  the chain begins here and has a full window behind it at once
   * @param nextHash   a new blockhash at each call, base58
   * @param now        Unix time in ms
   */
  constructor(firstSlot: number, nextHash: () => string, now: () => number) {
    this.#now = now
    this.#nextHash = nextHash
    this.#startedAt = now()
    this.#startSlot = firstSlot + MAX_BLOCKHASH_AGE
    this.#newest = firstSlot - 1
    this.catchUp()
  }

  /** @returns whether a new slot has begun. A clock that goes back changes nothing. */
  catchUp(): boolean {
    const slot = this.#startSlot + Math.floor((this.#now() - this.#startedAt) / SLOT_MS)
    if (slot <= this.#newest) return false
    for (let s = Math.max(this.#newest + 1, slot - MAX_BLOCKHASH_AGE); s <= slot; s++) this.#open(s)
    this.#newest = slot
    return true
  }

  slot(commitment: Commitment): number {
    return this.#newest - SLOTS_BEHIND[commitment]
  }

  blockHeight(commitment: Commitment): number {
    return this.slot(commitment) - SKIPPED_SLOTS
  }

  latestBlockhash(commitment: Commitment): LatestBlockhash {
    return {
      blockhash: this.hash(this.slot(commitment)),
      lastValidBlockHeight: this.blockHeight(commitment) + MAX_BLOCKHASH_AGE,
    }
  }

  /** The hash of one of the newest 151 slots. */
  hash(slot: number): string {
    return this.#hashes[slot % RING_SLOTS]!
  }

  /** Is the blockhash young enough to be processed, and old enough for the commitment to have seen it? */
  isUsable(blockhash: string, commitment: Commitment): boolean {
    const slot = this.#slotOf.get(blockhash)
    return slot !== undefined && slot <= this.slot(commitment)
  }

  #open(slot: number): void {
    const at = slot % RING_SLOTS
    this.#slotOf.delete(this.#hashes[at]!)
    this.#hashes[at] = this.#nextHash()
    this.#slotOf.set(this.#hashes[at], slot)
  }
}
