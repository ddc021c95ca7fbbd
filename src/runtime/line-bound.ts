/**
 * Bounds the log lines of each client: otherwise one that retries as fast as it is refused fills a disk. The
 * lines dropped in a second are counted at its end.
 */
import type { Clock } from './clock.ts'
import { addToCount } from './lists.ts'

const WINDOW_MS = 1_000

export class LineBound {
  readonly #max: number
  readonly #clock: Clock
  readonly #onLeftOut: (client: string, lines: number) => void
  /** Lines of each client in this second. */
  readonly #lines = new Map<string, number>()
  #endsAt = 0

  /** @param max  per client and second; Infinity for no bound */
  constructor(max: number, clock: Clock, onLeftOut: (client: string, lines: number) => void) {
    this.#max = max
    this.#clock = clock
    this.#onLeftOut = onLeftOut
  }

  /** Counts a line. @returns whether it may be written */
  admits(client: string): boolean {
    if (this.#max === Infinity) return true
    const now = this.#clock.now()
    if (now >= this.#endsAt) {
      this.#end()
      this.#endsAt = now + WINDOW_MS
    }
    const lines = addToCount(this.#lines, client, 1)
    if (lines === this.#max + 1) this.#endLater(now)
    return lines <= this.#max
  }

  #endLater(now: number): void {
    const endsAt = this.#endsAt
    this.#clock.after(endsAt - now, () => {
      if (this.#endsAt === endsAt) this.#end()
    })
  }

  #end(): void {
    this.#endsAt = 0
    for (const [client, lines] of this.#lines)
      if (lines > this.#max) this.#onLeftOut(client, lines - this.#max)
    this.#lines.clear()
  }
}
