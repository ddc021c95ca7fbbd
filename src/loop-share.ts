/**
 * A bounded share of the event loop, for work that takes long: a batch may hold
 * 120 signatures (bench: A full batch), an answer 16 MiB, and several may be
 * under way. Together they get a bounded share of each turn of the loop, and
 * everybody else gets the rest.
 *
 *   turn n    [check check]  waiting: a b c
 *   turn n+1  a: [check check]  waiting: b c a
 */
import { CLOCK, type Clock } from './clock.ts'

/** The share, ms; one piece of work more may begin just before it is used up. */
const SHARE_MS = 1

export class LoopShare {
  readonly #nextTurn: (callback: () => void) => unknown
  readonly #waiting: (() => void)[] = []
  #usedMs = 0
  #renewing = false

  /** @param nextTurn  runs its argument in a later turn of the event loop */
  constructor(nextTurn: (callback: () => void) => unknown = setImmediate) {
    this.#nextTurn = nextTurn
  }

  get isUsedUp(): boolean {
    return this.#usedMs >= SHARE_MS
  }

  spend(ms: number): void {
    this.#usedMs += ms
    this.#renewLater()
  }

  /** Resolves in a later turn, with the whole share: one waiter a turn, first come, first served. */
  wait(): Promise<void> {
    this.#renewLater()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #renewLater(): void {
    if (this.#renewing) return
    this.#renewing = true
    this.#nextTurn(() => {
      this.#renewing = false
      this.#usedMs = 0
      this.#waiting.shift()?.()
      if (this.#waiting.length > 0) this.#renewLater()
    })
  }
}

/** What is read in pieces, whoever it is for, shares one share: there is one event loop. */
const READING = new LoopShare()

/** Work of so many bytes takes well below a millisecond. */
export const PIECE_BYTES = 64 * 1024

/** @param piece  does a piece of the work; false when all of it is done */
export async function inPieces(piece: () => boolean, clock: Clock = CLOCK): Promise<void> {
  for (;;) {
    if (READING.isUsedUp) await READING.wait()
    const start = clock.now()
    const isMore = piece()
    READING.spend(clock.now() - start)
    if (!isMore) return
  }
}

/** @returns in a turn of the loop in which nothing else begins that has asked for one */
export const ownTurn = (): Promise<void> => READING.wait()

/** Buffer.concat of parts that are many bytes together: new memory is slow where it is first touched. */
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
