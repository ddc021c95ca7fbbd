/** A wallet's swap in one call, on Solana or an EVM chain: it trusts no gateway, and survives a lost answer and a reload. */
import { executeSwap, SwapError } from '@swapgate/client/swap'

/**
 * @param client  of @swapgate/client
 * @param order   chain, side, token and amount as the user typed them; slippageBps where the user chose one
 * @param wallet  viemWallet(...), providerWallet(...), kitWallet(...), adapterWallet(...) or web3Wallet(...)
 * @param agree   shows a quote, and resolves to whether the user takes its `minOut` as the least
 * @param keep    { store: localStorage, id }, with an id of this swap: called again with it, the swap goes on
 * @returns the receipt of the swap, or null if the user declined
 * @throws SwapError, SwapgateError  with a `code`
 */
export async function swap(client, order, wallet, agree, keep, pollMs) {
  const onProgress = ({ step, ...what }) => console.error(step, what.id ?? what.status?.status ?? '')
  try {
    const { receipt } = await executeSwap(client, order, wallet, { agree, keep, onProgress, pollMs })
    return receipt
  } catch (error) {
    if (error instanceof SwapError && error.code === 'declined') return null
    throw error
  }
}
