/**
 * Sui addresses, 32 bytes in hex, and coin types, `address::module::NAME`. A coin type may leave out leading
 * zeros (`0x2::sui::SUI`); its canonical spelling has all 64 digits. A wallet's address must have all 64
 * digits: a shorter one is a typing mistake, and coins sent to it are lost. A coin type with type arguments
 * (a pool's share) is refused, because no provider here routes one.
 *
 * Source: MystenLabs/sui sui-types/src/base_types.rs · the Move book,
 * "Identifiers"
 */
import type { AddressFormat } from './address-format.ts'

const ZERO = `0x${'0'.repeat(64)}`
const NATIVE = `0x${'2'.padStart(64, '0')}::sui::SUI`

const ADDRESS = /^0x([0-9a-fA-F]{64})$/
/** Move identifiers have at most 128 characters each, a bound of the Sui protocol. */
const COIN_TYPE = /^0x([0-9a-fA-F]{1,64})((?:::(?:[A-Za-z]\w{0,127}|_\w{1,127})){2})$/

export const SUI_ADDRESSES: AddressFormat = {
  native: NATIVE,
  parseWallet(text) {
    const digits = ADDRESS.exec(text)?.[1]
    const address = digits === undefined ? null : padded(digits)
    return address === ZERO ? null : address
  },
  parseToken(text) {
    const [, digits, name] = COIN_TYPE.exec(text) ?? []
    return digits === undefined ? null : padded(digits) + name!
  },
}

function padded(digits: string): string {
  return `0x${digits.toLowerCase().padStart(64, '0')}`
}
