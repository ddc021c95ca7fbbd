/** Numbers and keys in a transaction's instructions. */
import { equalBytes } from '@noble/curves/utils.js'
import type { WireTransaction } from '../../chains/solana/wire.ts'

/** The index of `from`: the fee payer is the first key. */
export const FROM = 0

/** @returns null for an account from a lookup table: the bytes do not show which account it is */
export function staticKey(wire: WireTransaction, index: number | undefined): Uint8Array | null {
  return index !== undefined && index < wire.keyCount ? wire.key(index) : null
}

type Key = Uint8Array | null | undefined

export const isSame = (a: Key, b: Key): boolean => a != null && b != null && equalBytes(a, b)

export const view = (data: Uint8Array): DataView =>
  new DataView(data.buffer, data.byteOffset, data.byteLength)

export const readU64 = (data: Uint8Array, at: number): bigint => view(data).getBigUint64(at, true)
