/** The part of a Solana transaction that is signed. Source: anza-xyz/solana-sdk transaction/src/versioned */
import { WalletError } from './wallet.ts'

const SIGNATURE_BYTES = 64

/**
 * All behind the signatures, of which a swap has one: the fee payer's.
 * @throws WalletError  where more are asked for
 */
export function messageOf(transaction: Uint8Array): Uint8Array<ArrayBuffer> {
  if (transaction[0] !== 1) throw new WalletError('The transaction asks for other signatures than one.')
  return Uint8Array.from(transaction.subarray(1 + SIGNATURE_BYTES))
}
