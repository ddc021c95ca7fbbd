/**
 * `verify_strict` with OpenSSL, which refuses S >= L and compares R as bytes without the cofactor. It differs
 * from dalek only in points of small order, which strict.ts refuses. Node.js refuses them itself only since
 * June 2026, in some of its versions.
 *
 * Source: RFC 8037 §2 · nodejs/node pull request 64026
 */

import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { isEligible } from './strict.ts'
import { CachingVerifier, type Verifier } from './verifier.ts'

export class NativeVerifier extends CachingVerifier<KeyObject> implements Verifier {
  verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
    if (!isEligible(signature, publicKey)) return false
    const x = Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.length).toString('base64url')
    const known = this.known.get(x)
    // A JWK takes the 32 bytes as they are; DER would need a header.
    const key = known ?? createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
    if (!verify(null, message, key, signature)) return false
    if (known === undefined) this.known.set(x, key)
    return true
  }

  /** Does nothing: OpenSSL has no use for tables. */
  prepareTables(): void {}
}
