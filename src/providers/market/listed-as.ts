/**
 * Markets list the native coin of an EVM chain as its wrapper, which has the same
 * price. On other chains the native coin is listed like any token.
 */
import { nativeAddress } from '../../chains/address.ts'
import { findChain } from '../../chains/find.ts'
import { wrapperOf } from '../../chains/majors.ts'
import type { TokenId } from './market.ts'

/**
 * @param address  canonical
 * @returns the address under which markets list the token
 */
export function listedAs(chainKey: string, address: string): string {
  const wrapper = wrapperOf(chainKey)
  return wrapper !== null && address === nativeAddress(findChain(chainKey)!) ? wrapper : address
}

/** @returns the native coin's own names if markets list it as its wrapper; otherwise null */
export function ownNames({ chain, address }: TokenId): { symbol: string; name: string } | null {
  if (listedAs(chain, address) === address) return null
  const { native, name } = findChain(chain)!
  return { symbol: native, name }
}
