/** A swap in a Solana app, with what `useWallet()` of @solana/wallet-adapter-react gives. */
import { VersionedTransaction } from '@solana/web3.js' // npm install @solana/web3.js@1
import { adapterWallet, executeSwap } from '@swapgate/client/swap'

/**
 * @param client   of @swapgate/client
 * @param order    chain, side, token and amount as the user typed them
 * @param wallet   has `publicKey` and `signTransaction`
 * @param options  of executeSwap: `agree` shows the quote, `keep` makes it survive a reload
 * @returns the signature of the swap, its receipt, and what the wallet changed
 */
export async function swapWithAdapter(client, order, wallet, options) {
  return executeSwap(client, order, adapterWallet(wallet, VersionedTransaction), options)
}
