/**
 * What is built is worth at least what the caller was promised: the minimum of
 * the quote holds, whatever is quoted anew in its place.
 *
 * Source: §4.6
 */
import { GatewayError } from '../../runtime/errors.ts'
import type { Offer } from '../provider.ts'

type Worth = Pick<Offer, 'expectedOut'>
type Promised = Pick<Offer, 'minOut'>

const ALL_BPS = 10_000n

/** @throws GatewayError  quote_moved, when what was quoted anew gives less than the quote's minimum */
export function requireWorth(anew: Worth, quoted: Promised, provider: string): void {
  if (anew.expectedOut < quoted.minOut) throw quoteMoved(anew, quoted, provider)
}

/**
 * Of an offer that was asked for anew: the minimum that was agreed on stays,
 * whatever the market does in between.
 * @returns the slippage to ask with once more, in bps; null where the minimum is kept already
 * @throws GatewayError  quote_moved, when no slippage keeps it
 */
export function slippageToKeep(
  anew: Worth & Promised,
  { minOut }: Promised,
  provider: string,
): number | null {
  if (anew.minOut >= minOut) return null
  requireWorth(anew, { minOut }, provider)
  const slippageBps = Number(((anew.expectedOut - minOut) * ALL_BPS) / anew.expectedOut)
  // No provider takes less than one bps.
  if (slippageBps < 1) throw quoteMoved(anew, { minOut }, provider)
  return slippageBps
}

/** @throws GatewayError  quote_moved, when the minimum of what was quoted anew is below the quote's */
export function requireMinimum(anew: Worth & Promised, { minOut }: Promised, provider: string): void {
  if (anew.minOut < minOut) throw quoteMoved(anew, { minOut }, provider)
}

/** The refusal, with both figures, so that the caller can tell how far the market went. */
export function quoteMoved({ expectedOut }: Worth, { minOut }: Promised, provider: string): GatewayError {
  const message = "The market moved below the quote's minimum. Ask for a new quote."
  const figures = { minOut: String(minOut), expectedOut: String(expectedOut) }
  return new GatewayError('quote_moved', message, { provider, ...figures })
}
