/** The signed part of a Solana transaction. Source: anza-xyz/solana-sdk transaction/src/versioned */
import { WalletError } from './wallet.ts'

const SIGNATURE_BYTES = 64

/**
 * The bytes after the signatures. A swap has one signature: the fee payer's.
 * @throws WalletError  unless the transaction needs exactly one
 */
export function messageOf(transaction: Uint8Array): Uint8Array<ArrayBuffer> {
  if (transaction[0] !== 1) throw new WalletError('The transaction does not need exactly one signature.')
  return Uint8Array.from(transaction.subarray(1 + SIGNATURE_BYTES))
}
