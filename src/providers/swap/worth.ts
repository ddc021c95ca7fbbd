/**
 * What is built is worth at least what the caller was promised: the minimum of
 * the quote holds, whatever is quoted anew in its place.
 *
 * Source: §4.6
 */
import { GatewayError } from '../../errors.ts'
import type { Offer } from '../provider.ts'

type Worth = Pick<Offer, 'expectedOut'>
type Promised = Pick<Offer, 'minOut'>

/** @throws GatewayError  quote_moved, when what was quoted anew gives less than the quote's minimum */
export function requireWorth(anew: Worth, quoted: Promised, provider: string): void {
  if (anew.expectedOut < quoted.minOut) throw quoteMoved(anew, quoted, provider)
}

/** With both figures, so that the caller can tell how far the market went. */
export function quoteMoved({ expectedOut }: Worth, { minOut }: Promised, provider: string): GatewayError {
  const message = "The market moved below the quote's minimum. Ask for a new quote."
  const figures = { minOut: String(minOut), expectedOut: String(expectedOut) }
  return new GatewayError('quote_moved', message, { provider, ...figures })
}
