/**
 * One call to a market provider on the list's behalf. What goes wrong with it
 * is the list's to outlive, and is told by the age of what it would have brought.
 */

import type { CallOptions } from '../../providers/provider.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Logger } from '../../runtime/log.ts'

export class MarketCalls {
  readonly #log: Logger
  readonly #options: CallOptions

  constructor(log: Logger, deadlineMs: number) {
    this.#log = log
    this.#options = { deadlineMs, priority: 'list', scope: null }
  }

  /** @returns undefined where it failed */
  async ask<T>(provider: string, call: (options: CallOptions) => Promise<T>): Promise<T | undefined> {
    try {
      return await call(this.#options)
    } catch (error) {
      // Failures of upstreams are in GET /api/health; the rest is our own fault.
      if (error instanceof GatewayError) this.#log.debug({ provider, code: error.code }, 'token list source')
      else this.#log.error({ provider, err: error }, 'fault')
      return undefined
    }
  }
}
