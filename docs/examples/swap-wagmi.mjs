/** A swap in a wallet app, with wagmi's actions: React's hooks have the same names and arguments. */
import { sendTransaction, waitForTransactionReceipt, writeContract } from '@wagmi/core'
import { erc20Abi } from 'viem'
import { prepareSwap } from './swap.mjs'

/**
 * @param config   wagmi's
 * @param order    see swap.mjs; `from` is the address of the account
 * @param agree    shows the quote to the user, and resolves to whether they agree
 * @param account  the connected one if left out
 * @returns the hash of the swap's transaction, or null if the user declined
 */
export async function swapWagmi(gateway, config, order, agree, account) {
  const built = await prepareSwap(gateway, order, agree)
  if (built === null) return null
  const { approval, to, data, value, chainId } = built
  const approve = (amount) =>
    writeContract(config, {
      account,
      chainId,
      address: approval.token,
      abi: erc20Abi,
      functionName: 'approve',
      args: [approval.spender, amount],
    })
  if (approval !== null) {
    // Some tokens refuse to change a non-zero allowance.
    if (approval.reset) await succeeded(config, await approve(0n))
    await succeeded(config, await approve(BigInt(approval.amount)))
  }
  const hash = await sendTransaction(config, { account, chainId, to, data, value: BigInt(value) })
  await succeeded(config, hash)
  return hash
}

async function succeeded(config, hash) {
  const { status } = await waitForTransactionReceipt(config, { hash })
  if (status !== 'success') throw new Error(`The transaction ${hash} was reverted.`)
}
