/** Describes a parsed transaction as the view shows it. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { accountsOf } from '../../../../chains/solana/accounts.ts'
import { encodeBase58 } from '../../../../chains/solana/base58.ts'
import { COMPUTE_BUDGET_PROGRAM } from '../../../../chains/solana/programs.ts'
import type { WireTransaction } from '../../../../chains/solana/wire.ts'
import { configOf } from '../../../../chains/solana/wire-v1.ts'
import { budgetOf, programNameOf, settingOf } from './programs.ts'

type TransactionDescription = ReturnType<typeof describe>
export type AccountKey = TransactionDescription['keys'][number]
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
  // In a validator's order.
  const keys = accountsOf(wire, (table, i) => `entry ${i} of table ${table}`).map(
    ({ address, isSigner, isWritable }, index) => {
      const roles = [
        ...(index === 0 ? ['fee payer'] : []),
        ...(isSigner ? ['signer'] : []),
        isWritable ? 'writable' : 'read-only',
        ...(programs.has(index) ? ['program'] : []),
        ...(index < wire.keyCount ? [] : ['looked up']),
      ]
      return { index, address, roles, program: programNameOf(address) }
    },
  )
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
