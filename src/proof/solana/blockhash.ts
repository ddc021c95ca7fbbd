/**
 * Sets the blockhash of Solana transactions that are handed out. They are unsigned, so it need not be the
 * provider's: it comes from our own node, and `lastValidBlockHeight` with it. If a provider could state the
 * height, a wallet might believe that a transaction can no longer land although it can, and sign another.
 *
 * A transaction that is signed is refused earlier, and one with the order's nonce keeps its value: see solana.ts.
 */
import { WireTransaction } from '../../chains/solana/wire.ts'
import type { Call } from '../../flow/call.ts'
import type { LatestBlockhash } from '../../upstream/nodes/solana/blockhash.ts'
import { refuseMaterial } from '../terms/verification.ts'

/** Asks our own node. @throws GatewayError  upstream_* */
export type AskBlockhash = (call: Call) => Promise<LatestBlockhash>

/**
 * @param transaction  base64, unsigned; it has to be proved before the result is handed out
 * @returns the transaction in base64, with a blockhash of our own node's, and the last height that it is good at
 * @throws GatewayError  upstream_*, if no node answers
 */
export async function withFreshBlockhash(transaction: string, ask: AskBlockhash, call: Call) {
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
