/**
 * `verify_strict` with @noble/curves. It remembers signers that return; signer.ts has the arithmetic.
 */

import type { LRUCache } from 'lru-cache'
import { buildBaseTable, challengeOf, decodeSigner, type Signer, scalarOf } from './signer.ts'
import { isEligible } from './strict.ts'
import { createSignerCache, type Verifier, type VerifierOptions } from './verifier.ts'

export class NobleVerifier implements Verifier {
  readonly #signers: LRUCache<string, Signer>
  #candidate: Signer | null = null
  #hasBaseTable = false

  constructor(options: VerifierOptions) {
    this.#signers = createSignerCache(options)
  }

  get signers(): number {
    return this.#signers.size
  }

  verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
    if (!isEligible(signature, publicKey)) return false
    const s = scalarOf(signature)
    if (s === null) return false

    const name = Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.length).toString('latin1')
    const known = this.#signers.get(name)
    const signer = known ?? decodeSigner(publicKey)
    if (signer === null) return false

    if (!signer.holds(signature, s, challengeOf(signature, message, publicKey))) return false

    // Only signers of valid signatures are remembered: invalid ones cost an attacker nothing.
    if (known === undefined) this.#signers.set(name, signer)
    else if (!signer.hasTable) this.#candidate = signer
    return true
  }

  prepareTables(): void {
    // Each table takes the time of 43 additions.
    if (!this.#hasBaseTable) buildBaseTable()
    this.#hasBaseTable = true
    this.#candidate?.buildTable()
    this.#candidate = null
  }
}
