/** Adds instructions to a compiled transaction. Source: anza-xyz/solana-sdk message/src/versions/v0 */
import { accountsOf } from './accounts.ts'
import { encodeBase58 } from './base58.ts'
import { compileTransaction, type InstructionParts } from './message.ts'
import type { WireTransaction } from './wire.ts'

/** The addresses of each lookup table, by the table's own. */
export type Tables = ReadonlyMap<string, readonly Uint8Array[]>

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
  const read = new Map([...tables].map(([table, entries]) => [table, entries.map(encodeBase58)]))
  const accounts = accountsOf(wire, (table, index) => read.get(table)![index]!)
  const kept = wire.instructions().map(({ programIndex, accounts: indexes, data }) => ({
    program: accounts[programIndex]!.address,
    accounts: [...indexes].map((index) => accounts[index]!),
    data,
  }))
  return compileTransaction({
    payer: accounts[0]!.address,
    instructions: [...(beginning === null ? [] : [beginning.advance]), ...kept, ...added],
    tables: Object.fromEntries(read),
    pinned: new Set(accounts.slice(0, wire.keyCount).map(({ address }) => address)),
    blockhash: beginning?.value ?? wire.blockhash(),
  })
}
