/** A wallet's swap on Solana, with @solana/kit. */
import { getBase64EncodedWireTransaction, getBase64Encoder, getTransactionDecoder } from '@solana/kit'
import { connect, hasLanded, send } from './submit-kit.mjs'
import { prepareSwap } from './swap.mjs'

/**
 * @param signer  a TransactionPartialSigner, such as createKeyPairSignerFromBytes() makes
 * @returns the signature of the swap that landed, or null if the user declined
 */
export async function swapKit(gateway, signer, order, agree, pollMs) {
  const built = await prepareSwap(gateway, { ...order, from: signer.address }, agree)
  if (built === null) return null
  const unsigned = getTransactionDecoder().decode(getBase64Encoder().encode(built.solanaTransaction))
  // Here the wallet shows the transaction and signs it.
  const [signatures] = await signer.signTransactions([unsigned])
  const wire = getBase64EncodedWireTransaction({ ...unsigned, signatures })
  const rpc = connect(gateway)
  const signature = await send(rpc, wire)
  if (await hasLanded(rpc, signature, BigInt(built.lastValidBlockHeight), pollMs)) return signature
  throw new Error('The swap has expired: it did not land, and never will. Ask for a new quote.')
}
