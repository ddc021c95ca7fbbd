/**
 * Bounds the log lines of each client: otherwise one that is refused as fast as it asks fills a disk. What is left
 * out of a second is counted at its end.
 */
import type { Clock } from './clock.ts'

const WINDOW_MS = 1_000

export class LineBound {
  readonly #max: number
  readonly #clock: Clock
  readonly #onLeftOut: (client: string, lines: number) => void
  /** Lines of each client in this second. */
  readonly #lines = new Map<string, number>()

  /** @param max  of one client in a second; Infinity for no bound */
  constructor(max: number, clock: Clock, onLeftOut: (client: string, lines: number) => void) {
    this.#max = max
    this.#clock = clock
    this.#onLeftOut = onLeftOut
  }

  /** Counts a line. @returns whether it may be written */
  admits(client: string): boolean {
    if (this.#max === Infinity) return true
    if (this.#lines.size === 0) this.#clock.after(WINDOW_MS, () => this.#end())
    const lines = (this.#lines.get(client) ?? 0) + 1
    this.#lines.set(client, lines)
    return lines <= this.#max
  }

  #end(): void {
    for (const [client, lines] of this.#lines)
      if (lines > this.#max) this.#onLeftOut(client, lines - this.#max)
    this.#lines.clear()
  }
}
