/** A swap in a wallet app, with wagmi: React's `useWalletClient()` gives the same wallet client. */
import { executeSwap, viemWallet } from '@swapgate/client/swap'
import { getWalletClient } from '@wagmi/core'

/**
 * @param client   of @swapgate/client
 * @param order    chain, side, token and amount as the user typed them
 * @param config   wagmi's
 * @param options  of executeSwap: `agree` shows the quote, `keep` makes it survive a reload
 * @returns the hash of the swap, its receipt, and what the wallet changed
 */
export async function swapWagmi(client, order, config, options) {
  return executeSwap(client, order, viemWallet(await getWalletClient(config)), options)
}
