/**
 * A bot's swap on Solana that lands or says why not: each attempt pays a higher priority fee, and starts only once
 * the one before has expired, so nothing is bought twice.
 */
import { VersionedTransaction } from '@solana/web3.js' // npm install @solana/web3.js@1
import { connect, hasLanded, send } from './submit-web3.mjs'
import { buildSwap, getQuote } from './swap.mjs'

const PRIORITIES = ['low', 'medium', 'high']

/**
 * @param wallet  a Keypair
 * @param order   see swap.mjs; `from` is set to the wallet's own address
 * @param leastOut  the least to accept, in base units: a quote whose minimum is below is not built
 * @returns the signature of the swap that landed
 */
export async function trade(gateway, wallet, order, leastOut, pollMs) {
  const connection = connect(gateway)
  const asked = { ...order, from: wallet.publicKey.toBase58() }
  for (const priority of PRIORITIES) {
    const quote = await getQuote(gateway, asked)
    if (BigInt(quote.minOut) < leastOut) throw new Error(`Only ${quote.minOut} would arrive for sure.`)
    const built = await buildSwap(gateway, { ...asked, priority }, quote)
    const transaction = VersionedTransaction.deserialize(Buffer.from(built.solanaTransaction, 'base64'))
    transaction.sign([wallet])
    // A lost answer is not a failure: it may land, so nothing is signed before it has expired.
    const signature = await send(connection, transaction.serialize())
    if (await hasLanded(connection, signature, built.lastValidBlockHeight, pollMs)) return signature
  }
  throw new Error('None of the transactions landed; each has expired.')
}
