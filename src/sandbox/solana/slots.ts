/**
 * The sandbox chain's time: the current slot and the usable blockhashes. There is no
 * timer: the slot follows from the clock and is caught up with at each request, at a
 * cost that does not grow with the time in between.
 *
 *   oldest usable hash       finalized     confirmed   processed
 *   |<------ 118 slots ----->|<--- 31 ---->|<--- 1 --->|
 *
 * A node that lags sees the same picture further back.
 *
 * Source: anza-xyz/agave clock/src/lib.rs (MAX_PROCESSING_AGE)
 */

/** How far behind the newest slot each commitment sees, in slots. */
export const SLOTS_BEHIND = { processed: 0, confirmed: 1, finalized: 32 } as const
export type Commitment = keyof typeof SLOTS_BEHIND

export const SLOT_MS = 400
/** A blockhash is usable up to this many blocks after its own. */
export const MAX_BLOCKHASH_AGE = 150
/** How far behind the newest slot a node can be, in slots: the past is kept for it, nearly seven minutes. */
export const MAX_LAG = 1_000
const RING_SLOTS = MAX_LAG + MAX_BLOCKHASH_AGE + 1
/**
 * Slots without a block, as some 22 million on mainnet: code that mistakes a slot for a
 * block height fails here as there.
 */
const SKIPPED_SLOTS = 22_000_000

export interface LatestBlockhash {
  readonly blockhash: string
  /** The last block height at which a transaction that names it can be processed. */
  readonly lastValidBlockHeight: number
}

/** The slots that there are, and their hashes. */
export class SlotClock {
  readonly #now: () => number
  readonly #nextHash: () => string
  readonly #startedAt: number
  readonly #startSlot: number
  /** Slot s is at s mod the length. */
  readonly #ring: { readonly slot: number; readonly hash: string }[] = new Array(RING_SLOTS)
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
    const slot = this.#slotAt(this.#now())
    if (slot <= this.#newest) return false
    for (let s = Math.max(this.#newest + 1, slot - MAX_BLOCKHASH_AGE); s <= slot; s++) this.#open(s)
    this.#newest = slot
    return true
  }

  get newest(): number {
    return this.#newest
  }

  /** The newest slot at another time, Unix ms: at most `MAX_LAG` behind, and never ahead. */
  newestAt(now: number): number {
    return Math.min(Math.max(this.#slotAt(now), this.#newest - MAX_LAG), this.#newest)
  }

  /** The blockhash of a slot still in the ring. Slots that passed without a request get theirs now. */
  hash(slot: number): string {
    const entry = this.#ring[slot % RING_SLOTS]
    return entry?.slot === slot ? entry.hash : this.#open(slot)
  }

  slotOf(blockhash: string): number | undefined {
    return this.#slotOf.get(blockhash)
  }

  #slotAt(now: number): number {
    return this.#startSlot + Math.floor((now - this.#startedAt) / SLOT_MS)
  }

  #open(slot: number): string {
    const at = slot % RING_SLOTS
    const old = this.#ring[at]
    if (old !== undefined) this.#slotOf.delete(old.hash)
    const hash = this.#nextHash()
    this.#ring[at] = { slot, hash }
    this.#slotOf.set(hash, slot)
    return hash
  }
}

/** The slots as a node sees them. */
export class NodeSlots {
  readonly #clock: SlotClock
  readonly #newest: () => number

  /** @param newest  of those that the node has reached */
  constructor(clock: SlotClock, newest: () => number = () => clock.newest) {
    this.#clock = clock
    this.#newest = newest
  }

  slot(commitment: Commitment): number {
    return this.#newest() - SLOTS_BEHIND[commitment]
  }

  blockHeight(commitment: Commitment): number {
    return this.slot(commitment) - SKIPPED_SLOTS
  }

  latestBlockhash(commitment: Commitment): LatestBlockhash {
    return {
      blockhash: this.#clock.hash(this.slot(commitment)),
      lastValidBlockHeight: this.blockHeight(commitment) + MAX_BLOCKHASH_AGE,
    }
  }

  /** Is the blockhash young enough to be processed, and old enough for the commitment to have seen it? */
  isUsable(blockhash: string, commitment: Commitment): boolean {
    const slot = this.#clock.slotOf(blockhash)
    return (
      slot !== undefined &&
      slot <= this.slot(commitment) &&
      this.slot('processed') - slot <= MAX_BLOCKHASH_AGE
    )
  }
}
