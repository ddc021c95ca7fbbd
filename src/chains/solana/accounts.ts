/** The accounts of a transaction, and what it may do with each. Source: anza-xyz/solana-sdk message/src/versions/v0 */
import { encodeBase58 } from './base58.ts'
import type { WireTransaction } from './wire.ts'

export interface AccountUse {
  /** base58 */
  readonly address: string
  readonly isSigner: boolean
  readonly isWritable: boolean
}

/** Whether a transaction may write to a static key. Signers come first; each group ends with its read-only keys. */
export const isStaticWritable = (
  { keyCount, requiredSignatures, readonlySigned, readonlyUnsigned }: WireTransaction,
  index: number,
): boolean =>
  index < requiredSignatures
    ? index < requiredSignatures - readonlySigned
    : index < keyCount - readonlyUnsigned

/**
 * The accounts by their index in a parsed transaction: its static keys, then those of lookup tables.
 * @param entryOf  the address of a table's entry
 */
export function accountsOf(
  wire: WireTransaction,
  entryOf: (table: string, index: number) => string,
): readonly AccountUse[] {
  const statics = Array.from({ length: wire.keyCount }, (_, i) => ({
    address: encodeBase58(wire.key(i)),
    isSigner: i < wire.requiredSignatures,
    isWritable: isStaticWritable(wire, i),
  }))
  const lookups = wire.lookupCount === 0 ? [] : wire.lookups()
  const loaded = (kind: 'writable' | 'readonly'): readonly AccountUse[] =>
    lookups.flatMap(({ table, [kind]: indexes }) => {
      const name = encodeBase58(table)
      const isWritable = kind === 'writable'
      return [...indexes].map((index) => ({ address: entryOf(name, index), isSigner: false, isWritable }))
    })
  return [...statics, ...loaded('writable'), ...loaded('readonly')]
}
