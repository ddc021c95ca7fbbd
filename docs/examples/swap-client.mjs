/** A wallet's swap on Solana with `@swapgate/client`, from the quote to a block. */
import { isSwapgateError } from '@swapgate/client'

/**
 * @param order  chain `solana`, side, token, amount in whole coins or tokens, `from`, the wallet, and slippageBps where the user chose one
 * @param sign   signs an unsigned base64 transaction and returns it in base64, or null if the user declines
 * @returns the signature of the swap, or null if the user declined
 * @throws Error  if the swap failed on chain, or did not land in time
 */
export async function swap(client, wanted, sign, pollMs = 1_000) {
  const { suggestedSlippageBps } = await client.quote(wanted)
  const order = { slippageBps: suggestedSlippageBps, ...wanted }
  const quote = await client.quote(order)
  const built = await client.build({ ...order, quote }).catch((error) => {
    // The market fell below the quote: show the user a new one.
    if (isSwapgateError(error, 'quote_moved')) return null
    throw error
  })
  if (built === null) return swap(client, wanted, sign, pollMs)
  const signed = await sign(built.solanaTransaction, quote)
  if (signed === null) return null
  // The signature is known before the answer: if that is lost, `submit` asks whether the swap landed.
  const { lastValidBlockHeight } = built
  const { signature, outcome } = await client.submit(signed, { lastValidBlockHeight, pollMs })
  if (outcome === 'landed') return signature
  if (outcome === 'reverted') throw new Error(`The swap failed on chain: ${signature}`)
  throw new Error('The swap expired: it did not land, and never will. Ask for a new quote.')
}
