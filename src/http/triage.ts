/**
 * Load shedding as one request meets it: asked by its head, then by the bytes of its body, and last by what they say.
 * A request that is not shed is counted from then on.
 */

import type { CompiledRoute } from './compiled-route.ts'
import type { Shedding, SheddingPriority } from './overload/shedding.ts'
import { announcedBytes } from './request/body.ts'
import type { Exchange } from './request/exchange.ts'

export class Triage {
  readonly #shedding: Shedding | null

  /** @param shedding  null: nothing is shed, and nothing counted */
  constructor(shedding: Shedding | null) {
    this.#shedding = shedding
  }

  /** Whether a request is shed by its head, taken as the most urgent one that it can be. */
  shedsHead({ priority, byBody }: CompiledRoute, exchange: Exchange): boolean {
    const isShort = byBody !== null && announcedBytes(exchange.request) < byBody.leastBuildBytes
    const highest = priority ?? (byBody && (isShort ? 'quote' : 'build'))
    // Without overload nobody has decided: its bytes are asked if it begins meanwhile.
    const mustAsk = highest !== null && this.#shedding?.mustAsk() === true
    if (mustAsk && !this.#shedding!.admits(highest, exchange.client)) return true
    exchange.isAdmitted = mustAsk && isShort
    return false
  }

  /** Whether it is shed before its body is parsed. If that may be a build's, `shedsBody` decides. */
  shedsBytes({ byBody }: CompiledRoute, bytes: Buffer, exchange: Exchange): boolean {
    const isOpen = byBody !== null && !exchange.isAdmitted
    const guess = isOpen && this.#shedding?.mustAsk() ? byBody.ofBytes(bytes) : null
    if (guess === 'build') return false
    if (guess !== null && this.#sheds(guess, exchange)) return true
    this.count(exchange)
    return false
  }

  /** @param body  validated */
  shedsBody({ byBody }: CompiledRoute, body: unknown, exchange: Exchange): boolean {
    if (this.#shedding === null || exchange.meter !== null) return false
    if (this.#sheds(byBody!.of(body), exchange)) return true
    this.count(exchange)
    return false
  }

  /** Counts from now on what the exchange costs. */
  count(exchange: Exchange): void {
    if (this.#shedding === null) return
    this.#shedding.costs.begin(exchange.client)
    exchange.meter = this.#shedding.costs
  }

  /** Charges the time for which its handler computed, ms. */
  charge({ client }: Exchange, ms: number): void {
    this.#shedding?.costs.work(client, ms)
  }

  #sheds(priority: SheddingPriority, { client }: Exchange): boolean {
    return this.#shedding?.mustAsk() === true && !this.#shedding.admits(priority, client)
  }
}
