/**
 * A signature's equation with scalars of half the length. A signature holds if [s]B = [k]A + R. Multiplied by
 * an invertible d the equation is equivalent, and d can be chosen such that d and c = d k are both about half
 * as long as k, so that [c]A + [d]R takes half the doublings of [k]A:
 *
 *   [d s]B = [c]A + [d]R
 *
 * All points together form a group of order 8 L. Because c is taken modulo 8 L, and d is odd and less than L,
 * the two equations also agree if A or R has a component of small order: nothing is multiplied by the
 * cofactor.
 *
 * Source: Pornin, "Optimized Lattice Basis Reduction In Dimension 2, and Fast
 * Schnorr and EdDSA Signature Verification" (2020)
 */

import { ed25519 } from '@noble/curves/ed25519.js'

const GROUP_ORDER = 8n * ed25519.Point.Fn.ORDER
/** About the square root of the order. */
const HALF = 1n << 128n

/**
 * Euclid's algorithm on 8 L and k, stopped halfway: each remainder equals d k modulo 8 L, for a d that grows
 * as the remainders shrink.
 *
 * @param k  0 <= k < L
 * @returns 0 <= c < L, and c = d k modulo 8 L, for an odd d whose absolute value is less than L
 */
export function halfSize(k: bigint) {
  let [before, c] = [GROUP_ORDER, k]
  let [dBefore, d] = [0n, 1n]
  while (c >= HALF) {
    const quotient = before / c
    const remainder = before - quotient * c
    const next = dBefore - quotient * d
    ;[before, c, dBefore, d] = [c, remainder, d, next]
  }
  if ((d & 1n) === 1n) return { c, d }
  // Successive values of d have no common factor, so both neighbours of an even one are odd.
  const quotient = before / c
  const dAfter = dBefore - quotient * d
  return before < absolute(dAfter) ? { c: before, d: dBefore } : { c: before - quotient * c, d: dAfter }
}

export const absolute = (value: bigint): bigint => (value < 0n ? -value : value)
