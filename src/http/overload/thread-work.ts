/**
 * Work of one request that may take the thread for long. It runs in pieces, so that others get their turns in
 * between, and its whole time is charged to its client, so that load shedding sees who uses the processor.
 */

import { ownTurn } from '../../flow/loop-share.ts'
import { openThreadCpuTime, type ThreadCpuTime } from '../../flow/thread-cpu-time.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Exchange } from '../request/exchange.ts'

/** The length of a piece, ms. */
const PIECE_MS = 3

/** Open for as long as the process runs. */
let thread: ThreadCpuTime | null = null

export class ThreadWork {
  readonly #clock: Pick<Clock, 'now'>
  readonly #charge: (ms: number) => void
  readonly #cpuMs: () => number
  #since: number
  #spent: number

  /** @param cpuMs  processor time of the thread; tests pass their own */
  constructor(
    clock: Pick<Clock, 'now'>,
    { meter, client }: Pick<Exchange, 'meter' | 'client'>,
    cpuMs = (thread ??= openThreadCpuTime()).cpuMs,
  ) {
    this.#clock = clock
    // The exchange has none once its client is gone, but the work costs the same.
    this.#charge = (ms) => meter?.work(client, ms)
    this.#cpuMs = cpuMs
    this.#since = clock.now()
    this.#spent = cpuMs()
  }

  /** Ends the piece if it was long, and begins the next in a turn of its own. */
  readonly turn = async (): Promise<void> => {
    if (this.#clock.now() - this.#since >= PIECE_MS) await this.outside(ownTurn)
  }

  /** Waits for something outside this thread. */
  async outside<T>(wait: () => Promise<T>): Promise<T> {
    this.end()
    try {
      return await wait()
    } finally {
      this.#since = this.#clock.now()
      this.#spent = this.#cpuMs()
    }
  }

  /** Charges what was done until now. */
  end(): void {
    const spent = this.#cpuMs()
    this.#charge(spent - this.#spent)
    this.#spent = spent
  }
}
