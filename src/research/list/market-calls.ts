/**
 * Calls to market providers for the token list. A failed call does not fail the
 * rebuild: the ages of the rows show that it brought nothing.
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

  /** @returns undefined if the call failed */
  async ask<T>(provider: string, call: (options: CallOptions) => Promise<T>): Promise<T | undefined> {
    try {
      return await call(this.#options)
    } catch (error) {
      // GET /api/health shows upstream failures; any other error is a bug of the gateway.
      if (error instanceof GatewayError) this.#log.debug({ provider, code: error.code }, 'token list source')
      else this.#log.error({ provider, err: error }, 'fault')
      return undefined
    }
  }
}
