/** A wallet's swap on an EVM chain, with viem. */
import { encodeFunctionData, erc20Abi, keccak256, RpcRequestError } from 'viem'
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
  const hash = await send(wallet, { to, data, value: BigInt(value) })
  await succeeded(wallet, hash)
  return hash
}

async function approve(wallet, token, spender, amount) {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] })
  await succeeded(wallet, await send(wallet, { to: token, data }))
}

/**
 * The hash is known before the answer, so a lost answer loses nothing: the receipt is asked by the hash.
 * @throws if a node refused it, so that it was not sent
 */
async function send(wallet, call) {
  // A browser's wallet signs and sends in one step: only its answer has the hash.
  if (wallet.account.type !== 'local') return wallet.sendTransaction(call)
  const request = await wallet.prepareTransactionRequest(call)
  const serializedTransaction = await wallet.signTransaction(request)
  try {
    await wallet.sendRawTransaction({ serializedTransaction })
  } catch (error) {
    // viem sends again after a lost answer; a node that has the transaction by then refuses it.
    const isSent = /already known|already imported|nonce too low/i.test(error.message)
    if (!isSent && error.walk?.((cause) => cause instanceof RpcRequestError)) throw error
  }
  return keccak256(serializedTransaction)
}

async function succeeded(wallet, hash) {
  // Where it takes too long, the error has the hash: look it up before you send another one.
  const { status } = await wallet.waitForTransactionReceipt({ hash })
  if (status !== 'success') throw new Error(`The transaction ${hash} was reverted.`)
}
