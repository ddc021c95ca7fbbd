/**
 * Calls to market providers for the token list. A failed call does not fail the
 * rebuild: the ages of the rows show that it brought nothing.
 */

import { Call } from '../../flow/call.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Logger } from '../../runtime/log.ts'

/** Asks a provider. @returns undefined if the call failed */
export type AskMarket = <T>(provider: string, start: (call: Call) => Promise<T>) => Promise<T | undefined>

export const marketCalls =
  (log: Logger, clock: Clock, deadlineMs: number): AskMarket =>
  async (provider, start) => {
    try {
      return await start(Call.of(clock, 'list', deadlineMs))
    } catch (error) {
      // GET /api/health shows upstream failures; any other error is a bug of the gateway.
      if (error instanceof GatewayError) log.debug({ provider, code: error.code }, 'token list source')
      else log.error({ provider, err: error }, 'fault')
      return undefined
    }
  }
