/**
 * Markets list the native coin of an EVM chain as its wrapper, which costs the
 * same. On other chains it is a token like any other.
 */
import { nativeAddress } from '../../chains/address.ts'
import { findChain } from '../../chains/find.ts'
import { wrapperOf } from '../../chains/majors.ts'
import type { TokenId } from './market.ts'

/** @param address  canonical. @returns the address under which markets list it */
export function listedAs(chainKey: string, address: string): string {
  const wrapper = wrapperOf(chainKey)
  return wrapper !== null && address === nativeAddress(findChain(chainKey)!) ? wrapper : address
}

/** @returns the native coin's own names, where markets show its wrapper's; else null */
export function ownNames({ chain, address }: TokenId): { symbol: string; name: string } | null {
  if (listedAs(chain, address) === address) return null
  const { native, name } = findChain(chain)!
  return { symbol: native, name }
}
