/**
 * What an engine that checks Ed25519 signatures does, whichever it is. The
 * engines and the choice between them are in `verify.ts`.
 */

export interface Verifier {
  /** Never throws; whatever is not 64 bytes of signature and 32 of key does not verify. */
  verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean
  /**
   * Make the next check of a signer seen repeatedly cheaper. About a
   * millisecond for at most one signer, to be spent when nobody waits for a
   * reply. The first call also makes the table that all checks share, tens of
   * milliseconds that the first check would take otherwise.
   */
  prepareTables(): void
}

export interface VerifierOptions {
  /** Signers remembered at the same time. */
  readonly maxSigners?: number
  /** A monotonic clock, ms. */
  readonly now?: () => number
}
