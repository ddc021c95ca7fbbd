/** A wallet's swap on Solana with @solana/kit's own confirmation, for a gateway with RPC_COMPAT=node. */
import {
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getSignatureFromTransaction,
  getTransactionDecoder,
  sendAndConfirmTransactionFactory,
} from '@solana/kit'
import { prepareSwap } from './swap.mjs'

/**
 * @param socket  the URL of the gateway's WebSocket: of `http://localhost:8080` it is at the next port,
 *                `ws://localhost:8081/api/solrpc`
 * @param signer  a TransactionPartialSigner
 * @returns the signature of the confirmed swap, or null if the user declined
 */
export async function swapKitNode(gateway, socket, signer, order, agree) {
  const built = await prepareSwap(gateway, { ...order, from: signer.address }, agree)
  if (built === null) return null
  const unsigned = getTransactionDecoder().decode(getBase64Encoder().encode(built.solanaTransaction))
  const [signatures] = await signer.signTransactions([unsigned])
  // A decoded transaction doesn't say when it expires: kit needs to know, to stop waiting.
  const { lifetimeToken } = getCompiledTransactionMessageDecoder().decode(unsigned.messageBytes)
  const lastValidBlockHeight = BigInt(built.lastValidBlockHeight)
  const signed = {
    ...unsigned,
    signatures,
    lifetimeConstraint: { blockhash: lifetimeToken, lastValidBlockHeight },
  }
  const rpc = createSolanaRpc(`${gateway}/api/solrpc`)
  const rpcSubscriptions = createSolanaRpcSubscriptions(socket)
  await sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions })(signed, { commitment: 'confirmed' })
  return getSignatureFromTransaction(signed)
}
