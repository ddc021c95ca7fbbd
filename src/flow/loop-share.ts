/**
 * Bounds the share of the event loop that long work may use: a batch may hold 120 signatures (bench: A full
 * batch), an answer 16 MiB, and several may be under way. Together they get a bounded share of each turn of
 * the loop; other requests get the rest.
 *
 *   turn n    [check check]  waiting: a b c
 *   turn n+1  a: [check check]  waiting: b c a
 */
import { CLOCK, type Clock } from '../runtime/clock.ts'

/** The least share, ms. One more piece of work may begin just before it is used up. */
const SHARE_MS = 1
/** The largest share, ms, if it is a part of the turn. */
const MAX_SHARE_MS = 40

interface LoopShareOptions {
  /** Runs its argument in a later turn of the event loop. */
  readonly nextTurn?: (callback: () => void) => unknown
  /**
   * The share as a fraction of the last turn's length, 0 to 1; 0 for a fixed share. It matters under load,
   * when turns take long: a millisecond in a turn of a hundred is next to nothing.
   */
  readonly part?: number
  readonly clock?: Clock
}

interface Waiter {
  readonly since: number
  readonly dueAt: number
  readonly go: () => void
}

export class LoopShare {
  readonly #nextTurn: (callback: () => void) => unknown
  readonly #part: number
  readonly #clock: Clock
  /** In the order in which they go. */
  readonly #waiting: Waiter[] = []
  #shareMs = SHARE_MS
  #usedMs = 0
  #renewing = false

  constructor({ nextTurn = setImmediate, part = 0, clock = CLOCK }: LoopShareOptions = {}) {
    this.#nextTurn = nextTurn
    this.#part = part
    this.#clock = clock
  }

  get isUsedUp(): boolean {
    return this.#usedMs >= this.#shareMs
  }

  /** How long the longest in the queue has waited, ms. */
  get waitMs(): number {
    let since = Infinity
    for (const waiter of this.#waiting) since = Math.min(since, waiter.since)
    return since === Infinity ? 0 : this.#clock.now() - since
  }

  spend(ms: number): void {
    this.#usedMs += ms
    this.#renewLater()
  }

  /**
   * Resolves in a later turn, the earliest due first; ties are first come, first served. With a fixed share
   * one waiter a turn gets all of it; otherwise waiters follow each other until it is used up.
   * @param dueAt  until when the work is useful; monotonic, ms
   */
  wait(dueAt = Infinity): Promise<void> {
    this.#renewLater()
    const since = this.#clock.now()
    return new Promise((go) => {
      let at = this.#waiting.length
      while (at > 0 && this.#waiting[at - 1]!.dueAt > dueAt) at--
      this.#waiting.splice(at, 0, { since, dueAt, go })
    })
  }

  #renewLater(): void {
    if (this.#renewing) return
    this.#renewing = true
    const askedAt = this.#clock.now()
    this.#nextTurn(() => {
      this.#renewing = false
      const turnMs = this.#clock.now() - askedAt
      this.#shareMs = Math.min(MAX_SHARE_MS, Math.max(SHARE_MS, turnMs * this.#part))
      this.#usedMs = 0
      this.#admit()
      if (this.#waiting.length > 0) this.#renewLater()
    })
  }

  #admit(): void {
    this.#waiting.shift()?.go()
    if (this.#part === 0 || this.#waiting.length === 0) return
    // Runs after the previous waiter's work, which begins as soon as this function returns.
    queueMicrotask(() => {
      if (!this.isUsedUp) this.#admit()
    })
  }
}

/** All reading in pieces uses one share, because there is one event loop. */
const READING = new LoopShare()

/** Processing this many bytes takes well under a millisecond. */
export const PIECE_BYTES = 64 * 1024

/** @param piece  does one piece of the work; returns false when all of it is done */
export async function inPieces(piece: () => boolean, clock: Clock = CLOCK): Promise<void> {
  for (;;) {
    if (READING.isUsedUp) await READING.wait()
    const start = clock.now()
    const isMore = piece()
    READING.spend(clock.now() - start)
    if (!isMore) return
  }
}

/** Visits every value, so many in each piece. */
export function eachInPieces<T>(
  values: Iterator<T>,
  perPiece: number,
  visit: (value: T) => void,
): Promise<void> {
  return inPieces(() => {
    for (let i = 0; i < perPiece; i++) {
      const next = values.next()
      if (next.done) return false
      visit(next.value)
    }
    return true
  })
}

/** Runs all pieces of a work in slices. */
export async function finishInPieces<T>(pieces: Generator<void, T, void>): Promise<T> {
  let last = pieces.next()
  await inPieces(() => {
    if (!last.done) last = pieces.next()
    return !last.done
  })
  return (last as IteratorReturnResult<T>).value
}

/** Runs all pieces of a work at once. */
export function finish<T>(pieces: Generator<void, T, void>): T {
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return value
  }
}

/** Resolves in a turn of the loop of its own: no other caller's work begins in that turn. */
export const ownTurn = (): Promise<void> => READING.wait()

/** Buffer.concat for many bytes, in pieces, because new memory is slow when first touched. */
export async function joinInPieces(parts: readonly Buffer[]): Promise<Buffer> {
  const joined = Buffer.allocUnsafe(parts.reduce((sum, { length }) => sum + length, 0))
  const rest = parts.values()
  let part: Buffer = Buffer.alloc(0)
  let from = 0
  let to = 0
  await inPieces(() => {
    for (let bytes = 0; bytes < PIECE_BYTES; ) {
      if (from === part.length) {
        const next = rest.next()
        if (next.done) return false
        part = next.value
        from = 0
      }
      const copied = part.copy(joined, to, from, from + PIECE_BYTES - bytes)
      bytes += copied
      from += copied
      to += copied
    }
    return true
  })
  return joined
}
