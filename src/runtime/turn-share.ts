/**
 * Bounds what arrives in one turn of the event loop. Sockets are read in the order in which they have bytes, up to
 * two mebibytes each, and in small chunks these take milliseconds: whoever comes when the turn's share is used up
 * stops, and goes on in the next turn, those first that stopped first.
 */

/** What a turn takes: four mebibytes in large parts, or some thousand small ones, which take a few milliseconds. */
const TURN_UNITS = 2_048
/** A part counts as one unit, and as another for each so many bytes. */
const UNIT_BYTES = 2_048

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
  wait(goOn: () => void): () => void {
    this.#waiting.add(goOn)
    this.#renewLater()
    return () => void this.#waiting.delete(goOn)
  }

  #renewLater(): void {
    if (this.#isRenewing) return
    this.#isRenewing = true
    this.#nextTurn(() => {
      this.#isRenewing = false
      this.#left = this.#units
      this.turn++
      for (const goOn of this.#waiting) {
        if (this.#left <= 0) break
        this.#waiting.delete(goOn)
        goOn()
      }
      if (this.#waiting.size > 0) this.#renewLater()
    })
  }
}

/** One for all that arrives, because there is one event loop. */
export const ARRIVING = new TurnShare()
