/**
 * The interface of the two engines that verify Ed25519 signatures. `verify.ts` chooses between them.
 */
import type { Clock } from '../../../runtime/clock.ts'

export interface Verifier {
  /** The number of signers that are remembered. */
  readonly signers: number
  /** Never throws. Anything but a signature of 64 bytes and a key of 32 bytes does not verify. */
  verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean
  /**
   * Makes a table for at most one signer that was seen repeatedly, which makes its next checks faster (bench:
   * Verifier, known signer). Call it when no client waits for a reply. The first call also makes the table
   * that all checks share; otherwise the first check makes it.
   */
  prepareTables(): void
}

export interface VerifierOptions {
  /** The most signers that are remembered at once. */
  readonly maxSigners?: number
  readonly clock?: Clock
}
