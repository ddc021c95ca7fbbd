/** Adds instructions to a compiled transaction. Source: anza-xyz/solana-sdk message/src/versions/v0 */
import { encodeBase58 } from './base58.ts'
import { type AccountUse, compileTransaction, type InstructionParts } from './message.ts'
import type { WireTransaction } from './wire.ts'

/** The addresses of each lookup table, by the table's own. */
export type Tables = ReadonlyMap<string, readonly Uint8Array[]>

/** Whether a transaction may write to a static key. Signers come first; each group ends with its read-only keys. */
export const isStaticWritable = (
  { keyCount, requiredSignatures, readonlySigned, readonlyUnsigned }: WireTransaction,
  index: number,
): boolean =>
  index < requiredSignatures
    ? index < requiredSignatures - readonlySigned
    : index < keyCount - readonlyUnsigned

/** What a transaction begins with in place of a blockhash: see nonce.ts. */
export interface Beginning {
  readonly advance: InstructionParts
  /** The nonce's, 32 bytes. */
  readonly value: Uint8Array
}

/**
 * The unsigned transaction of version 0 with the same instructions, and more at the end. Its static keys stay static.
 * @param wire       parsed, not of version 1; each entry that it names is in `tables`
 * @param beginning  null: it keeps its own
 * @returns null if there are more accounts than a message can name
 */
export function withInstructions(
  wire: WireTransaction,
  tables: Tables,
  added: readonly InstructionParts[],
  beginning: Beginning | null = null,
): Buffer | null {
  const statics = Array.from({ length: wire.keyCount }, (_, i) => ({
    address: encodeBase58(wire.key(i)),
    isSigner: i < wire.requiredSignatures,
    isWritable: isStaticWritable(wire, i),
  }))
  const lookups = wire.lookupCount === 0 ? [] : wire.lookups()
  const read = new Map([...tables].map(([table, entries]) => [table, entries.map(encodeBase58)]))
  const loaded = (kind: 'writable' | 'readonly'): readonly AccountUse[] =>
    lookups.flatMap(({ table, [kind]: indexes }) =>
      [...indexes].map((index) => ({
        address: read.get(encodeBase58(table))![index]!,
        isSigner: false,
        isWritable: kind === 'writable',
      })),
    )
  const accounts = [...statics, ...loaded('writable'), ...loaded('readonly')]
  const kept = wire.instructions().map(({ programIndex, accounts: indexes, data }) => ({
    program: accounts[programIndex]!.address,
    accounts: [...indexes].map((index) => accounts[index]!),
    data,
  }))
  return compileTransaction({
    payer: statics[0]!.address,
    instructions: [...(beginning === null ? [] : [beginning.advance]), ...kept, ...added],
    tables: Object.fromEntries(read),
    pinned: new Set(statics.map(({ address }) => address)),
    blockhash: beginning?.value ?? wire.blockhash(),
  })
}
