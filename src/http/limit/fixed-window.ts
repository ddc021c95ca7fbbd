/**
 * Fixed-window counters: one for all clients and one per client, decided
 * together. A request is admitted if both have room; a refusal costs neither.
 *
 * Clients are in one open-addressed table, four words to a row:
 *
 *     client, hi | client, lo | window that wrote the row | spent in it
 *
 * A row that an older window wrote counts as empty, so a new window empties the
 * table without touching it. Within a window rows are only added, never removed:
 * a counted client is found again, because the rows that were probed on the way
 * to its own are still there. Only an admitted request opens a row, so a window
 * opens no more rows than the global limit. The table is at least twice as long
 * as its clients, so probing always ends at an empty row. No client is evicted, and
 * a flood of addresses gains nothing.
 *
 * The table begins with room for `FIRST_CLIENTS`, and a window that counts more is
 * given the whole one: few windows do, and a short table stays in the processor's caches.
 *
 * Past `MAX_CLIENTS`, clients that are new in a window share one counter: hard
 * on them, but no client escapes its limit by it, and no client that was counted
 * before is affected.
 *
 * Source: spec §8
 */
import { randomFillSync } from 'node:crypto'

/** Clients that one window counts separately; further ones share a counter. Their table takes 32 MiB, once touched. */
export const MAX_CLIENTS = 2 ** 20

/** Clients that the first table has room for, in 32 KiB. */
const FIRST_CLIENTS = 2 ** 10

/** The length of a seed, in 32-bit words: one per value of each of a client's eight bytes. */
export const SEED_WORDS = 8 * 256

/** Which limit refused a request. */
export type RefusedBy = 'client' | 'global'

export interface FixedWindowOptions {
  /** Requests per client in a window, or `Infinity`. */
  readonly clientMax: number
  /** Requests of all clients in a window, or `Infinity`. */
  readonly globalMax: number
  readonly windowMs: number
  /** `SEED_WORDS` random words that place clients in the table; kept, not copied. */
  readonly seed?: Int32Array
  /** Rows of the table that a window may open; `MAX_CLIENTS` by default. */
  readonly maxClients?: number
}

/** What is known of a window that a store counts for all instances. */
export interface WindowCounts {
  /** The window's number by the store's clock; 0 if none is known. */
  readonly number: number
  readonly clientSpent: number
  readonly globalSpent: number
}

/** The store's decision on a request, and the window after it. */
export interface WindowDecision extends WindowCounts {
  readonly refusedBy: RefusedBy | null
  readonly remainingMs: number
}

const ROW = 4
const HI = 0
const LO = 1
const WINDOW = 2
const SPENT = 3

const MAX_INT32 = 2 ** 31 - 1

export class FixedWindow {
  readonly clientMax: number
  readonly globalMax: number
  readonly windowMs: number

  #table!: Int32Array
  #lastRow!: number
  /** The row that the clients beyond `MAX_CLIENTS` share. */
  #sharedRow!: number
  /** The clients that the table has room for. */
  #room!: number
  readonly #seed: Int32Array
  readonly #maxClients: number

  // Windows are numbered as they occur. Zero is what the table is filled with,
  // and at one second or more each, 31 bits outlast the process.
  #window = 1
  #endMs = -Infinity
  #number = 0
  #globalSpent = 0
  #opened = 0

  #nowMs = -Infinity
  #row = 0
  #clientSpent = 0
  #refusedBy: RefusedBy | null = null

  /** @throws TypeError when a limit, the window's length or the seed is out of range */
  constructor(options: FixedWindowOptions) {
    const { clientMax, globalMax, windowMs, seed = randomSeed(), maxClients = MAX_CLIENTS } = options
    if (!isLimit(clientMax) || !isLimit(globalMax)) {
      throw new TypeError('A limit must be an integer from 1 to 2,147,483,647, or Infinity.')
    }
    if (!Number.isSafeInteger(windowMs) || windowMs < 1_000) {
      throw new TypeError('A window must be an integer of at least 1,000 ms.')
    }
    if (seed.length !== SEED_WORDS) throw new TypeError(`A seed must be ${SEED_WORDS} words long.`)

    this.clientMax = clientMax
    this.globalMax = globalMax
    this.windowMs = windowMs
    this.#seed = seed
    // Without a limit per client, none is counted.
    this.#maxClients = clientMax === Infinity ? 0 : Math.min(globalMax, maxClients)
    this.#makeTable(Math.min(this.#maxClients, FIRST_CLIENTS))
  }

  #makeTable(room: number): void {
    const rows = 2 ** Math.ceil(Math.log2(Math.max(1, 2 * room)))
    this.#room = room
    this.#table = new Int32Array((rows + 1) * ROW)
    this.#lastRow = (rows - 1) * ROW
    this.#sharedRow = rows * ROW
  }

  /**
   * Spends one request, or refuses it and spends nothing.
   *
   * @param hi    upper 32 bits of the client, signed or not
   * @param lo    lower 32 bits
   * @param nowMs monotonic clock, at least 0; a clock that steps back stays in the current window
   */
  take(hi: number, lo: number, nowMs: number): boolean {
    if (!this.peek(hi, lo, nowMs)) return false
    this.#spend(hi, lo, 1)
    return true
  }

  /** Spends for work that is done already: as much of the cost as is left. */
  charge(hi: number, lo: number, nowMs: number, cost: number): void {
    this.peek(hi, lo, nowMs)
    const affordable = Math.min(cost, this.clientRemaining, this.globalRemaining)
    if (affordable > 0) this.#spend(hi, lo, affordable)
  }

  #spend(hi: number, lo: number, cost: number): void {
    this.#clientSpent += cost
    this.#globalSpent += cost
    this.#write(hi, lo)
  }

  /** Writes what the client has spent into its row. */
  #write(hi: number, lo: number): void {
    const isNew = this.#table[this.#row + WINDOW] !== this.#window
    if (isNew && this.#opened === this.#room && this.#room < this.#maxClients) {
      this.#grow()
      this.#row = this.#find(hi | 0, lo | 0)
    }
    const table = this.#table
    const row = this.#row
    if (isNew) {
      table[row + HI] = hi
      table[row + LO] = lo
      table[row + WINDOW] = this.#window
      this.#opened++
    }
    table[row + SPENT] = this.#clientSpent
  }

  /** Whether this many requests have room now; spends nothing. An unused window has room for any number. */
  peek(hi: number, lo: number, nowMs: number, cost = 1): boolean {
    if (nowMs >= this.#endMs) this.#turn(nowMs)
    const row = this.#find(hi | 0, lo | 0)
    this.#nowMs = nowMs
    this.#row = row
    this.#clientSpent = this.#table[row + WINDOW] === this.#window ? this.#table[row + SPENT]! : 0
    this.#refusedBy =
      this.clientRemaining < Math.min(cost, this.clientMax)
        ? 'client'
        : this.globalRemaining < Math.min(cost, this.globalMax)
          ? 'global'
          : null
    return this.#refusedBy === null
  }

  /** What all clients have spent in the current window. */
  globalSpent(nowMs: number): number {
    return nowMs >= this.#endMs ? 0 : this.#globalSpent
  }

  /** This window's counts for the store: what the store said last, and what this instance admitted alone since. */
  view(hi: number, lo: number, nowMs: number): WindowCounts {
    this.peek(hi, lo, nowMs)
    // A shared counter says nothing about one of its clients.
    const clientSpent = this.#row === this.#sharedRow ? 0 : this.#clientSpent
    return { number: this.#number, clientSpent, globalSpent: this.#globalSpent }
  }

  /**
   * Takes over the store's decision, so that this window goes on from there if it
   * has to decide alone. It then begins and ends with the store's window.
   * @returns whether the request was admitted
   */
  adopt(hi: number, lo: number, nowMs: number, decision: WindowDecision): boolean {
    const { number, clientSpent, globalSpent, refusedBy, remainingMs } = decision
    if (number !== this.#number) this.#begin(number)
    this.#endMs = nowMs + remainingMs
    this.#nowMs = nowMs
    const row = this.#find(hi | 0, lo | 0)
    this.#row = row
    this.#refusedBy = refusedBy
    // The store does not know yet what this instance admitted alone in the meantime.
    const ownSpent = this.#table[row + WINDOW] === this.#window ? this.#table[row + SPENT]! : 0
    this.#globalSpent = Math.max(this.#globalSpent, globalSpent)
    if (row === this.#sharedRow || clientSpent <= ownSpent) {
      this.#clientSpent = row === this.#sharedRow ? clientSpent : ownSpent
    } else {
      this.#clientSpent = clientSpent
      this.#write(hi, lo)
    }
    return refusedBy === null
  }

  // The four getters below are about the last `take`, `charge`, `peek` or `adopt`: read them before the next.

  /** The limit that refused, or null. The client's if both did. */
  get refusedBy(): RefusedBy | null {
    return this.#refusedBy
  }

  /** What the client has left in this window. */
  get clientRemaining(): number {
    return Math.max(0, this.clientMax - this.#clientSpent)
  }

  /** What all clients together have left in this window. */
  get globalRemaining(): number {
    return Math.max(0, this.globalMax - this.#globalSpent)
  }

  /** Milliseconds until the window ends and both counters start anew; above 0. */
  get remainingMs(): number {
    return this.#endMs - this.#nowMs
  }

  #turn(nowMs: number): void {
    const { windowMs } = this
    if (this.#endMs === -Infinity) {
      this.#endMs = nowMs - (nowMs % windowMs) + windowMs
      this.#begin(0)
    } else {
      const turns = Math.floor((nowMs - this.#endMs) / windowMs) + 1
      this.#endMs += turns * windowMs
      this.#begin(this.#number === 0 ? 0 : this.#number + turns)
    }
  }

  #begin(number: number): void {
    this.#number = number
    this.#window++
    this.#globalSpent = 0
    this.#opened = 0
  }

  /** Moves the window's clients into a table for all. */
  #grow(): void {
    const small = this.#table
    this.#makeTable(this.#maxClients)
    for (let from = 0; from < small.length; from += ROW) {
      if (small[from + WINDOW] !== this.#window) continue
      const row = this.#find(small[from + HI]!, small[from + LO]!)
      for (let word = 0; word < ROW; word++) this.#table[row + word] = small[from + word]!
    }
  }

  /** The client's row; else an empty one to open, or the shared one if no more may be opened. */
  #find(hi: number, lo: number): number {
    const table = this.#table
    let row = tabulationHash(this.#seed, hi, lo) & this.#lastRow
    while (table[row + WINDOW] === this.#window) {
      if (table[row + HI] === hi && table[row + LO] === lo) return row
      row = (row + ROW) & this.#lastRow
    }
    return this.#opened < this.#maxClients ? row : this.#sharedRow
  }
}

/**
 * Places a client in the table by simple tabulation: one random word per byte. Without the seed an
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

function isLimit(value: number): boolean {
  return value === Infinity || (Number.isInteger(value) && value >= 1 && value <= MAX_INT32)
}
