/**
 * Bounds what arrives in one turn of the event loop. Sockets are read in the order in which they have bytes, up to
 * two mebibytes each, and in small chunks these take milliseconds: whoever comes when the turn's share is used up
 * stops, and goes on in the next turn, those first that stopped first.
 */

/**
 * What a turn takes: a quarter of a mebibyte in large parts, or a thousand small ones, each of which takes a few
 * milliseconds with all that follows. With sixteen times as much, as many bytes arrive in a second, and others wait
 * twice as long (siege: 60 reads of 13 MiB).
 */
const TURN_UNITS = 1_024
/** A part counts as one unit, and as another for each so many bytes. */
const UNIT_BYTES = 256

/** What a turn writes: a mebibyte, or fewer bytes in many replies. */
const WRITTEN_UNITS = 4_096

interface TurnShareOptions {
  /** Runs its argument in a later turn of the event loop. */
  readonly nextTurn?: (callback: () => void) => unknown
  /** What a turn takes. */
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

  /** Counts a part that has arrived. @returns false if there should be no further part in this turn */
  take(bytes: number): boolean {
    this.#left -= 1 + bytes / UNIT_BYTES
    this.#renewLater()
    return this.#left > 0
  }

  /** Calls back in a turn that has room. @returns takes that back */
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
 * Bounds what is written in one turn of the event loop: replies that are ready beyond its share wait for the next
 * turn, those of each connection behind one another, and of the connections one in turn.
 */
export class TurnQueues {
  readonly #share: TurnShare
  readonly #queues = new Map<object, (() => number)[]>()
  /** The last turn whose share was used up. */
  #fullTurn = 0

  constructor(options: TurnShareOptions = {}) {
    this.#share = new TurnShare({ units: WRITTEN_UNITS, ...options })
  }

  /** Whether something to be written on a connection has to wait. */
  mustWait(connection: object): boolean {
    return this.#fullTurn === this.#share.turn || this.#queues.has(connection)
  }

  /** Something was written that did not have to wait. */
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

/** One for all that arrives, because there is one event loop. */
export const ARRIVING = new TurnShare()
/** The same for shared documents, of which a request of a few bytes may ask for a large one. */
export const WRITTEN = new TurnQueues()
