/**
 * The sandbox chain's time: the current slot, what of it is confirmed, and the usable
 * blockhashes. There is no timer: the slot follows from the clock and is caught up with
 * at each request, at a cost that does not grow with the time in between.
 *
 *   oldest usable hash       finalized     confirmed   processed
 *   |<------ 118 slots ----->|<--- 31 ---->|<--- 1 --->|
 *
 * A node that lags sees the same picture further back. The length of a slot can
 * change at any time, and the cluster can migrate to Alpenglow:
 *
 *   processed   .. 99 100 101 102 .. 125 101 102 103 ..   slots after the genesis block,
 *   confirmed   .. 98  99  99  99 ..  99 100 101 102 ..   here 100, are deleted, and their
 *   finalized   .. 67  68  68  68 ..  68 100 101 102 ..   numbers used again
 *                      |<- migration ->|
 *
 * Source: anza-xyz/agave clock/src/lib.rs (MAX_PROCESSING_AGE) · SIMD-0384, SIMD-0525
 */

/** How far behind the newest slot each commitment sees under TowerBFT, in slots. */
export const SLOTS_BEHIND = { processed: 0, confirmed: 1, finalized: 32 } as const
export type Commitment = keyof typeof SLOTS_BEHIND

/** How long a slot takes unless it is changed. */
export const SLOT_MS = 200
/** Under Alpenglow, a block is final after about this long: its authors' goal. */
const FINALITY_MS = 150
/** A blockhash is usable up to this many blocks after its own. */
export const MAX_BLOCKHASH_AGE = 150
/** The most slots that a node can be behind: the past is kept for it, more than three minutes. */
export const MAX_LAG = 1_000
const RING_SLOTS = MAX_LAG + MAX_BLOCKHASH_AGE + 1
/**
 * Slots without a block, as about 22 million on mainnet: code that mistakes a slot for a
 * block height fails here as there.
 */
const SKIPPED_SLOTS = 22_000_000

export interface LatestBlockhash {
  readonly blockhash: string
  /** The last block height at which a transaction with this blockhash can be processed. */
  readonly lastValidBlockHeight: number
}

/** A time of slots of one length. */
interface Stretch {
  /** When its first slot began, Unix ms. */
  readonly at: number
  readonly slot: number
  readonly slotMs: number
}

/**
 * What makes blocks final. While the cluster migrates, blocks hold only votes, and nothing is
 * confirmed.
 */
type Consensus = 'tower' | 'migrating' | 'alpenglow'

/** The existing slots, and their hashes. */
export class SlotClock {
  readonly #now: () => number
  readonly #nextHash: () => string
  /** The oldest first. */
  readonly #stretches: Stretch[]
  /** Slot s is at s mod the length. */
  readonly #ring: ({ readonly slot: number; readonly hash: string } | undefined)[] = new Array(RING_SLOTS)
  readonly #slotOf = new Map<string, number>()
  #newest: number
  #consensus: Consensus = 'tower'
  /** The newest slot when the consensus last changed: the genesis block, for Alpenglow. */
  #since: number
  /** What was confirmed and finalized at that time. */
  #floors = { confirmed: 0, finalized: 0 }
  /** The slot at which the migration ends. */
  #migratedAt = 0

  /**
   * @param firstSlot  the chain begins here and has a full window behind it at once
   * @param nextHash   a new blockhash at each call, base58
   * @param now        Unix time in ms
   */
  constructor(firstSlot: number, nextHash: () => string, now: () => number) {
    this.#now = now
    this.#nextHash = nextHash
    this.#stretches = [{ at: now(), slot: firstSlot + MAX_BLOCKHASH_AGE, slotMs: SLOT_MS }]
    this.#newest = firstSlot - 1
    this.#since = firstSlot - 1
    this.catchUp()
  }

  /** @returns whether a new slot has begun. A clock that goes back changes nothing. */
  catchUp(): boolean {
    const now = this.#now()
    if (this.#consensus === 'migrating' && this.#slotAt(now) >= this.#migratedAt) this.#endMigration()
    const slot = this.#slotAt(now)
    if (slot <= this.#newest) return false
    for (let s = Math.max(this.#newest + 1, slot - MAX_BLOCKHASH_AGE); s <= slot; s++) this.#open(s)
    this.#newest = slot
    return true
  }

  get newest(): number {
    return this.#newest
  }

  get isMigrating(): boolean {
    return this.#consensus === 'migrating'
  }

  /** Alpenglow's first block, for a node that has reached this slot; null before. */
  genesisAt(newest: number): number | null {
    return this.#consensus === 'alpenglow' && newest > this.#since ? this.#since : null
  }

  /** From now on a slot takes this long. */
  setPace(slotMs: number): void {
    this.catchUp()
    this.#begin({ at: this.#now(), slot: this.#newest, slotMs })
  }

  /**
   * Goes over to Alpenglow.
   * @param slots  of the migration, all of which are deleted; 0 for none
   */
  migrate(slots: number): void {
    this.#change(slots === 0 ? 'alpenglow' : 'migrating')
    this.#migratedAt = this.#since + 1 + slots
  }

  /** Goes back to TowerBFT, which no cluster does. */
  restore(): void {
    if (this.#consensus !== 'tower') this.#change('tower')
  }

  /** The newest slot at a commitment, for a node that has reached `newest`. */
  slotAt(commitment: Commitment, newest: number): number {
    const behind = SLOTS_BEHIND[commitment]
    if (commitment === 'processed' || newest <= this.#since) return newest - behind
    const floor = this.#floors[commitment]
    if (this.#consensus === 'migrating') return floor
    if (this.#consensus === 'tower') return Math.max(newest - behind, floor)
    const slots = Math.max(1, Math.ceil(FINALITY_MS / this.#last.slotMs))
    return Math.max(newest - slots, this.#floors.confirmed)
  }

  /** The newest slot at another time, Unix ms: at most `MAX_LAG` behind, and never ahead. */
  newestAt(now: number): number {
    return Math.min(Math.max(this.#slotAt(now), this.#newest - MAX_LAG), this.#newest)
  }

  /** The time when the newest slot was `slots` lower than at `now`; Unix ms. */
  timeBehind(slots: number, now: number): number {
    const slot = this.#slotAt(now) - slots
    const stretch =
      this.#stretches.findLast((one) => one.at <= now && one.slot <= slot) ?? this.#stretches[0]!
    return stretch.at + (slot - stretch.slot) * stretch.slotMs
  }

  /** The blockhash of a slot still in the ring. Slots that passed without a request get theirs now. */
  hash(slot: number): string {
    const entry = this.#ring[slot % RING_SLOTS]
    return entry?.slot === slot ? entry.hash : this.#open(slot)
  }

  slotOf(blockhash: string): number | undefined {
    return this.#slotOf.get(blockhash)
  }

  get #last(): Stretch {
    return this.#stretches.at(-1)!
  }

  #slotAt(now: number): number {
    const { at, slot, slotMs } = this.#stretches.findLast((one) => one.at <= now) ?? this.#stretches[0]!
    return slot + Math.floor((now - at) / slotMs)
  }

  /** Begins a stretch, and drops those that are beyond any node's lag. */
  #begin(stretch: Stretch): void {
    this.#stretches.push(stretch)
    const oldest = this.#newest - MAX_LAG
    while (this.#stretches.length > 1 && this.#stretches[1]!.slot < oldest) this.#stretches.shift()
  }

  #change(consensus: Consensus): void {
    this.catchUp()
    const floors = {
      confirmed: this.slotAt('confirmed', this.#newest),
      finalized: this.slotAt('finalized', this.#newest),
    }
    this.#floors = floors
    this.#since = this.#newest
    this.#consensus = consensus
  }

  /** Deletes the slots after the genesis block: their numbers are reused, with other hashes. */
  #endMigration(): void {
    const { at, slot, slotMs } = this.#last
    for (const [i, entry] of this.#ring.entries()) {
      if (entry === undefined || entry.slot <= this.#since) continue
      this.#slotOf.delete(entry.hash)
      this.#ring[i] = undefined
    }
    this.#newest = this.#since
    this.#consensus = 'alpenglow'
    this.#begin({ at: at + (this.#migratedAt - slot) * slotMs, slot: this.#since + 1, slotMs })
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

  /** @param newest  the newest that the node has reached */
  constructor(clock: SlotClock, newest: () => number = () => clock.newest) {
    this.#clock = clock
    this.#newest = newest
  }

  slot(commitment: Commitment): number {
    return this.#clock.slotAt(commitment, this.#newest())
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
