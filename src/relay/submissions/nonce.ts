/**
 * Durable nonces: a transaction whose first instruction advances a nonce has the nonce's value in place of a
 * blockhash, and can land while that value is unused.
 *
 * Source: anza-xyz/solana-sdk transaction/src/lib.rs (uses_durable_nonce)
 */
import { advancesNonce } from '../../chains/solana/wallet-edits.ts'
import type { WireTransaction } from '../../chains/solana/wire.ts'

export function isDurableNonce(wire: WireTransaction): boolean {
  const first = wire.instructions()[0]
  if (first === undefined) return false
  const { programIndex, data } = first
  // The system program's key is all zeros.
  return wire.key(programIndex).every((byte) => byte === 0) && advancesNonce(data)
}
