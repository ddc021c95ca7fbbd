/**
 * The published limits of the public Solana node for one address: requests in total and
 * per method. Its limits of connections and bytes are left out. Public EVM nodes have
 * similar limits of their own.
 *
 * Source: solana.com/docs/references/clusters
 */

import { FixedWindow } from '../http/limit/fixed-window.ts'

const PUBLIC_LIMITS = { requests: 100, perMethod: 40, windowMs: 10_000 } as const

export class PublicLimits {
  readonly #window = new FixedWindow({
    globalMax: PUBLIC_LIMITS.requests,
    clientMax: PUBLIC_LIMITS.perMethod,
    windowMs: PUBLIC_LIMITS.windowMs,
  })
  /** The counts of the current window. */
  readonly #numbers = new Map<string, number>()

  /**
   * Spends one request for each call of the body.
   *
   * @param body  a JSON-RPC request or batch
   * @param now   Unix time in ms
   * @returns     the seconds to wait, rounded up; null if it may be answered
   */
  take(body: unknown, now: number): number | null {
    for (const call of Array.isArray(body) ? body : [body]) {
      const { method } = (call ?? {}) as { method?: unknown }
      if (!this.#window.at(now).take(0, this.#numberOf(`${method}`))) {
        return Math.ceil(this.#window.remainingMs / 1_000)
      }
    }
    return null
  }

  #numberOf(method: string): number {
    const number = this.#numbers.get(method) ?? this.#numbers.size
    this.#numbers.set(method, number)
    return number
  }
}
