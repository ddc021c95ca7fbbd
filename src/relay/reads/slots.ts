/**
 * The cluster's slot, reported to all listeners: that of each status round's answer, so it costs no call
 * while somebody waits for a signature (statuses.ts).
 *
 * A lagging node shows older slots, which are ignored. Slot numbers that have not risen for a while may have
 * gone back, as when a cluster migrates to Alpenglow: then the lower ones are reported.
 */
import type { Clock } from '../../runtime/clock.ts'
import type { StatusPoller } from './statuses.ts'

/** Longer than a node that lags answers alone. */
const GONE_BACK_MS = 10_000

interface SlotsOptions {
  readonly statuses: Pick<StatusPoller, 'watchSlots'>
  readonly clock: Clock
}

export class Slots {
  readonly #options: SlotsOptions
  readonly #listeners = new Set<(slot: number) => void>()
  #unwatch: (() => void) | null = null
  #last = 0
  #reportedAt = 0

  constructor(options: SlotsOptions) {
    this.#options = options
  }

  /**
   * @param onSlot  called with each slot that is higher than the one before; some are left out
   * @returns stops listening
   */
  listen(onSlot: (slot: number) => void): () => void {
    this.#listeners.add(onSlot)
    this.#unwatch ??= this.#options.statuses.watchSlots((slot) => this.#saw(slot))
    return () => {
      this.#listeners.delete(onSlot)
      if (this.#listeners.size > 0) return
      this.#unwatch?.()
      this.#unwatch = null
      this.#last = 0
    }
  }

  #saw(slot: number): void {
    const nowMs = this.#options.clock.now()
    if (slot === this.#last || (slot < this.#last && nowMs - this.#reportedAt < GONE_BACK_MS)) return
    this.#last = slot
    this.#reportedAt = nowMs
    for (const onSlot of [...this.#listeners]) onSlot(slot)
  }
}
