/** A wallet's swap on Solana with `swapgate/client`, from the quote to a block. */
import { isSwapgateError } from 'swapgate/client'

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

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
