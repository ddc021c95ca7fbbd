/**
 * Fixed-window counters: one for all clients and one per client, decided together. A request is admitted if
 * both have room; a refusal costs neither.
 *
 * Clients are counted in a ring of slots: see client-ring.ts. Only an admitted request opens a slot, so a
 * window opens no more slots than the global limit.
 *
 * Past `MAX_CLIENTS`, clients that are new in a window share one counter: hard on them, but no client escapes
 * its limit that way, and no client that was counted before is affected.
 *
 * Source: spec §8
 */
import { ClientRing, type ClientSpent, randomSeed, SEED_WORDS, SPENT } from './client-ring.ts'
import { ALL_SPENT, ENDS, NUMBER, SIZE, TAIL, type WindowMemory } from './window-memory.ts'

/** Clients that one window counts separately; further ones share a counter. Their ring takes 24 MiB, once touched. */
export const MAX_CLIENTS = 2 ** 20

/** Which limit refused a request. */
export type RefusedBy = 'client' | 'global'

export interface FixedWindowOptions {
  /** Requests per client in a window, or `Infinity`. */
  readonly clientMax: number
  /** Requests of all clients in a window, or `Infinity`. */
  readonly globalMax: number
  readonly windowMs: number
  /** `SEED_WORDS` random words that place clients in the index; kept, not copied. */
  readonly seed?: Int32Array
  /** Slots that a window may open; `MAX_CLIENTS` by default. */
  readonly maxClients?: number
  /** For `clientsOf` these options, if several threads decide together: all of them with one seed and one clock. */
  readonly memory?: WindowMemory | null
}

/** The clients that a window counts separately: without a limit per client, none. */
export function clientsOf({ clientMax, globalMax, maxClients = MAX_CLIENTS }: WindowSize): number {
  return clientMax === Infinity ? 0 : Math.min(globalMax, maxClients)
}

type WindowSize = Pick<FixedWindowOptions, 'clientMax' | 'globalMax' | 'maxClients'>

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

const MAX_INT32 = 2 ** 31 - 1
const ADMITTED = 0
const BY_CLIENT = 1
const BY_GLOBAL = 2

export class FixedWindow {
  readonly clientMax: number
  readonly globalMax: number
  readonly windowMs: number

  readonly #ring: ClientRing
  /** Null if this thread decides alone; otherwise what follows is a copy of it, current while the lock is held. */
  readonly #memory: WindowMemory | null
  /** The limits as integers: a lifted one is above all counts. */
  readonly #clientMax: number
  readonly #globalMax: number
  #endMs = -Infinity
  #number = 0
  #globalSpent = 0

  #nowMs = -Infinity
  /** What `ClientRing.find` returned. */
  #slot = -1
  #clientSpent = 0
  #refusal = ADMITTED

  /** @throws TypeError if a limit, the window's length or the seed is out of range */
  constructor(options: FixedWindowOptions) {
    const { clientMax, globalMax, windowMs, seed = randomSeed(), memory = null } = options
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
    this.#clientMax = Math.min(clientMax, MAX_INT32)
    this.#globalMax = Math.min(globalMax, MAX_INT32)
    this.#memory = memory
    this.#ring = new ClientRing(clientsOf(options), seed, memory?.words)
  }

  /**
   * The window at this time: call it before each of the methods below. A method as short as this one is
   * always inlined, so that a time with a fraction is not boxed to be passed on.
   * @param nowMs  monotonic clock, at least 0; a clock that steps back stays in the current window
   */
  at(nowMs: number): this {
    this.#nowMs = nowMs
    return this
  }

  /**
   * Spends one request, or refuses it and spends nothing.
   *
   * @param hi    upper 32 bits of the client, signed or not
   * @param lo    lower 32 bits
   */
  take(hi: number, lo: number): boolean {
    this.#enter()
    const isAdmitted = this.#take(hi, lo)
    this.#leave()
    return isAdmitted
  }

  #take(hi: number, lo: number): boolean {
    // `#look` and `#spend` in one go: bench, "limit".
    if (this.#nowMs >= this.#endMs) this.#turn()
    const ring = this.#ring
    const words = ring.words
    const globalSpent = this.#globalSpent
    const slot = ring.find(hi | 0, lo | 0)
    const clientSpent = slot < 0 ? 0 : words[slot | SPENT]!
    this.#slot = slot
    this.#clientSpent = clientSpent
    if (clientSpent >= this.#clientMax) {
      this.#refusal = BY_CLIENT
      return false
    }
    if (globalSpent >= this.#globalMax) {
      this.#refusal = BY_GLOBAL
      return false
    }
    const after = (clientSpent + 1) | 0
    this.#refusal = ADMITTED
    this.#clientSpent = after
    this.#globalSpent = globalSpent + 1
    if (slot < 0) this.#slot = ring.open(hi | 0, lo | 0, slot, after)
    else words[slot | SPENT] = after
    return true
  }

  /** Spends for work that is already done: as much of the cost as is left. */
  charge(hi: number, lo: number, cost: number): void {
    this.#enter()
    this.#look(hi, lo, cost)
    const affordable = Math.min(cost, this.clientRemaining, this.globalRemaining)
    if (affordable > 0) this.#spend(hi, lo, affordable)
    this.#leave()
  }

  #spend(hi: number, lo: number, cost: number): void {
    this.#globalSpent += cost
    this.#write(hi, lo, (this.#clientSpent + cost) | 0)
  }

  /** Writes what the client has spent into its slot. */
  #write(hi: number, lo: number, spent: number): void {
    this.#clientSpent = spent
    if (this.#slot < 0) this.#slot = this.#ring.open(hi | 0, lo | 0, this.#slot, spent)
    else this.#ring.words[this.#slot | SPENT] = spent
  }

  /** Whether this many requests have room now; spends nothing. An unused window has room for any number. */
  peek(hi: number, lo: number, cost: number): boolean {
    this.#enter()
    const hasRoom = this.#look(hi, lo, cost)
    this.#leave()
    return hasRoom
  }

  #look(hi: number, lo: number, cost: number): boolean {
    if (this.#nowMs >= this.#endMs) this.#turn()
    const clientSpent = this.#find(hi, lo)
    const globalSpent = this.#globalSpent
    if (clientSpent !== 0 && clientSpent > this.#clientMax - cost) this.#refusal = BY_CLIENT
    else if (globalSpent !== 0 && globalSpent > this.#globalMax - cost) this.#refusal = BY_GLOBAL
    else this.#refusal = ADMITTED
    return this.#refusal === ADMITTED
  }

  /** What all clients have spent in the current window. */
  globalSpent(): number {
    this.#read()
    return this.#nowMs >= this.#endMs ? 0 : this.#globalSpent
  }

  /** The clients that have spent most in the current window, in descending order. */
  most(count: number): ClientSpent[] {
    this.#read()
    return this.#nowMs >= this.#endMs ? [] : this.#ring.most(count)
  }

  /**
   * This window's counts for the store: its last known counts, and what this instance admitted alone since.
   */
  view(hi: number, lo: number): WindowCounts {
    this.peek(hi, lo, 1)
    // A shared counter says nothing about one of its clients.
    const clientSpent = this.#ring.isShared(this.#slot) ? 0 : this.#clientSpent
    return { number: this.#number, clientSpent, globalSpent: this.#globalSpent }
  }

  /**
   * Takes over the store's decision, so that this window continues from there if it has to decide alone. It
   * then begins and ends with the store's window.
   * @returns whether the request was admitted
   */
  adopt(hi: number, lo: number, decision: WindowDecision): boolean {
    this.#enter()
    this.#adopt(hi, lo, decision)
    this.#leave()
    return decision.refusedBy === null
  }

  #adopt(hi: number, lo: number, decision: WindowDecision): void {
    const { number, clientSpent, globalSpent, refusedBy, remainingMs } = decision
    if (number !== this.#number) this.#begin(number)
    this.#endMs = this.#nowMs + remainingMs
    this.#refusal = refusedBy === null ? ADMITTED : refusedBy === 'client' ? BY_CLIENT : BY_GLOBAL
    // The store does not know yet what this instance admitted alone in the meantime.
    const ownSpent = this.#find(hi, lo)
    const isShared = this.#ring.isShared(this.#slot)
    this.#globalSpent = Math.max(this.#globalSpent, globalSpent)
    if (isShared || clientSpent <= ownSpent) {
      this.#clientSpent = isShared ? clientSpent : ownSpent
    } else this.#write(hi, lo, clientSpent)
  }

  // The four getters below describe the last `take`, `charge`, `peek` or `adopt`: read them before the next.

  /** The limit that refused, or null. The client's if both did. */
  get refusedBy(): RefusedBy | null {
    return this.#refusal === ADMITTED ? null : this.#refusal === BY_CLIENT ? 'client' : 'global'
  }

  /** What the client has left in this window. */
  get clientRemaining(): number {
    return Math.max(0, this.clientMax - this.#clientSpent)
  }

  /** What all clients together have left in this window. */
  get globalRemaining(): number {
    return Math.max(0, this.globalMax - this.#globalSpent)
  }

  /** Milliseconds until the window ends and both counters restart; above 0. */
  get remainingMs(): number {
    return this.#endMs - this.#nowMs
  }

  /** Decides while no other thread does. */
  #enter(): void {
    if (this.#memory === null) return
    this.#memory.lock()
    this.#read()
  }

  /** Of a moment at which another thread may be deciding, unless the lock is held. */
  #read(): void {
    if (this.#memory === null) return
    const { counts, arc } = this.#memory
    // Of memory in which no window has begun, all is zero.
    this.#endMs = counts[ENDS]! === 0 ? -Infinity : counts[ENDS]!
    this.#number = counts[NUMBER]!
    this.#globalSpent = counts[ALL_SPENT]!
    this.#ring.tail = arc[TAIL]!
    this.#ring.size = arc[SIZE]!
  }

  #leave(): void {
    const memory = this.#memory
    if (memory === null) return
    const { counts, arc } = memory
    counts[ENDS] = this.#endMs
    counts[NUMBER] = this.#number
    counts[ALL_SPENT] = this.#globalSpent
    arc[TAIL] = this.#ring.tail
    arc[SIZE] = this.#ring.size
    memory.unlock()
  }

  #turn(): void {
    const { windowMs } = this
    const nowMs = this.#nowMs
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
    this.#globalSpent = 0
    this.#ring.begin()
  }

  /** Finds the client's slot. @returns what is spent in it */
  #find(hi: number, lo: number): number {
    this.#slot = this.#ring.find(hi | 0, lo | 0)
    this.#clientSpent = this.#slot < 0 ? 0 : this.#ring.words[this.#slot | SPENT]!
    return this.#clientSpent
  }
}

function isLimit(value: number): boolean {
  return value === Infinity || (Number.isInteger(value) && value >= 1 && value <= MAX_INT32)
}
