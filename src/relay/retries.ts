import type { LagRules } from '../upstream/nodes/solana-submissions.ts'

/**
 * How often one submission may be sent to an upstream again: a bound over all
 * that repeats it, whoever does.
 */
export class Retries implements Pick<LagRules, 'mayRetry'> {
  #left: number
  #isLagPaid = false

  constructor(bound: number) {
    this.#left = bound
  }

  get left(): number {
    return this.#left
  }

  /** For one round to all upstreams. */
  take(): boolean {
    if (this.#left === 0) return false
    this.#left--
    return true
  }

  /** Gives them away. @returns how many they were */
  handOver(): number {
    const left = this.#left
    this.#left = 0
    return left
  }

  /** For the nodes that lag, each once: for all of them together that is one round. */
  mayRetry(): boolean {
    this.#isLagPaid ||= this.take()
    return this.#isLagPaid
  }
}
