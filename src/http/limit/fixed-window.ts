/**
 * Fixed-window counters: one for everybody and one per client, decided
 * together. A request is admitted when both have room; a refusal costs neither.
 *
 * Clients stand in one open-addressed table, four words to a row:
 *
 *     client, hi | client, lo | window that wrote the row | spent in it
 *
 * A row that an older window wrote counts as empty, so the turn of a window
 * empties the table without touching it. Within a window rows are only added,
 * never taken away: a client that was counted is found again, because the rows
 * that were passed on the way to its own are still there. Only a request that is
 * admitted opens a row, so a window opens no more rows than the global limit,
 * and the table is at least twice that long: probing always ends at an empty
 * row. Nobody is evicted, and a flood of addresses buys nothing.
 *
 * Past `MAX_CLIENTS` of them, clients that are new in a window share one
 * counter: hard on them, but it frees nobody, and touches no client that was
 * counted before.
 *
 * Source: spec §8
 */
import { randomFillSync } from 'node:crypto'

/** Clients that one window tells apart; more share a counter. Their table takes 32 MiB, once touched. */
export const MAX_CLIENTS = 2 ** 20

/** Length of a seed, in 32-bit words: one per value of each of a client's eight bytes. */
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
  /** Rows of the table that a window may open; `MAX_CLIENTS` unless told. */
  readonly maxClients?: number
}

/** What is known of a window that is counted elsewhere, for all instances together. */
export interface WindowCounts {
  /** Which window it is, by the clock that it is counted by; 0 for none that is known. */
  readonly number: number
  readonly clientSpent: number
  readonly globalSpent: number
}

/** How a request was decided elsewhere, and what the window is like after it. */
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

  readonly #table: Int32Array
  readonly #lastRow: number
  /** Of the clients that are too many to be told apart. */
  readonly #sharedRow: number
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
    // Without a limit per client there is nothing to tell apart.
    this.#maxClients = clientMax === Infinity ? 0 : Math.min(globalMax, maxClients)
    const rows = 2 ** Math.ceil(Math.log2(Math.max(1, 2 * this.#maxClients)))
    this.#table = new Int32Array((rows + 1) * ROW)
    this.#lastRow = (rows - 1) * ROW
    this.#sharedRow = rows * ROW
  }

  /**
   * Spend one request, or refuse it and spend nothing.
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

  /** Spend for what was done already: as much of the cost as the client has left. */
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

  /** What the client has spent, into its row. */
  #write(hi: number, lo: number): void {
    const table = this.#table
    const row = this.#row
    if (table[row + WINDOW] !== this.#window) {
      table[row + HI] = hi
      table[row + LO] = lo
      table[row + WINDOW] = this.#window
      this.#opened++
    }
    table[row + SPENT] = this.#clientSpent
  }

  /** Whether so many requests have room now, with nothing spent: a whole window has room for any number. */
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

  /** What all clients have spent in the window that runs. */
  globalSpent(nowMs: number): number {
    return nowMs >= this.#endMs ? 0 : this.#globalSpent
  }

  /** What this window would tell whoever counts for all: what it heard from there, and what it admitted by itself since. */
  view(hi: number, lo: number, nowMs: number): WindowCounts {
    this.peek(hi, lo, nowMs)
    // What shares a counter says nothing of one of them.
    const clientSpent = this.#row === this.#sharedRow ? 0 : this.#clientSpent
    return { number: this.#number, clientSpent, globalSpent: this.#globalSpent }
  }

  /**
   * Notes what was decided elsewhere, so that this window goes on from there
   * where it has to decide by itself; it begins and ends as that one does then.
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
    // What it admitted by itself in the meantime is not known there yet.
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

  // The four getters below tell of the last `take`, `charge`, `peek` or `adopt`: read them before the next.

  /** The limit that refused, or null. When both did, the client's. */
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

  /** The client's row, or the one to open for it: an empty one, or the shared one when no more may be. */
  #find(hi: number, lo: number): number {
    const table = this.#table
    let row = this.#hash(hi, lo) & this.#lastRow
    while (table[row + WINDOW] === this.#window) {
      if (table[row + HI] === hi && table[row + LO] === lo) return row
      row = (row + ROW) & this.#lastRow
    }
    return this.#opened < this.#maxClients ? row : this.#sharedRow
  }

  /**
   * Simple tabulation: one random word per byte. Without the seed nobody can
   * choose clients that collide, and linear probing stays short.
   *
   * Source: Pătraşcu and Thorup, "The Power of Simple Tabulation Hashing" (2012)
   */
  #hash(hi: number, lo: number): number {
    const seed = this.#seed
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
}

/** A seed from the system's generator. */
export function randomSeed(): Int32Array {
  return randomFillSync(new Int32Array(SEED_WORDS))
}

function isLimit(value: number): boolean {
  return value === Infinity || (Number.isInteger(value) && value >= 1 && value <= MAX_INT32)
}
