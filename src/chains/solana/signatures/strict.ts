/**
 * The part of ed25519-dalek's `verify_strict` that neither engine does by itself: it refuses points of small
 * order, as signer and as nonce. Without it anyone could sign for the System Program's key, which is 32 zero
 * bytes.
 *
 * Source: rule R26 of codes.json · dalek-cryptography/curve25519-dalek ed25519-dalek/src/verifying.rs
 */

import { hexToBytes } from '@noble/hashes/utils.js'
import { KEY_BYTES, SIGNATURE_BYTES } from '../sizes.ts'

/**
 * Whether the lengths are right and neither the key nor the signature's R is of small order. The rest is
 * arithmetic.
 */
export function isEligible(signature: Uint8Array, publicKey: Uint8Array): boolean {
  return (
    signature.length === SIGNATURE_BYTES &&
    publicKey.length === KEY_BYTES &&
    !isSmallOrder(publicKey) &&
    !isSmallOrder(signature)
  )
}

/**
 * Whether the first 32 bytes encode one of the eight points of small order, in any of the fourteen encodings.
 */
function isSmallOrder(bytes: Uint8Array): boolean {
  for (let i = 0; i < SMALL_ORDER_Y.length; i++) {
    const y = SMALL_ORDER_Y[i]!
    let at = 0
    while (at < 31 && bytes[at] === y[at]) at++
    // The top bit is the sign of x; both signs are of small order.
    if (at === 31 && (bytes[31]! & 0x7f) === y[31]) return true
  }
  return false
}

/** The y of each encoding, little-endian, sign cleared; the last two are not reduced mod p. */
const SMALL_ORDER_Y = [
  '0000000000000000000000000000000000000000000000000000000000000000', // 0, order 4
  '0100000000000000000000000000000000000000000000000000000000000000', // 1, the identity
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', // order 8
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', // order 8
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', // p - 1, order 2
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', // p
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', // p + 1
].map(hexToBytes)
