import type { LagRetries } from '../../upstream/nodes/solana/submissions.ts'

/** How often one submission may still be resent to an upstream: one bound over everything that repeats it. */
export class Retries implements LagRetries {
  #left: number
  #isLagPaid = false

  constructor(bound: number) {
    this.#left = bound
  }

  get left(): number {
    return this.#left
  }

  /** Spends one, for one round to all upstreams. */
  take(): boolean {
    if (this.#left === 0) return false
    this.#left--
    return true
  }

  /** Spends all that are left. @returns their number */
  handOver(): number {
    const left = this.#left
    this.#left = 0
    return left
  }

  /** Spends one for all lagging nodes together: each of them gets the transaction again. */
  takeForLag(): boolean {
    this.#isLagPaid ||= this.take()
    return this.#isLagPaid
  }
}
