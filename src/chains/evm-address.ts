/**
 * EVM addresses: 20 bytes in hex. Mixed case is a checksum, which must hold;
 * one case throughout carries none and is accepted.
 *
 * Source: EIP-55
 */
import { addr } from 'micro-eth-signer'
import type { AddressFormat } from './address-format.ts'

/** Most aggregators write the native coin so; LI.FI and OpenOcean write the zero address. */
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

function parse(text: string): string | null {
  if (!HEX_20.test(text)) return null
  const lower = text.toLowerCase()
  const checksummed = addr.addChecksum(lower)
  return text === checksummed || text === lower || text === upper(lower) ? checksummed : null
}

function upper(text: string): string {
  return `0x${text.slice(2).toUpperCase()}`
}

const HEX_20 = /^0x[0-9a-fA-F]{40}$/
