/**
 * Recovers the signer. Loaded only for signed transactions, because the curve's code is large. Source: EIP-2
 * · SEC 1, 4.1.6 (recovery)
 */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { canonical } from './context.ts'

/**
 * @param hash  of the signed text
 * @param recovery  0 or 1
 * @returns null if the signature is invalid
 */
export function recoverSigner(hash: Uint8Array, r: bigint, s: bigint, recovery: bigint): string | null {
  try {
    const signature = new secp256k1.Signature(r, s, Number(recovery))
    if (signature.hasHighS()) return null
    const key = signature.recoverPublicKey(hash).toBytes(false)
    return canonical(`0x${bytesToHex(keccak_256(key.subarray(1)).subarray(-20))}`)
  } catch {
    return null
  }
}
