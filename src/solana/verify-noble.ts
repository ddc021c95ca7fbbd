/**
 * `verify_strict` in point arithmetic of @noble/curves. Everything here is
 * public, so nothing needs constant time.
 *
 * A signer that comes back gets a table. Cutting k into 16 pieces of 16 bits
 * makes [k]A a sum of 16 short products, which share 16 doublings instead of
 * 253; the points they start from do not change:
 *
 *   [k]A = [k0]A + [k1](2^16 A) + ... + [k15](2^240 A)
 *
 * Source: paulmillr/noble-curves src/abstract/curve.ts (interleavedMSMUnsafe)
 */

import { interleavedMSMUnsafe } from '@noble/curves/abstract/curve.js'
import type { EdwardsPoint } from '@noble/curves/abstract/edwards.js'
import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToNumberLE, equalBytes } from '@noble/curves/utils.js'
import { sha512 } from '@noble/hashes/sha2.js'
import type { LRUCache } from 'lru-cache'
import { createSignerCache } from './signer-cache.ts'
import { isEligible } from './strict.ts'
import type { Verifier, VerifierOptions } from './verifier.ts'

const { Point } = ed25519
const { Fn } = Point

const PIECES = 16
const PIECE_BITS = 16
const PIECE_MASK = 0xffffn
/** Bits of a window: the table holds eight odd multiples of each of the 16 points. */
const WINDOW = 5

export class NobleVerifier implements Verifier {
  readonly #signers: LRUCache<string, Signer>
  #candidate: Signer | null = null

  constructor(options: VerifierOptions) {
    this.#signers = createSignerCache(options)
  }

  verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
    if (!isEligible(signature, publicKey)) return false
    const s = bytesToNumberLE(signature.subarray(32))
    if (s >= Fn.ORDER) return false

    const name = Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.length).toString('latin1')
    const known = this.#signers.get(name)
    const signer = known ?? decodeSigner(publicKey)
    if (signer === null) return false

    // As bytes: that R need not be decoded saves a square root, and what is
    // not the canonical encoding of a point equals none.
    const r = signature.subarray(0, 32)
    const k = Fn.create(bytesToNumberLE(sha512.create().update(r).update(publicKey).update(message).digest()))
    const expected = Point.BASE.multiplyUnsafe(s).subtract(signer.multiply(k))
    if (!equalBytes(expected.toBytes(), r)) return false

    // Only a signature that holds is remembered: others cost their sender nothing.
    if (known === undefined) this.#signers.set(name, signer)
    else if (!signer.hasTable) this.#candidate = signer
    return true
  }

  prepareTables(): void {
    // The first product of the base point builds its table; each later one is a look-up.
    Point.BASE.multiplyUnsafe(2n)
    this.#candidate?.buildTable()
    this.#candidate = null
  }
}

/** A key, decoded as dalek does it: y may be p or more, and x = 0 may carry a sign. */
function decodeSigner(publicKey: Uint8Array): Signer | null {
  try {
    return new Signer(Point.fromBytes(publicKey, true))
  } catch {
    return null
  }
}

/** A public key, decoded. A table is 128 points: about 34 KiB. */
class Signer {
  readonly #point: EdwardsPoint
  #multiplyPieces: ((pieces: bigint[]) => EdwardsPoint) | null = null

  constructor(point: EdwardsPoint) {
    this.#point = point
  }

  get hasTable(): boolean {
    return this.#multiplyPieces !== null
  }

  /** @param k  0 <= k < L */
  multiply(k: bigint): EdwardsPoint {
    if (this.#multiplyPieces === null) return this.#point.multiplyUnsafe(k)
    const pieces: bigint[] = []
    for (let i = 0; i < PIECES; i++, k >>= BigInt(PIECE_BITS)) pieces.push(k & PIECE_MASK)
    return this.#multiplyPieces(pieces)
  }

  buildTable(): void {
    const points = [this.#point]
    for (let i = 1; i < PIECES; i++) {
      let point = points[i - 1]!
      for (let bit = 0; bit < PIECE_BITS; bit++) point = point.double()
      points.push(point)
    }
    this.#multiplyPieces = interleavedMSMUnsafe(Point, points, WINDOW)
  }
}
