/** Describes a parsed transaction as the view shows it. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { encodeBase58 } from '../../../../chains/solana/base58.ts'
import { COMPUTE_BUDGET_PROGRAM } from '../../../../chains/solana/programs.ts'
import type { WireTransaction } from '../../../../chains/solana/wire.ts'
import { configOf } from '../../../../chains/solana/wire-v1.ts'
import { budgetOf, programNameOf, settingOf } from './programs.ts'

export interface AccountKey {
  readonly index: number
  /** Base58; for a looked-up account, the table and the entry's index. */
  readonly address: string
  readonly roles: readonly string[]
  /** The program's name; null if it is not a known program. */
  readonly program: string | null
}

type TransactionDescription = ReturnType<typeof describe>
export type InstructionView = TransactionDescription['steps'][number]
export type LookupTable = TransactionDescription['tables'][number]

export function describe(wire: WireTransaction) {
  const instructions = wire.instructions()
  const config = configOf(wire)
  const tables = wire.lookups().map(({ table, writable, readonly }) => ({
    address: encodeBase58(table),
    writable: [...writable],
    readonly: [...readonly],
  }))
  const programs = new Set(instructions.map(({ programIndex }) => programIndex))
  const keys: AccountKey[] = [...staticKeys(wire, programs), ...lookedUp(wire.keyCount, tables)]
  const steps = instructions.map(({ programIndex, accounts, data }, index) => {
    const { address: program } = keys[programIndex]!
    const addresses = [...accounts].map((i) => keys[i]!.address)
    return {
      index,
      program,
      programName: programNameOf(program),
      // Null for other programs, and for settings that are not known.
      setting: program === COMPUTE_BUDGET_PROGRAM ? settingIn(wire, data) : null,
      data: bytesToHex(data),
      dataBytes: data.length,
      accounts: addresses,
    }
  })
  return {
    version: wire.version === 'legacy' ? 'legacy' : `version ${wire.version}`,
    blockhash: encodeBase58(wire.blockhash()),
    keys,
    steps,
    tables,
    // Null if instructions set the compute budget.
    budget: config === null ? null : budgetOf(config),
    messageBytes: wire.messageEnd - wire.messageAt,
  }
}

const settingIn = ({ version }: WireTransaction, data: Uint8Array): string | null =>
  version === 1 ? 'Ignored: the message itself sets the compute budget in version 1' : settingOf(data)

function staticKeys(wire: WireTransaction, programs: ReadonlySet<number>): AccountKey[] {
  const { requiredSignatures, readonlySigned, readonlyUnsigned, keyCount } = wire
  return Array.from({ length: keyCount }, (_, index) => {
    const address = encodeBase58(wire.key(index))
    const isSigner = index < requiredSignatures
    const isReadonly = isSigner
      ? index >= requiredSignatures - readonlySigned
      : index >= keyCount - readonlyUnsigned
    const isProgram = programs.has(index)
    const roles = [
      ...(index === 0 ? ['fee payer'] : []),
      ...(isSigner ? ['signer'] : []),
      isReadonly ? 'read-only' : 'writable',
      ...(isProgram ? ['program'] : []),
    ]
    return { index, address, roles, program: programNameOf(address) }
  })
}

/** The looked-up accounts in a validator's order: the writable ones of all tables, then the read-only ones. */
function lookedUp(first: number, tables: readonly LookupTable[]): AccountKey[] {
  const of = (role: 'writable' | 'readonly') =>
    tables.flatMap((table) =>
      table[role].map((place) => ({
        address: `entry ${place} of table ${table.address}`,
        roles: [role === 'writable' ? 'writable' : 'read-only', 'looked up'],
        program: null,
      })),
    )
  return [...of('writable'), ...of('readonly')].map((key, i) => ({ index: first + i, ...key }))
}
