/**
 * Program-derived addresses, for which a program signs: the first of 256 candidates, derived from seeds, that
 * is not a point of the curve, so that no key can sign for it.
 *
 *   sha256(seeds | bump | program | "ProgramDerivedAddress"),  bump 255, 254, ...
 *
 * Source: anza-xyz/solana-sdk address/src/derive (bytes_are_curve_point) · RFC 8032 section 5.1
 */

import { bytesToNumberLE } from '@noble/curves/utils.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'

const MARKER = utf8ToBytes('ProgramDerivedAddress')
const MAX_BUMP = 255

/** The field and the coefficient of edwards25519, RFC 8032 section 5.1. */
const P = 2n ** 255n - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
/** The highest bit is the sign of x. */
const MAX_Y = 2n ** 255n - 1n

/** @param seeds  at most 32 bytes each */
export function programAddress(program: Uint8Array, ...seeds: readonly Uint8Array[]): Uint8Array {
  const preimage = concatBytes(...seeds, Uint8Array.of(0), program, MARKER)
  const bumpAt = preimage.length - MARKER.length - program.length - 1
  for (let bump = MAX_BUMP; bump >= 0; bump--) {
    preimage[bumpAt] = bump
    const candidate = sha256(preimage)
    if (!isOnCurve(candidate)) return candidate
  }
  // Each candidate is off the curve with probability one half.
  throw new RangeError('none of the 256 candidates is off the curve')
}

/**
 * Whether the bytes encode a point. As lenient as the runtime's own decompression, which accepts
 * non-canonical encodings: y is on the curve if (y^2 - 1) / (d y^2 + 1) is a square, and a quotient is a
 * square if the product is.
 */
export function isOnCurve(bytes: Uint8Array): boolean {
  const y = bytesToNumberLE(bytes) & MAX_Y
  const square = (y * y) % P
  return jacobi(((square - 1n) * (D * square + 1n)) % P) >= 0
}

/** The Jacobi symbol. @returns 1 for a square modulo P, -1 for a non-square, 0 for zero */
function jacobi(value: bigint): number {
  let a = value < 0n ? value + P : value
  let n = P
  let sign = 1
  while (a !== 0n) {
    while ((a & 1n) === 0n) {
      const zeros = trailingZeros(a)
      a >>= BigInt(zeros)
      const rest = Number(n & 7n)
      if (zeros % 2 === 1 && (rest === 3 || rest === 5)) sign = -sign
    }
    ;[a, n] = [n, a]
    if ((a & 3n) === 3n && (n & 3n) === 3n) sign = -sign
    a %= n
  }
  return n === 1n ? sign : 0
}

/** The number of trailing zero bits, at most 31. */
function trailingZeros(value: bigint): number {
  const low = Number(value & 0x7fffffffn)
  return low === 0 ? 31 : 31 - Math.clz32(low & -low)
}
