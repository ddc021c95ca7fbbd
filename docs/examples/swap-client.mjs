/** A wallet's swap on Solana with `swapgate/client`, from the quote to a block. */
import { isSwapgateError } from 'swapgate/client'

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * @param order  chain `solana`, side, token, amount in whole coins or tokens, slippageBps, and `from`, the wallet
 * @param sign   takes the unsigned transaction in base64 and gives the signed one, or null where the user declines
 * @returns the signature of the swap, or null
 * @throws Error  where it failed in its block, or did not land in time
 */
export async function swap(client, order, sign, pollMs = 1_000) {
  const quote = await client.quote(order)
  const built = await client.build({ ...order, quote }).catch((error) => {
    // The market fell below what was quoted: the user is to see a new quote.
    if (isSwapgateError(error, 'quote_moved')) return null
    throw error
  })
  if (built === null) return swap(client, order, sign, pollMs)
  const signed = await sign(built.solanaTransaction, quote)
  if (signed === null) return null
  const signature = await client.rpc('sendTransaction', [signed, { encoding: 'base64' }])
  for (;;) {
    const { status, err } = await client.transactionStatus({ chain: 'solana', signature })
    if (status === 'confirmed' || status === 'finalized') return signature
    if (status === 'failed') throw new Error(`The swap failed: ${JSON.stringify(err)}`)
    const height = await client.rpc('getBlockHeight', [{ commitment: 'confirmed' }])
    if (height > built.lastValidBlockHeight) throw new Error('The swap expired. Ask for a new quote.')
    await sleep(pollMs)
  }
}
