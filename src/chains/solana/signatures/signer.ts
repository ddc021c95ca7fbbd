/**
 * `verify_strict` for one signer, with the point arithmetic of @noble/curves. All inputs are public, so
 * nothing needs constant time.
 *
 * A new signer's equation is shortened (half-size.ts). A signer that returns gets a table, which is faster
 * still: cutting k into 16 pieces of 16 bits makes [k]A a sum of 16 short products, which share 16 doublings
 * instead of 253. Their base points do not change:
 *
 *   [k]A = [k0]A + [k1](2^16 A) + ... + [k15](2^240 A)
 *
 * Source: paulmillr/noble-curves src/abstract/curve.ts (interleavedMSMUnsafe, mulAddUnsafe)
 */

import { interleavedMSMUnsafe, mulAddUnsafe } from '@noble/curves/abstract/curve.js'
import type { EdwardsPoint } from '@noble/curves/abstract/edwards.js'
import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToNumberLE, equalBytes } from '@noble/curves/utils.js'
import { sha512 } from '@noble/hashes/sha2.js'
import { absolute, halfSize } from './half-size.ts'
import { isEligible } from './strict.ts'

const { Point } = ed25519
const { Fn } = Point

const PIECES = 16
const PIECE_BITS = 16
const PIECE_MASK = 0xffffn
/** Bits of a window: the table holds eight odd multiples of each of the 16 points. */
const WINDOW = 5

/** Verifies one signature without remembering the signer. Never throws. */
export function verifyStrict(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (!isEligible(signature, publicKey)) return false
  const s = scalarOf(signature)
  if (s === null) return false
  return decodeSigner(publicKey)?.holds(signature, s, challengeOf(signature, message, publicKey)) ?? false
}

/** @returns the signature's S, or null if it is not below L */
export function scalarOf(signature: Uint8Array): bigint | null {
  const s = bytesToNumberLE(signature.subarray(32))
  return s >= Fn.ORDER ? null : s
}

/** @returns k = SHA-512(R, A, M) mod L */
export function challengeOf(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): bigint {
  const r = signature.subarray(0, 32)
  return Fn.create(bytesToNumberLE(sha512.create().update(r).update(publicKey).update(message).digest()))
}

/** Makes the table that all checks share. Otherwise the first check makes it. */
export function buildBaseTable(): void {
  Point.BASE.multiplyUnsafe(2n)
}

/** Decodes a key as dalek does: y may be p or more, and x = 0 may carry a sign. */
export function decodeSigner(publicKey: Uint8Array): Signer | null {
  const point = decodePoint(publicKey, true)
  return point === null ? null : new Signer(point)
}

function decodePoint(bytes: Uint8Array, zip215: boolean): EdwardsPoint | null {
  try {
    return Point.fromBytes(bytes, zip215)
  } catch {
    return null
  }
}

/** A decoded public key. Its table has 128 points and takes about 34 KiB. */
export class Signer {
  readonly #point: EdwardsPoint
  #multiplyPieces: ((pieces: bigint[]) => EdwardsPoint) | null = null

  constructor(point: EdwardsPoint) {
    this.#point = point
  }

  get hasTable(): boolean {
    return this.#multiplyPieces !== null
  }

  /**
   * Whether [s]B = [k]A + R.
   * @param signature  eligible (strict.ts); begins with R
   * @param s, k  0 <= s, k < L
   */
  holds(signature: Uint8Array, s: bigint, k: bigint): boolean {
    const r = signature.subarray(0, 32)
    if (this.#multiplyPieces === null) return this.#holdsHalfSize(r, s, k)
    const pieces: bigint[] = []
    for (let i = 0; i < PIECES; i++, k >>= BigInt(PIECE_BITS)) pieces.push(k & PIECE_MASK)
    const expected = Point.BASE.multiplyUnsafe(s).subtract(this.#multiplyPieces(pieces))
    // Compared as bytes: not decoding R saves a square root, and a non-canonical encoding equals no point's.
    return equalBytes(expected.toBytes(), r)
  }

  #holdsHalfSize(r: Uint8Array, s: bigint, k: bigint): boolean {
    // Only the canonical encoding, so that equal points have equal bytes.
    const nonce = decodePoint(r, false)
    if (nonce === null) return false
    const { c, d } = halfSize(k)
    const points = [this.#point, d < 0n ? nonce.negate() : nonce]
    const sum = mulAddUnsafe(Point, points, [c, absolute(d)])
    return Point.BASE.multiplyUnsafe(Fn.create(d * s)).equals(sum)
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
