/**
 * The address of a wallet's associated token account: the first of 256
 * candidates that is no point of the curve, so that no key can sign for it.
 *
 *   sha256(owner | token program | mint | bump | ATA program | "ProgramDerivedAddress"),  bump 255, 254, ...
 *
 * Source: solana-program/associated-token-account interface/src/address.rs
 * · anza-xyz/solana-sdk address/src/derive (bytes_are_curve_point)
 */

import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { decodeBase58 } from './base58.ts'
import { ASSOCIATED_TOKEN_PROGRAM } from './programs.ts'

const KEY_BYTES = 32
const BUMP_AT = 3 * KEY_BYTES
const MAX_BUMP = 255

/** Everything that is hashed behind the bump. */
const TAIL = Buffer.concat([
  decodeBase58(ASSOCIATED_TOKEN_PROGRAM, KEY_BYTES)!,
  Buffer.from('ProgramDerivedAddress'),
])

/** @param tokenProgram  which of the two token programs owns the mint */
export function associatedAddress(owner: Uint8Array, mint: Uint8Array, tokenProgram: Uint8Array): Uint8Array {
  const seeds = Buffer.concat([owner, tokenProgram, mint, Uint8Array.of(0), TAIL])
  for (let bump = MAX_BUMP; bump >= 0; bump--) {
    seeds[BUMP_AT] = bump
    const candidate = sha256(seeds)
    if (!isOnCurve(candidate)) return candidate
  }
  // Each candidate is off the curve with probability one half.
  throw new RangeError('none of the 256 candidates is off the curve')
}

/**
 * Whether bytes decode to a point, as leniently as in the runtime, which also
 * takes encodings that are not canonical.
 */
function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes, true)
    return true
  } catch {
    return false
  }
}
