/**
 * Ed25519 exactly as strict as a Solana validator, by either of two engines
 * that give the same verdicts: ed25519-dalek's `verify_strict`, which is
 *
 *   S < L · A decodes · neither A nor R of small order · bytes([S]B - [k]A) = R
 *   with k = SHA-512(R, A, M) mod L, and without multiplying by the cofactor
 *
 * Source: rule R26 of errors.ts · RFC 8032 §5.1.7
 */

import { NativeVerifier } from './verify-native.ts'
import { NobleVerifier } from './verify-noble.ts'

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

export function createVerifier(engine: 'noble' | 'native', options: VerifierOptions = {}): Verifier {
  return engine === 'noble' ? new NobleVerifier(options) : new NativeVerifier(options)
}
