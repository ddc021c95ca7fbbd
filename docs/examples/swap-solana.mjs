/** A wallet's swap on Solana, with @solana/web3.js. */
import { VersionedTransaction } from '@solana/web3.js' // npm install @solana/web3.js@1
import { hasLanded, send } from './submit-web3.mjs'
import { prepareSwap } from './swap.mjs'

/**
 * @param wallet  a Keypair, or another signer with the same interface
 * @returns the signature of the swap that landed, or null if the user declined
 */
export async function swapSolana(gateway, connection, wallet, order, agree, pollMs) {
  const built = await prepareSwap(gateway, { ...order, from: wallet.publicKey.toBase58() }, agree)
  if (built === null) return null
  const transaction = VersionedTransaction.deserialize(Buffer.from(built.solanaTransaction, 'base64'))
  // Here the wallet shows the transaction and signs it.
  transaction.sign([wallet])
  const signature = await send(connection, transaction.serialize())
  if (await hasLanded(connection, signature, built.lastValidBlockHeight, pollMs)) return signature
  throw new Error('The swap has expired: it did not land, and never will. Ask for a new quote.')
}
