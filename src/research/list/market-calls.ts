/**
 * Calls to market providers for the token list. A failed call does not fail the
 * rebuild: the ages of the rows show that it brought nothing.
 */

import { Call } from '../../flow/call.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Logger } from '../../runtime/log.ts'

export class MarketCalls {
  readonly #log: Logger
  readonly #clock: Clock
  readonly #deadlineMs: number

  constructor(log: Logger, clock: Clock, deadlineMs: number) {
    this.#log = log
    this.#clock = clock
    this.#deadlineMs = deadlineMs
  }

  /** @returns undefined if the call failed */
  async ask<T>(provider: string, start: (call: Call) => Promise<T>): Promise<T | undefined> {
    try {
      return await start(Call.of(this.#clock, 'list', this.#deadlineMs))
    } catch (error) {
      // GET /api/health shows upstream failures; any other error is a bug of the gateway.
      if (error instanceof GatewayError) this.#log.debug({ provider, code: error.code }, 'token list source')
      else this.#log.error({ provider, err: error }, 'fault')
      return undefined
    }
  }
}
