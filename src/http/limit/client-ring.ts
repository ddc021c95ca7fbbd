/**
 * What each client has spent in a window: a ring of slots, one for each client, in the order in which the
 * window opened them.
 *
 *        tail ┐            ┌ head
 *     ┌───┬───┬───┬───┬───┬───┬───┬───┐
 *     │ · │ · │ A │ B │ C │   │   │   │    slot: client, hi | client, lo | spent | its row of the index
 *     └───┴───┴───┴───┴───┴───┴───┴───┘
 *              the window's arc
 *
 * A window is the arc from its first slot to the head. The next window moves the tail to the head and
 * clears nothing.
 *
 * An open-addressed index finds a client's slot. A row of it counts only if its slot is in the arc and
 * names this row; whatever else is in it counts as empty, so that the index is never cleared either.
 * Within a window rows are only added: a client is found again, because the rows that were probed on the
 * way to its own are still there. The index has at least two rows for each slot, so probing always ends
 * at an empty one. No client is evicted, and a flood of addresses gains nothing.
 *
 * The ring begins with `FIRST_CLIENTS` slots, and a window that counts more is given the whole one: few
 * windows do, and a short ring stays in the processor's caches. One in shared memory is whole from the start.
 *
 * Source: Briggs and Torczon, "An Efficient Representation for Sparse Sets" (1993)
 */
import { randomFillSync } from 'node:crypto'

/** Slots of the first ring: 24 KiB with their index. */
const FIRST_CLIENTS = 2 ** 10

/** The length of a seed, in 32-bit words: one per value of each of a client's eight bytes. */
export const SEED_WORDS = 8 * 256

const SLOT = 4
// The words of a slot. Slots begin at multiples of `SLOT`, so that `slot | SPENT` is a word's place.
const HI = 0
const LO = 1
export const SPENT = 2
const ROW = 3

/** A client, and what it has spent in the window. */
export interface ClientSpent {
  /** Upper 32 bits of the client, signed. */
  readonly hi: number
  readonly lo: number
  readonly spent: number
}

export class ClientRing {
  /** Where the window's arc begins. */
  tail = 0
  /** Words of the window's slots. */
  size = 0
  /** Words of the slots of a window of the most clients. */
  readonly #maxSize: number
  readonly #seed: Int32Array
  /**
   * The ring, then one shared slot for clients that have none, then the index: all in one array, whose
   * address and length a decision reads once. Slots and rows are places in it.
   */
  words!: Int32Array
  /** Where the ring ends: the place of the shared slot. */
  #end!: number
  /** The first row of the index. */
  #rows!: number
  /** The number of the last row, and the mask of all. */
  #lastRow!: number

  /**
   * @param maxClients  clients that a window counts separately
   * @param seed        `SEED_WORDS` random words that place clients in the index; kept, not copied
   * @param shared      `ringWords` words of zero, which several threads use
   */
  constructor(maxClients: number, seed: Int32Array, shared: Int32Array | null = null) {
    this.#maxSize = maxClients * SLOT
    this.#seed = seed
    if (shared === null) this.#make(Math.min(maxClients, FIRST_CLIENTS))
    else this.#make(maxClients, shared)
  }

  #make(length: number, words: Int32Array = new Int32Array(ringWords(length))): void {
    this.#end = length * SLOT
    this.#rows = this.#end + SLOT
    this.#lastRow = words.length - this.#rows - 1
    this.words = words
  }

  /** Begins a window, in which no client has spent anything. */
  begin(): void {
    this.tail = this.#slot(this.size)
    this.size = 0
    this.words[this.#end + SPENT] = 0
  }

  /**
   * @param hi  upper 32 bits of the client, signed
   * @param lo  lower 32 bits, signed
   * @returns the client's slot, or that of all further clients if there is none left; for a client without one the
   *   complement of the row at which the search ended, which is negative
   */
  find(hi: number, lo: number): number {
    const words = this.words
    const rows = this.#rows
    const lastRow = this.#lastRow
    const tail = this.tail
    const size = this.size
    let hash = tabulationHash(this.#seed, hi, lo)
    for (;;) {
      const row = (rows + (hash & lastRow)) | 0
      const slot = words[row]!
      const nth = (slot - tail) | 0
      // A slot of the arc that names the client is the client's, by whichever row it was found.
      const isInArc = (nth < 0 ? (nth + this.#end) | 0 : nth) < size
      if (isInArc && words[slot | LO] === lo && words[slot | HI] === hi) return slot
      if (!isInArc || words[slot | ROW] !== row) {
        return size < this.#maxSize ? ~row : this.#end
      }
      hash = (hash + 1) | 0
    }
  }

  /**
   * Opens a slot for a client that has none.
   * @param found  what `find` has just returned for it
   * @returns the slot
   */
  open(hi: number, lo: number, found: number, spent: number): number {
    const row = this.size === this.#end ? this.#grow(hi, lo) : ~found
    const words = this.words
    const slot = this.#slot(this.size)
    this.size = (this.size + SLOT) | 0
    words[slot | HI] = hi
    words[slot | LO] = lo
    words[slot | SPENT] = spent
    words[slot | ROW] = row
    words[row] = slot
    return slot
  }

  /** Whether it is the slot shared by clients without one of their own. */
  isShared(slot: number): boolean {
    return slot === this.#end
  }

  /**
   * The clients that have spent most in the window, in descending order; ties go to the one that began first.
   */
  most(count: number): ClientSpent[] {
    const words = this.words
    const most: ClientSpent[] = []
    for (let nth = 0; nth < this.size; nth += SLOT) {
      const slot = this.#slot(nth)
      const spent = words[slot | SPENT]!
      if (most.length === count && spent <= (most.at(-1)?.spent ?? Infinity)) continue
      if (most.length === count) most.pop()
      let place = most.length
      while (place > 0 && most[place - 1]!.spent < spent) place--
      most.splice(place, 0, { hi: words[slot | HI]!, lo: words[slot | LO]!, spent })
    }
    return most
  }

  /** The window's slot at this distance from its first; at the window's size, the head. */
  #slot(distance: number): number {
    const slot = (this.tail + distance) | 0
    return slot < this.#end ? slot : (slot - this.#end) | 0
  }

  /** Moves the window into the full-size ring, and finds the client's row in it. @returns the row */
  #grow(hi: number, lo: number): number {
    const words = this.words
    const slots = Array.from({ length: this.size / SLOT }, (_, nth) => this.#slot(nth * SLOT))
    this.#make(this.#maxSize / SLOT)
    this.tail = this.size = 0
    for (const slot of slots) {
      const [hi, lo] = [words[slot | HI]!, words[slot | LO]!]
      this.open(hi, lo, this.find(hi, lo), words[slot | SPENT]!)
    }
    return ~this.find(hi, lo)
  }
}

/** The words of a whole ring with its index. */
export function ringWords(maxClients: number): number {
  return (maxClients + 1) * SLOT + 2 ** Math.ceil(Math.log2(Math.max(1, 2 * maxClients)))
}

/**
 * Places a client in the index by simple tabulation: one random word per byte. Without the seed an
 * attacker cannot choose clients that collide, so linear probing stays short.
 *
 * Source: Pătraşcu and Thorup, "The Power of Simple Tabulation Hashing" (2012)
 */
export function tabulationHash(seed: Int32Array, hi: number, lo: number): number {
  return (
    seed[hi & 0xff]! ^
    seed[0x100 | ((hi >>> 8) & 0xff)]! ^
    seed[0x200 | ((hi >>> 16) & 0xff)]! ^
    seed[0x300 | (hi >>> 24)]! ^
    seed[0x400 | (lo & 0xff)]! ^
    seed[0x500 | ((lo >>> 8) & 0xff)]! ^
    seed[0x600 | ((lo >>> 16) & 0xff)]! ^
    seed[0x700 | (lo >>> 24)]!
  )
}

/** A seed from the system's generator. */
export function randomSeed(): Int32Array {
  return randomFillSync(new Int32Array(SEED_WORDS))
}
