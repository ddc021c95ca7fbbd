/**
 * Sets the blockhash of Solana transactions that are handed out. Nobody has
 * signed them, so it need not be the provider's: it is of our own node's, and
 * `lastValidBlockHeight` is that blockhash's. With a provider's word for the
 * height, a wallet would take a transaction that can still land for one that
 * never will, and sign another.
 *
 * A transaction that somebody has signed, or that advances a nonce instead, is
 * refused before: see solana.ts.
 */
import { WireTransaction } from '../../chains/solana/wire.ts'
import type { Call } from '../../flow/call.ts'
import type { LatestBlockhash } from '../../upstream/nodes/solana/blockhash.ts'
import { refuseMaterial } from '../terms/verification.ts'

/** Asks our own node. @throws GatewayError  upstream_* */
export type AskBlockhash = (call: Call) => Promise<LatestBlockhash>

/** A transaction in base64, with a blockhash of our own node's. */
interface FreshTransaction {
  readonly transaction: string
  readonly lastValidBlockHeight: number
}

/**
 * @param transaction  base64, unsigned; it has to be proved before the result is handed out
 * @throws GatewayError  upstream_*, where no node answers
 */
export async function withFreshBlockhash(
  transaction: string,
  ask: AskBlockhash,
  call: Call,
): Promise<FreshTransaction> {
  const { blockhash, lastValidBlockHeight } = await ask(call)
  return { transaction: withBlockhash(transaction, blockhash), lastValidBlockHeight }
}

/** @param blockhash  32 bytes */
function withBlockhash(base64: string, blockhash: Uint8Array): string {
  const bytes = Buffer.from(base64, 'base64')
  const wire = new WireTransaction()
  if (wire.parse(bytes) !== null) throw refuseMaterial('parse')
  bytes.set(blockhash, wire.blockhashAt)
  return bytes.toString('base64')
}
