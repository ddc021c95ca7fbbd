/**
 * Compiles instructions to an unsigned transaction of version 0, which takes some accounts from lookup
 * tables.
 *
 *   [signers c16][64 zero bytes x signers][0x80]
 *   [signers u8][read-only signers u8][read-only others u8][keys c16][32-byte key x keys][blockhash 32]
 *   [instructions c16] x { [program u8][accounts c16][u8...][data c16][...] }
 *   [tables c16] x { [32-byte table][writable c16][u8...][read-only c16][u8...] }
 *
 * Static keys: the payer, writable signers, read-only signers, writable others, read-only others, each in the
 * order in which the instructions name them. The writable accounts of all tables follow, then the read-only
 * ones.
 *
 * Source: anza-xyz/solana-sdk message/src/compiled_keys.rs, message/src/versions/v0
 */

import { getOrInsert } from '../../runtime/lists.ts'
import type { AccountUse } from './accounts.ts'
import { decodeKey } from './base58.ts'
import { SIGNATURE_BYTES } from './sizes.ts'

export type { AccountUse }

export interface InstructionParts {
  /** base58 */
  readonly program: string
  readonly accounts: readonly AccountUse[]
  readonly data: Uint8Array
}

export interface MessageParts {
  /** base58 */
  readonly payer: string
  readonly instructions: readonly InstructionParts[]
  /** The accounts of each table, by the table's address. If two tables hold an account, the first is used. */
  readonly tables: Readonly<Record<string, readonly string[]>>
  /** Accounts that stay static keys although a table holds them. */
  readonly pinned: ReadonlySet<string>
  /** 32 bytes */
  readonly blockhash: Uint8Array
}

/** The union of what all instructions need of an account. */
type Needs = Map<string, typeof NO_NEEDS>
const NO_NEEDS = { isSigner: false, isWritable: false, isInvoked: false }

/** Accounts, and the index of each in its table. */
const noAccounts = () => ({ addresses: [] as string[], indexes: [] as number[] })

const VERSION_0 = 0x80
/** An account's index is one byte, both in a message and in a table. */
const MAX_ACCOUNTS = 256

/**
 * The addresses must be base58 of 32 bytes. The size of the transaction is not checked.
 * @returns null if there are more accounts than a message can name
 */
export function compileTransaction(parts: MessageParts): Buffer | null {
  const { instructions, tables, pinned, blockhash } = parts
  const needs = needsOf(parts)
  const lookups = Object.entries(tables).flatMap(([table, addresses]) => {
    const lookup = takeLookup(needs, table, addresses, pinned)
    return lookup === null ? [] : [lookup]
  })
  const keys = (isSigner: boolean, isWritable: boolean): string[] =>
    [...needs]
      .filter(([, use]) => use.isSigner === isSigner && use.isWritable === isWritable)
      .map(([address]) => address)
  const signers = [...keys(true, true), ...keys(true, false)]
  const readonlyOthers = keys(false, false)
  const fixed = [...signers, ...keys(false, true), ...readonlyOthers]
  const accounts = [
    ...fixed,
    ...lookups.flatMap(({ writable }) => writable.addresses),
    ...lookups.flatMap(({ readonly }) => readonly.addresses),
  ]
  if (accounts.length > MAX_ACCOUNTS) return null
  const at = new Map(accounts.map((address, index) => [address, index]))
  const indexOf = (address: string): number => at.get(address)!

  return Buffer.concat([
    compactU16(signers.length),
    new Uint8Array(SIGNATURE_BYTES * signers.length),
    Uint8Array.of(VERSION_0, signers.length, keys(true, false).length, readonlyOthers.length),
    compactU16(fixed.length),
    ...fixed.map(decodeKey),
    blockhash,
    compactU16(instructions.length),
    ...instructions.flatMap(({ program, accounts: used, data }) => [
      Uint8Array.of(indexOf(program)),
      lengthPrefixed(used.map(({ address }) => indexOf(address))),
      lengthPrefixed(data),
    ]),
    compactU16(lookups.length),
    ...lookups.flatMap(({ table, writable, readonly }) => [
      decodeKey(table),
      lengthPrefixed(writable.indexes),
      lengthPrefixed(readonly.indexes),
    ]),
  ])
}

function needsOf({ payer, instructions }: MessageParts): Needs {
  const needs: Needs = new Map([[payer, { isSigner: true, isWritable: true, isInvoked: false }]])
  const useOf = (address: string) => getOrInsert(needs, address, () => ({ ...NO_NEEDS }))
  for (const { program, accounts } of instructions) {
    useOf(program).isInvoked = true
    for (const { address, isSigner, isWritable } of accounts) {
      const use = useOf(address)
      use.isSigner ||= isSigner
      use.isWritable ||= isWritable
    }
  }
  return needs
}

/**
 * Moves the accounts that a table holds out of `needs`. Signers and programs must stay static.
 * @returns null if no account is in the table: a message must not name a table that it does not use
 */
function takeLookup(needs: Needs, table: string, addresses: readonly string[], pinned: ReadonlySet<string>) {
  const [writable, readonly] = [noAccounts(), noAccounts()]
  for (const [address, { isSigner, isWritable, isInvoked }] of [...needs]) {
    const index = addresses.indexOf(address)
    if (isSigner || isInvoked || pinned.has(address) || index < 0 || index >= MAX_ACCOUNTS) continue
    const loaded = isWritable ? writable : readonly
    loaded.addresses.push(address)
    loaded.indexes.push(index)
    needs.delete(address)
  }
  return writable.indexes.length + readonly.indexes.length === 0 ? null : { table, writable, readonly }
}

/** Bytes behind their length. */
export const lengthPrefixed = (bytes: ArrayLike<number>): Uint8Array =>
  Buffer.concat([compactU16(bytes.length), Uint8Array.from(bytes)])

/** A length: seven bits per byte, lowest first; the top bit says that more follow. */
export function compactU16(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Uint8Array.of(...bytes, rest)
}
