/**
 * Explains a Solana transaction: its envelope here, its instructions by program. The contents of a lookup
 * table are unknown until somebody reads it.
 *
 * Source: chains/solana/wire.ts · anza-xyz/agave compute-budget-instruction · the programs' own interfaces
 */
import { encodeBase58 } from '../../chains/solana/base58.ts'
import { computeBudgetOf, MAX_COMPUTE_UNITS, priorityLamports } from '../../chains/solana/compute-budget.ts'
import { WireTransaction } from '../../chains/solana/wire.ts'
import { configOf } from '../../chains/solana/wire-v1.ts'
import { decodeBase64 } from '../../runtime/base64.ts'
import type { Findings } from '../findings.ts'
import { costs } from '../ledger.ts'
import { Memory, type ProgramCall } from './call.ts'
import { programOf } from './programs.ts'

/** Addresses that lookup tables hold, by the table; null for a table that could not be read. */
export type Tables = (tables: readonly string[]) => Promise<ReadonlyMap<string, readonly string[] | null>>

const MAX_V1_BYTES = 4_096
const SIGNATURE_LAMPORTS = 5_000n

/**
 * @param base64  one transaction, signed or not
 * @param turn    lets others have the thread
 */
export async function explainSolana(
  base64: string,
  found: Findings,
  tables: Tables | null,
  turn?: () => Promise<void>,
): Promise<void> {
  const bytes = decodeBase64(base64)
  const wire = new WireTransaction()
  const refusal = bytes === null ? 'it is no base64' : wire.parse(bytes, MAX_V1_BYTES)
  if (refusal !== null) return found.leave('transaction', `a validator would refuse it: ${refusal}`, bytes)
  const isNamed = found.owner !== null
  found.owner ??= encodeBase58(wire.key(0))
  const { calls, memory } = await foreseen(wire, found, tables)
  envelope(wire, found, memory, isNamed)
  for (const call of calls) {
    await turn?.()
    read(call, found, memory)
  }
}

/**
 * What one instruction of a transaction does.
 * @param base64  a transaction that a validator might take
 */
export async function explainInstruction(
  base64: string,
  index: number,
  found: Findings,
  tables: Tables | null,
): Promise<void> {
  const wire = new WireTransaction()
  wire.parse(decodeBase64(base64)!, MAX_V1_BYTES)
  const { calls, memory } = await foreseen(wire, found, tables)
  read(calls[index]!, found, memory)
}

async function foreseen(wire: WireTransaction, found: Findings, tables: Tables | null) {
  const accounts = await accountsOf(wire, found, tables)
  const calls = callsOf(wire, accounts)
  const memory = new Memory(accounts, found)
  for (const call of calls) programOf(call.program)?.foresee?.(call, memory)
  return { calls, memory }
}

function read(call: ProgramCall, found: Findings, memory: Memory): void {
  const program = programOf(call.program)
  if (program === undefined) stranger(call, found)
  else program.read(call, found, memory)
}

/** @returns the static accounts and those of lookup tables; null for an unread one */
async function accountsOf(wire: WireTransaction, found: Findings, tables: Tables | null) {
  const statics = Array.from({ length: wire.keyCount }, (_, i) => encodeBase58(wire.key(i)))
  if (wire.lookupCount === 0) return statics
  const lookups = wire.lookups().map((one) => ({ ...one, table: encodeBase58(one.table) }))
  const read = await tables?.(lookups.map(({ table }) => table))
  const entries = (kind: 'writable' | 'readonly') =>
    lookups.flatMap(({ table, [kind]: indexes }) => [...indexes].map((i) => read?.get(table)?.[i] ?? null))
  const all = [...statics, ...entries('writable'), ...entries('readonly')]
  for (const { table } of lookups) {
    if (!read?.get(table)) found.leave('lookup table', `nobody read ${table}`)
  }
  const isMissing = read !== undefined && all.includes(null) && lookups.every(({ table }) => read.get(table))
  const missing = 'an entry that the transaction names is not there yet: it could become any account'
  if (isMissing) found.leave('lookup table', missing)
  return all
}

function callsOf(wire: WireTransaction, accounts: readonly (string | null)[]): readonly ProgramCall[] {
  return wire.instructions().map(({ programIndex, accounts: indexes, data }, i) => ({
    where: `instruction ${i + 1}`,
    program: accounts[programIndex]!,
    accounts: [...indexes].map((index) => accounts[index] ?? null),
    signs: [...indexes].map((index) => index < wire.requiredSignatures),
    data,
  }))
}

function envelope(wire: WireTransaction, found: Findings, memory: Memory, isNamed: boolean): void {
  const signers = Array.from({ length: wire.requiredSignatures }, (_, i) => encodeBase58(wire.key(i)))
  const payer = signers[0]!
  if (!found.isOwn(payer)) found.riskOfAll('fee_payer', `${payer} pays the fee, and decides when it is sent.`)
  if (!signers.some(found.isOwn)) found.riskOfAll('not_signer', 'The owner does not sign this.')
  for (const signer of signers.slice(1)) {
    if (found.isOwn(signer)) continue
    // Any of them may be the wallet, also one of which an account is made: it had no SOL, but may own tokens.
    if (!isNamed) found.signers.add(signer)
    if (memory.isNew(signer)) continue
    found.riskOfAll('other_signer', `${signer} has to sign as well.`)
  }
  const { price, limit } = computeBudgetOf(wire) ?? { price: 0n, limit: 0 }
  const priority = configOf(wire)?.priorityFee ?? priorityLamports(price, limit ?? MAX_COMPUTE_UNITS)
  const base = BigInt(wire.requiredSignatures) * SIGNATURE_LAMPORTS
  found.state(costs(payer, 'native', base, null, { what: 'network fee' }), true)
  if (priority > 0n) found.state(costs(payer, 'native', priority, null, { what: 'priority fee' }), true)
}

/** A program that gets the wallet's signature may move all that the wallet owns. */
function stranger({ where, program, accounts, signs, data }: ProgramCall, found: Findings): void {
  found.act('call', `calls the program ${program}, which is not known here`, { program }, [])
  found.leave(where, `the program ${program} is not known here`, data)
  found.meets(program)
  if (accounts.some((account, i) => signs[i] && account !== null && found.concerns(account)))
    found.risk('unknown_call', `${program} gets the wallet's signature, and may pass it on.`)
}
