/**
 * `@swapgate/client/verify`: reads what a gateway built, to its last byte, in the wallet and with the gateway's own
 * proofs, so that neither a provider nor the gateway has to be trusted. The order is what the wallet's user
 * asked for; the answer's own claims do not count.
 *
 * Each family of chains is loaded at its first use. Only `trust` uses the network.
 */
import type { ExplainOptions, ExplainRequest, Explanation } from '../../explain/types.ts'
import type { Judgement, Trade } from './types.ts'

export type * from '../../explain/types.ts'
export type * from './types.ts'
export { verify } from './verify.ts'

/** The text of a trade's file, with its verdict. */
export async function tradeFile(trade: Trade): Promise<string> {
  const { tradeFile } = await import('./trade.ts')
  return tradeFile(trade)
}

/** Judges a trade's file again, without a network. */
export async function judgeTrade(text: string): Promise<Judgement> {
  const { judgeTrade } = await import('./trade.ts')
  return judgeTrade(text)
}

/**
 * What any transaction, message or signature request does, in words and in data, as POST /api/explain answers
 * it.
 * @throws Error  whose `field` is wrong in the request; unreadable parts are `unknown` in the answer
 */
export async function explain(request: ExplainRequest, options: ExplainOptions = {}): Promise<Explanation> {
  const { explain } = await import('./explain.ts')
  return explain(request, options)
}
