/**
 * A build gives at least what the client was promised: the quote's minimum holds even if the provider has to
 * quote again.
 *
 * Source: §4.6
 */
import { GatewayError } from '../../runtime/errors.ts'
import type { Offer } from '../provider.ts'

type Worth = Pick<Offer, 'expectedOut'>
type Promised = Pick<Offer, 'minOut'>

const ALL_BPS = 10_000n
/**
 * The most that a build may hold of what its quote expects, in bps: a market rises by less in a minute, and a
 * minimum such as 2^64 - 1 overflows in programs that calculate with it.
 */
const MOST_BPS = 12_500n

/** @throws GatewayError  quote_moved, when the new quote expects less than the old one's minimum */
export function requireWorth(requoted: Worth, quoted: Promised, provider: string): void {
  if (requoted.expectedOut < quoted.minOut) throw quoteMoved(requoted, quoted, provider)
}

/**
 * Whether a new offer keeps the minimum of the old one, and if not, which slippage does.
 * @returns the slippage to ask with again, in bps; null if the new offer keeps the minimum already
 * @throws GatewayError  quote_moved, when no slippage keeps it
 */
export function slippageToKeep(requoted: Worth & Promised, { minOut }: Promised, provider: string) {
  if (requoted.minOut >= minOut) return null
  const { expectedOut: out } = requoted
  const slippageBps = out === 0n ? 0 : Number(((out - minOut) * ALL_BPS) / out)
  // No provider takes a slippage below one bps.
  if (slippageBps < 1) throw quoteMoved(requoted, { minOut }, provider)
  return slippageBps
}

/** @throws GatewayError  quote_moved, when the new quote's minimum is below the old one's */
export function requireMinimum(requoted: Worth & Promised, { minOut }: Promised, provider: string): void {
  if (requoted.minOut < minOut) throw quoteMoved(requoted, { minOut }, provider)
}

/**
 * An answer with at least the quote's minimum, asked for again with less slippage if needed.
 * @param offerOf  the offer in an answer to the order
 * @throws GatewayError  quote_moved, when no slippage keeps it
 */
export async function keepingMinimum<Asked extends { readonly slippageBps: number }, Answer>(
  order: Asked,
  quoted: Promised,
  provider: string,
  ask: (order: Asked) => Promise<Answer>,
  offerOf: (answer: Answer, order: Asked) => Worth & Promised,
): Promise<Answer> {
  const answer = await ask(order)
  const slippageBps = slippageToKeep(offerOf(answer, order), quoted, provider)
  if (slippageBps === null) return answer
  const closer = { ...order, slippageBps }
  const kept = await ask(closer)
  requireMinimum(offerOf(kept, closer), quoted, provider)
  return kept
}

/** @throws GatewayError  quote_moved, if an exact output would take more than the quote's maximum */
export function requireMaximum({ takes }: Pick<Offer, 'takes'>, maxIn: bigint, provider: string): void {
  if (takes!.amountIn <= maxIn) return
  const message = "The market moved above the quote's maximum. Ask for a new quote."
  const figures = { maxIn: String(maxIn), amountIn: String(takes!.amountIn) }
  throw new GatewayError('quote_moved', message, { provider, ...figures })
}

/** Whether a rise of the market since the quote can explain this much output. */
export const isBelievable = (out: bigint, { expectedOut }: Worth): boolean =>
  out <= (expectedOut * MOST_BPS) / ALL_BPS

/** The refusal, with both figures, so that the client sees how far the market moved. */
function quoteMoved({ expectedOut }: Worth, { minOut }: Promised, provider: string): GatewayError {
  const message = "The market moved below the quote's minimum. Ask for a new quote."
  const figures = { minOut: String(minOut), expectedOut: String(expectedOut) }
  return new GatewayError('quote_moved', message, { provider, ...figures })
}
