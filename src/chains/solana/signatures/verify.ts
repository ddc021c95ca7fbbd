/**
 * Verifies Ed25519 exactly as strictly as a Solana validator, with either of two engines that give the same
 * verdicts: ed25519-dalek's `verify_strict`, which is
 *
 *   S < L · A decodes · neither A nor R of small order · bytes([S]B - [k]A) = R
 *   with k = SHA-512(R, A, M) mod L, and without multiplying by the cofactor
 *
 * Source: rule R26 of codes.json · RFC 8032 §5.1.7
 */

import type { Verifier, VerifierOptions } from './verifier.ts'
import { NativeVerifier } from './verify-native.ts'
import { NobleVerifier } from './verify-noble.ts'

export function createVerifier(engine: 'noble' | 'native', options: VerifierOptions = {}): Verifier {
  return engine === 'noble' ? new NobleVerifier(options) : new NativeVerifier(options)
}
