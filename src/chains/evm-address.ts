/**
 * EVM addresses: 20 bytes in hex. Mixed case is a checksum, which must hold; all lower or all upper case
 * carries no checksum and is accepted.
 *
 * Source: EIP-55
 */

import { keccak_256 } from '@noble/hashes/sha3.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { AddressFormat } from './address-format.ts'

/** The native coin as most aggregators write it; LI.FI and OpenOcean write the zero address. */
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const ZERO = '0x0000000000000000000000000000000000000000'

export const EVM_ADDRESSES: AddressFormat = {
  native: NATIVE,
  parseWallet(text) {
    const address = parse(text)
    return address === ZERO || address === NATIVE ? null : address
  },
  parseToken(text) {
    const address = parse(text)
    return address === ZERO ? NATIVE : address
  },
}

/**
 * The address in EIP-55's mixed case: a letter is upper case if the digit at its position in the hash of the
 * lower-case address is 8 or more.
 *
 * @param lower  0x and 40 lower-case digits
 */
export function checksummed(lower: string): string {
  const known = CHECKSUMMED.get(lower)
  if (known !== undefined) return known
  const hash = keccak_256(utf8ToBytes(lower.slice(2)))
  let address = '0x'
  for (let i = 0; i < 40; i++) {
    const nibble = i % 2 === 0 ? hash[i >> 1]! >> 4 : hash[i >> 1]! & 15
    address += nibble < 8 ? lower[i + 2]! : lower[i + 2]!.toUpperCase()
  }
  if (CHECKSUMMED.size >= 2_048) CHECKSUMMED.clear()
  CHECKSUMMED.set(lower, address)
  return address
}

/** The same few addresses recur, and the hash is most of the work. A map, because wallets load this file, too. */
const CHECKSUMMED = new Map<string, string>()

function parse(text: string): string | null {
  if (!HEX_20.test(text)) return null
  const lower = text.toLowerCase()
  const address = checksummed(lower)
  return text === address || text === lower || text === `0x${lower.slice(2).toUpperCase()}` ? address : null
}

const HEX_20 = /^0x[0-9a-fA-F]{40}$/
