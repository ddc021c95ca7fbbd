/** A wallet's swap on an EVM chain that trusts no gateway: it signs what was verified here, by the user's own words. */
import { verify } from '@swapgate/client/verify'

/**
 * @param client    of @swapgate/client
 * @param order     chain, side, token, amount and from, as the user typed them
 * @param accept    shows the quote, and returns the least base units that the user accepts
 * @param wallet    an EIP-1193 provider
 * @param decimals  of (chain, token), from your own list or node: the module knows native coins and stablecoins only
 * @returns         the hashes of the approvals that the token needs, and of the swap
 * @throws Error    with the rule that does not hold
 */
export async function swap(client, order, accept, wallet, decimals) {
  const quote = await client.quote(order)
  const minOut = await accept(quote)
  const built = await client.build({ ...order, quote })
  const wanted = { ...order, amountIn: quote.amountIn, minOut }
  const verdict = await verify(wanted, built, { trust: { decimals } })
  if (!verdict.isVerified) throw new Error(`${verdict.rule}: ${verdict.message}`)
  const { transactions } = verdict.send
  const [{ chainId }] = transactions
  await wallet.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
  const hashes = []
  for (const transaction of transactions)
    hashes.push(await wallet.request({ method: 'eth_sendTransaction', params: [transaction] }))
  return hashes
}
