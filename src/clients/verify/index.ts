/**
 * `@swapgate/client/verify`: reads what a gateway built, to its last byte, in the wallet and with the gateway's own
 * proofs, so that neither a provider nor the gateway has to be trusted. The order is what the wallet's user
 * asked for; the answer's own claims do not count.
 *
 * Each family of chains is loaded at its first use. Only `trust` uses the network.
 */
import type { ExplainOptions, ExplainRequest, Explanation } from '../../explain/types.ts'
import type { Judgement, Trade, Verify, VerifySigned } from './types.ts'
import { verify as verifyBuilt } from './verify.ts'

export type * from '../../explain/types.ts'
export type * from './types.ts'

/** See verify.ts. `verify.signed` compares what a wallet signed with what was built, and never throws. */
export const verify: Verify = Object.assign(
  (...asked: Parameters<typeof verifyBuilt>) => verifyBuilt(...asked),
  {
    /**
     * @param order   as for `verify`
     * @param built   the answer, as it came
     * @param signed  Solana: the signed transaction in base64. EVM: the serialized transaction in hex, or a transaction,
     *                a batch (EIP-5792), a Safe's typed data or a user operation as an object
     * @returns every difference by name; verified if the swap is in it as it was built, and nothing else that costs
     */
    signed: (async (...asked) => {
      const { verifySigned } = await import('./signed/signed.ts')
      return verifySigned(...asked)
    }) satisfies VerifySigned,
  },
)

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
