/** A wallet's swap on an EVM chain, with viem. */
import { erc20Abi } from 'viem'
import { prepareSwap } from './swap.mjs'

/**
 * @param wallet  viem's wallet client, with an account, extended with publicActions
 * @param order   see swap.mjs; `from` is set to the wallet's own address
 * @returns the hash of the swap's transaction, or null if the user declined
 */
export async function swapEvm(gateway, wallet, order, agree) {
  const built = await prepareSwap(gateway, { ...order, from: wallet.account.address }, agree)
  if (built === null) return null
  if (built.approval !== null) {
    const { token, spender, amount, reset } = built.approval
    // Some tokens refuse to change a non-zero allowance.
    if (reset) await approve(wallet, token, spender, 0n)
    await approve(wallet, token, spender, BigInt(amount))
  }
  // Here the wallet shows the transaction and signs it.
  const { to, data, value } = built
  const hash = await wallet.sendTransaction({ to, data, value: BigInt(value) })
  await succeeded(wallet, hash)
  return hash
}

async function approve(wallet, token, spender, amount) {
  const call = { address: token, abi: erc20Abi, functionName: 'approve', args: [spender, amount] }
  await succeeded(wallet, await wallet.writeContract(call))
}

async function succeeded(wallet, hash) {
  const { status } = await wallet.waitForTransactionReceipt({ hash })
  if (status !== 'success') throw new Error(`The transaction ${hash} was reverted.`)
}
