/**
 * The prices of transactions that landed recently through this instance. They are only shown: a heavy
 * submitter determines them, so no build uses them.
 */
import { computeBudgetOf } from '../../chains/solana/compute-budget.ts'
import { WireTransaction } from '../../chains/solana/wire.ts'
import type { Clock } from '../../runtime/clock.ts'
import { percentilesOf } from '../../upstream/nodes/solana/priority.ts'

const CAPACITY = 500
const LATELY_MS = 60_000

export class LandedFees {
  readonly #clock: Clock
  /** The oldest first. */
  readonly #landed: { readonly price: number; readonly at: number }[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @param base64  an already parsed transaction; version 1 has no price per unit */
  note(base64: string): void {
    const wire = new WireTransaction()
    if (wire.parse(Buffer.from(base64, 'base64')) !== null) return
    const budget = computeBudgetOf(wire)
    if (budget === null) return
    this.#landed.push({ price: Number(budget.price), at: this.#clock.now() })
    if (this.#landed.length > CAPACITY) this.#landed.shift()
  }

  recent() {
    const since = this.#clock.now() - LATELY_MS
    const prices = this.#landed.filter(({ at }) => at >= since).map(({ price }) => price)
    return { count: prices.length, withinMs: LATELY_MS, percentiles: percentilesOf(prices) }
  }
}
