/** A swap in a Solana app, with what `useWallet()` and `useConnection()` of @solana/wallet-adapter-react give. */
import { VersionedTransaction } from '@solana/web3.js' // npm install @solana/web3.js@1
import { hasLanded, send } from './submit-web3.mjs'
import { prepareSwap } from './swap.mjs'

/**
 * @param wallet      has `publicKey` and `signTransaction`
 * @param connection  to the gateway's relay: `connect` of submit-web3.mjs makes one
 * @param order       see swap.mjs; `from` is set to the wallet's own address
 * @param agree       shows the quote to the user, and resolves to whether they agree
 * @returns the signature of the swap that landed, or null if the user declined
 */
export async function swapWithAdapter(gateway, connection, wallet, order, agree, pollMs) {
  const built = await prepareSwap(gateway, { ...order, from: wallet.publicKey.toBase58() }, agree)
  if (built === null) return null
  const unsigned = VersionedTransaction.deserialize(Buffer.from(built.solanaTransaction, 'base64'))
  const signed = await wallet.signTransaction(unsigned)
  const signature = await send(connection, signed.serialize())
  if (await hasLanded(connection, signature, built.lastValidBlockHeight, pollMs)) return signature
  throw new Error('The swap has expired: it did not land, and never will. Ask for a new quote.')
}
