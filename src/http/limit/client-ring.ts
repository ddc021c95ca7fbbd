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
 * windows do, and a short ring stays in the processor's caches.
 *
 * Source: Briggs and Torczon, "An Efficient Representation for Sparse Sets" (1993)
 */
import { randomFillSync } from 'node:crypto'

/** Slots of the first ring: 24 KiB with their index. */
const FIRST_CLIENTS = 2 ** 10

/** The length of a seed, in 32-bit words: one per value of each of a client's eight bytes. */
export const SEED_WORDS = 8 * 256

/** What `find` returns for a client without a slot. */
export const NO_SLOT = -1

const SLOT = 4
const HI = 0
const LO = 1
const SPENT = 2
const ROW = 3

/** A client, and what it has spent in the window. */
export interface ClientSpent {
  /** Upper 32 bits of the client, signed. */
  readonly hi: number
  readonly lo: number
  readonly spent: number
}

export class ClientRing {
  readonly #maxClients: number
  readonly #seed: Int32Array
  /** The ring, and one slot behind it that all clients share for which there is none. */
  #slots!: Int32Array
  /** Slots of the ring. */
  #length!: number
  /** By row: a slot's number. */
  #index!: Int32Array
  /** The last row, and the mask of all. */
  #lastRow!: number
  #tail = 0
  #count = 0
  /** The empty row at which the last `find` ended. */
  #row = 0

  /**
   * @param maxClients  clients that a window counts separately
   * @param seed        `SEED_WORDS` random words that place clients in the index; kept, not copied
   */
  constructor(maxClients: number, seed: Int32Array) {
    this.#maxClients = maxClients
    this.#seed = seed
    this.#make(Math.min(maxClients, FIRST_CLIENTS))
  }

  #make(length: number): void {
    const rows = 2 ** Math.ceil(Math.log2(Math.max(1, 2 * length)))
    this.#length = length
    this.#slots = new Int32Array((length + 1) * SLOT)
    this.#index = new Int32Array(rows)
    this.#lastRow = rows - 1
  }

  /** Begins a window, in which no client has spent anything. */
  begin(): void {
    this.#tail = this.#slot(this.#count)
    this.#count = 0
    this.#slots[this.#length * SLOT + SPENT] = 0
  }

  /**
   * @param hi  upper 32 bits of the client, signed
   * @param lo  lower 32 bits, signed
   * @returns the client's slot, that of all further clients if there is none left, or `NO_SLOT`
   */
  find(hi: number, lo: number): number {
    const slots = this.#slots
    const index = this.#index
    const lastRow = this.#lastRow
    let row = tabulationHash(this.#seed, hi, lo) & lastRow
    for (;;) {
      const slot = index[row]!
      const at = slot * SLOT
      const nth = slot - this.#tail
      if ((nth < 0 ? nth + this.#length : nth) >= this.#count || slots[at + ROW] !== row) break
      if (slots[at + HI] === hi && slots[at + LO] === lo) return slot
      row = (row + 1) & lastRow
    }
    this.#row = row
    return this.#count < this.#maxClients ? NO_SLOT : this.#length
  }

  /** Opens a slot, with nothing spent, for the client for which `find` has just returned `NO_SLOT`. @returns it */
  open(hi: number, lo: number): number {
    if (this.#count === this.#length) this.#grow(hi, lo)
    const slot = this.#slot(this.#count++)
    const at = slot * SLOT
    this.#slots[at + HI] = hi
    this.#slots[at + LO] = lo
    this.#slots[at + SPENT] = 0
    this.#slots[at + ROW] = this.#row
    this.#index[this.#row] = slot
    return slot
  }

  /** Whether it is the slot of those for which there is none of their own. */
  isShared(slot: number): boolean {
    return slot === this.#length
  }

  spent(slot: number): number {
    return this.#slots[slot * SLOT + SPENT]!
  }

  spend(slot: number, spent: number): void {
    this.#slots[slot * SLOT + SPENT] = spent
  }

  /** The clients that have spent most in the window, in descending order; of equals, the one that began first. */
  most(count: number): ClientSpent[] {
    const most: ClientSpent[] = []
    for (let nth = 0; nth < this.#count; nth++) {
      const at = this.#slot(nth) * SLOT
      const spent = this.#slots[at + SPENT]!
      if (most.length === count && spent <= (most.at(-1)?.spent ?? Infinity)) continue
      if (most.length === count) most.pop()
      let place = most.length
      while (place > 0 && most[place - 1]!.spent < spent) place--
      most.splice(place, 0, { hi: this.#slots[at + HI]!, lo: this.#slots[at + LO]!, spent })
    }
    return most
  }

  /** The window's nth slot; its length is the head. */
  #slot(nth: number): number {
    const slot = this.#tail + nth
    return slot < this.#length ? slot : slot - this.#length
  }

  /** Moves the window into a ring for all, and finds the client's row in it. */
  #grow(hi: number, lo: number): void {
    const slots = this.#slots
    const at = Array.from({ length: this.#count }, (_, nth) => this.#slot(nth) * SLOT)
    this.#make(this.#maxClients)
    this.#tail = this.#count = 0
    for (const from of at) {
      this.find(slots[from + HI]!, slots[from + LO]!)
      this.spend(this.open(slots[from + HI]!, slots[from + LO]!), slots[from + SPENT]!)
    }
    this.find(hi, lo)
  }
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
