/**
 * What an engine that checks Ed25519 signatures does, whichever it is. The
 * engines and the choice between them are in `verify.ts`.
 */
import type { Clock } from '../../runtime/clock.ts'

export interface Verifier {
  /** Signers that are remembered. */
  readonly signers: number
  /** Never throws; whatever is not 64 bytes of signature and 32 of key does not verify. */
  verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean
  /**
   * Makes a table for at most one signer that was seen repeatedly, whose next
   * checks take less time (bench: Verifier, known signer): to be called when
   * nobody waits for a reply. The first call also makes the table that all
   * checks share, which the first check would have to make otherwise.
   */
  prepareTables(): void
}

export interface VerifierOptions {
  /** Signers remembered at the same time. */
  readonly maxSigners?: number
  readonly clock?: Clock
}
