/**
 * Instructions as their programs receive them: Mayan's clients wrap each of their
 * instructions in a call of a proxy, which calls the program in its first account
 * with the remaining accounts and the same data.
 *
 * The bytes do not show which accounts a lookup table holds. The entries of
 * Mayan's own table are listed here: a table can grow, but its entries never
 * change.
 *
 * Source: mayan-finance/swap-sdk src/solana/utils.ts (sandwichInstructionInCpiProxy) ·
 * Solana mainnet, slot 449137703: both in use · solana.com/docs, address lookup tables
 */
import { associatedAccount } from '../../../chains/solana/associated.ts'
import { encodeBase58 } from '../../../chains/solana/base58.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../../chains/solana/programs.ts'
import type { Instruction, WireTransaction } from '../../../chains/solana/wire.ts'
import tables from './lookup-tables.json' with { type: 'json' }

export type SolanaCall = Readonly<ReturnType<typeof call>>

const CPI_PROXY = 'D8C8iW6zmoKg5TRr8nQ7h14TMWqQX8FiBdj2ju5MF3wa'

/** By table and index: programs, Mayan's fee manager (32), USDT (36) and a sysvar. */
const TABLES: Readonly<Record<string, Readonly<Record<number, string>>>> = tables

export function solanaCallsOf(wire: WireTransaction): readonly SolanaCall[] {
  const accounts = accountsOf(wire)
  return wire.instructions().map((instruction) => {
    const program = accounts[instruction.programIndex] ?? null
    if (program !== CPI_PROXY) return call(program, instruction, accounts)
    const [inner, ...rest] = instruction.accounts
    const unwrapped = { ...instruction, accounts: Uint8Array.from(rest) }
    return call(inner === undefined ? null : (accounts[inner] ?? null), unwrapped, accounts)
  })
}

/** base58; null if the bytes do not show it */
type Account = string | null

function call(program: Account, instruction: Instruction, accounts: readonly Account[]) {
  /** The instruction's account at an index; null also if there is none. */
  const at = (index: number): string | null => {
    const account = instruction.accounts[index]
    return account === undefined ? null : (accounts[account] ?? null)
  }
  return { program, instruction, at }
}

/** Accounts by their index in instructions: static keys, then writable look-ups, then read-only look-ups. */
function accountsOf(wire: WireTransaction): readonly Account[] {
  const lookups = wire.lookups().map(({ table, writable, readonly }) => {
    const known = TABLES[encodeBase58(table)]
    const find = (indexes: Uint8Array) => [...indexes].map((index) => known?.[index] ?? null)
    return { writable: find(writable), readonly: find(readonly) }
  })
  return [
    ...Array.from({ length: wire.keyCount }, (_, i) => encodeBase58(wire.key(i))),
    ...lookups.flatMap(({ writable }) => writable),
    ...lookups.flatMap(({ readonly }) => readonly),
  ]
}

/** @returns whether an account is its owner's associated one for a mint, under either token program; not, if the bytes don't show it */
export function isAssociated(account: string | null, owner: string | null, mint: string): boolean {
  if (account === null || owner === null) return false
  return [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].some(
    (program) => associatedAccount(owner, mint, program) === account,
  )
}
