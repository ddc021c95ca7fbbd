/**
 * Bounds what arrives in one turn of the event loop. Sockets are read in the order in which they have bytes,
 * up to two mebibytes each, which takes milliseconds in small chunks. When the turn's budget is spent,
 * readers pause and resume FIFO.
 */

/**
 * A turn's budget: a quarter of a mebibyte in large parts, or a thousand small ones; each takes a few
 * milliseconds with all that follows. With sixteen times as much, as many bytes arrive in a second, and
 * others wait twice as long (siege: 60 reads of 13 MiB).
 */
const TURN_UNITS = 1_024
/** A part counts as one unit, and one more for each of these bytes. */
const UNIT_BYTES = 256

/** A turn's budget for writing: a mebibyte, or fewer bytes in many replies. */
const WRITTEN_UNITS = 4_096

interface TurnShareOptions {
  /** Runs its argument in a later turn of the event loop. */
  readonly nextTurn?: (callback: () => void) => unknown
  /** A turn's budget. */
  readonly units?: number
}

export class TurnShare {
  /** Counts the turns in which something arrived. */
  turn = 1
  readonly #nextTurn: (callback: () => void) => unknown
  readonly #waiting = new Set<() => void>()
  readonly #units: number
  #left: number
  #isRenewing = false

  constructor({ nextTurn = setImmediate, units = TURN_UNITS }: TurnShareOptions = {}) {
    this.#nextTurn = nextTurn
    this.#units = this.#left = units
  }

  /** Counts a part that has arrived. @returns false if no further part should be read in this turn */
  take(bytes: number): boolean {
    this.#left -= 1 + bytes / UNIT_BYTES
    this.#renewLater()
    return this.#left > 0
  }

  /** Calls back in a turn that has room. @returns cancels the wait */
  wait(resume: () => void): () => void {
    this.#waiting.add(resume)
    this.#renewLater()
    return () => void this.#waiting.delete(resume)
  }

  #renewLater(): void {
    if (this.#isRenewing) return
    this.#isRenewing = true
    this.#nextTurn(this.#renew)
  }

  readonly #renew = (): void => {
    this.#isRenewing = false
    this.#left = this.#units
    this.turn++
    for (const resume of this.#waiting) {
      if (this.#left <= 0) break
      this.#waiting.delete(resume)
      resume()
    }
    if (this.#waiting.size > 0) this.#renewLater()
  }
}

/**
 * Bounds what is written in one turn of the event loop: ready replies beyond its share wait for the next
 * turn, FIFO per connection, round-robin across connections.
 */
export class TurnQueues {
  readonly #share: TurnShare
  readonly #queues = new Map<object, (() => number)[]>()
  /** The last turn whose share was used up. */
  #fullTurn = 0

  constructor(options: TurnShareOptions = {}) {
    this.#share = new TurnShare({ units: WRITTEN_UNITS, ...options })
  }

  /** Whether a write on a connection has to wait. */
  mustWait(connection: object): boolean {
    return this.#fullTurn === this.#share.turn || this.#queues.has(connection)
  }

  /** Counts bytes that were written without a wait. */
  wrote(bytes: number): void {
    if (!this.#share.take(bytes)) this.#fullTurn = this.#share.turn
  }

  /** @param write  called in a later turn; returns the number of bytes that it wrote */
  wait(connection: object, write: () => number): void {
    const queue = this.#queues.get(connection)
    if (queue !== undefined) {
      queue.push(write)
      return
    }
    this.#queues.set(connection, [write])
    this.#share.wait(() => this.#next(connection))
  }

  #next(connection: object): void {
    const queue = this.#queues.get(connection)!
    this.wrote(queue.shift()!())
    if (queue.length === 0) this.#queues.delete(connection)
    else this.#share.wait(() => this.#next(connection))
  }
}

/** One for everything that arrives, because there is one event loop. */
export const ARRIVING = new TurnShare()
/** The same for shared documents, because a request of a few bytes may ask for a large one. */
export const WRITTEN = new TurnQueues()
