/**
 * Durable nonces: a transaction whose first instruction advances a nonce has the nonce's value in place of a
 * blockhash, and can land while that value is unused.
 *
 * Source: anza-xyz/solana-sdk transaction/src/lib.rs (uses_durable_nonce)
 */
import type { WireTransaction } from '../../chains/solana/wire.ts'

/** SystemInstruction::AdvanceNonceAccount, a u32. */
const ADVANCE_NONCE = 4

export function isDurableNonce(wire: WireTransaction): boolean {
  const first = wire.instructions()[0]
  if (first === undefined) return false
  const { programIndex, data } = first
  // The system program's key is all zeros.
  if (!wire.key(programIndex).every((byte) => byte === 0)) return false
  return data[0] === ADVANCE_NONCE && data[1] === 0 && data[2] === 0 && data[3] === 0
}
