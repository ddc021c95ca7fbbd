/** What lookup tables hold. Source: anza-xyz/solana-sdk address-lookup-table-interface/src/state.rs */
import { decodeBase64 } from '../../runtime/base64.ts'
import { LOOKUP_TABLE_PROGRAM } from './programs.ts'
import { KEY_BYTES } from './sizes.ts'

/** A table's addresses begin after its metadata. */
const HEADER_BYTES = 56

/** An account as nodes report it. */
interface ToldAccount {
  readonly owner: string
  readonly data: readonly [base64: string, encoding: string]
}

/** @returns the addresses of a lookup table; null if the account isn't one */
export function entriesOf(account: ToldAccount | null): readonly Uint8Array[] | null {
  const bytes = account?.owner === LOOKUP_TABLE_PROGRAM ? decodeBase64(account.data[0]) : null
  if (bytes === null) return null
  const count = Math.max(0, Math.floor((bytes.length - HEADER_BYTES) / KEY_BYTES))
  const at = (i: number): number => HEADER_BYTES + i * KEY_BYTES
  return Array.from({ length: count }, (_, i) => bytes.subarray(at(i), at(i + 1)))
}
