/**
 * A window's memory that the threads of one process share: the counts of `FixedWindow`, the ring of its clients,
 * and a lock that a thread holds for one decision. Its word names the holder, so that the lock of a thread that
 * died is released by its number. Whatever such a thread had begun is not seen: a client's slot counts only once
 * the arc's length includes it, and that is written last.
 */
import { ringWords } from './client-ring.ts'

// Of the counts: when the window ends (monotonic, ms), its number, and what all clients have spent in it.
export const ENDS = 0
export const NUMBER = 1
export const ALL_SPENT = 2
// Of the arc: the lock, then where the arc begins and how long it is.
const LOCK = 0
export const TAIL = 1
export const SIZE = 2
const COUNTS_BYTES = 3 * 8
const ARC_WORDS = 4
const FREE = 0
/** Attempts before a thread sleeps: a decision takes a tenth of that, unless its thread is interrupted. */
const SPINS = 1_000
const SLEEP_MS = 1

export class WindowMemory {
  readonly counts: Float64Array
  readonly arc: Int32Array
  readonly words: Int32Array
  readonly #thread: number

  /**
   * @param buffer  of `allocate`; all zero means that no window has begun
   * @param thread  the number of this thread, at least 1 and its own
   */
  constructor(buffer: SharedArrayBuffer, thread: number) {
    this.counts = new Float64Array(buffer, 0, COUNTS_BYTES / 8)
    this.arc = new Int32Array(buffer, COUNTS_BYTES, ARC_WORDS)
    this.words = new Int32Array(buffer, COUNTS_BYTES + ARC_WORDS * 4)
    this.#thread = thread
  }

  /** What isn't touched takes no memory. */
  static allocate(maxClients: number): SharedArrayBuffer {
    return new SharedArrayBuffer(COUNTS_BYTES + ARC_WORDS * 4 + ringWords(maxClients) * 4)
  }

  /** Releases the lock if this thread, which has ended, holds it. */
  static releaseOf(buffer: SharedArrayBuffer, thread: number): void {
    Atomics.compareExchange(new Int32Array(buffer, COUNTS_BYTES, ARC_WORDS), LOCK, thread, FREE)
  }

  lock(): void {
    const { arc } = this
    for (let spins = 0; ; spins++) {
      const holder = Atomics.compareExchange(arc, LOCK, FREE, this.#thread)
      if (holder === FREE) return
      if (spins > SPINS) Atomics.wait(arc, LOCK, holder, SLEEP_MS)
    }
  }

  unlock(): void {
    Atomics.store(this.arc, LOCK, FREE)
  }
}
