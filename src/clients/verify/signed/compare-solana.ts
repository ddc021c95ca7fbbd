/**
 * Compares a signed Solana transaction with the one that was built. Its instructions have to be there in their order
 * and byte for byte; what wallets add or set anew is named, and everything else is refused.
 *
 * Source: chains/solana/wallet-edits.ts · anza-xyz/solana-sdk message/src/versions
 */
import { accountsOf } from '../../../chains/solana/accounts.ts'
import { associatedAccount } from '../../../chains/solana/associated.ts'
import { decodeBase58, decodeKey, encodeBase58, isBase58Of } from '../../../chains/solana/base58.ts'
import {
  computeBudgetOf,
  MAX_COMPUTE_UNITS,
  priorityLamports,
} from '../../../chains/solana/compute-budget.ts'
import type { InstructionParts } from '../../../chains/solana/message.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '../../../chains/solana/programs.ts'
import { MAX_V1_TRANSACTION_BYTES } from '../../../chains/solana/sizes.ts'
import { type EditKind, editKindOf } from '../../../chains/solana/wallet-edits.ts'
import { WireTransaction } from '../../../chains/solana/wire.ts'
import { configOf } from '../../../chains/solana/wire-v1.ts'
import type { ExplainOptions } from '../../../explain/types.ts'
import { decodeBase64 } from '../../../runtime/base64.ts'
import { type Changes, NOT_SIGNED, type Signed } from './changes.ts'

export interface SolanaLimits {
  /** The tokens of the order: the wallet's accounts for them are its own. */
  readonly mints: readonly string[]
  readonly tables?: ExplainOptions['tables']
  /** Lamports. Absent: MAX_PRIORITY_LAMPORTS, or ten times what was built. */
  readonly maxPriorityFee?: bigint
}

/** A wallet sets its own price if the market rose: 0.001 SOL, about what wallets let a user pay for an urgent swap. */
const MAX_PRIORITY_LAMPORTS = 1_000_000n
const PRIORITY_ROOM = 10n
const NONE: ReadonlySet<string> = new Set()

/** An account that nobody read in its lookup table is the table and the index in it. */
interface ReadInstruction extends InstructionParts {
  readonly index: number
  /** Null for one that does what was ordered. */
  readonly edit: EditKind | null
}

/**
 * @param body   base64 of a transaction, or base58 of a signature
 * @param built  base64
 */
export async function compareSolana(
  body: string,
  built: string,
  from: string,
  limits: SolanaLimits,
  changes: Changes,
): Promise<Signed> {
  const { verifyStrict } = await import('../../../chains/solana/signatures/signer.ts')
  const expected = wireOf(built)!
  const key = decodeKey(from)
  const single = decodeBase58(body, 64)
  if (single?.length === 64) {
    const isAsBuilt = verifyStrict(single, expected.message(), key)
    if (!isAsBuilt)
      changes.leave('the signature is not over what was built: the signed transaction would show why')
    return { id: body, isAsBuilt }
  }
  const wire = wireOf(body)
  if (wire === null) {
    changes.refuse('form', 'is no signed transaction and no signature')
    return NOT_SIGNED
  }
  compareSigners(expected, wire, from, changes)
  const signature = wire.signature(0)
  if (!verifyStrict(signature, wire.message(), key))
    changes.refuse('from', `has a signature that does not verify for ${from}`)
  const tables = await readTables([expected, wire], limits)
  const wanted = instructionsOf(expected, tables)
  const actual = instructionsOf(wire, tables)
  const words = async (side: 0 | 1, index: number) => {
    const { instructionInWords } = await import('../explain.ts')
    return instructionInWords([built, body][side]!, index, from, limits.tables ?? null)
  }
  const added = await compareInstructions(wanted, actual, words, changes)
  const isGuarded = added.some(({ edit }) => edit === 'guard')
  const own = isGuarded ? ownAccounts([...wanted, ...actual], limits.mints, from) : NONE
  for (const one of added) judgeAdded(one, own, from, changes)
  compareBudget(expected, wire, limits, changes)
  const hasNonce = actual.some(({ edit }) => edit === 'nonce')
  const isAsBuilt = encodeBase58(expected.blockhash()) === encodeBase58(wire.blockhash())
  if (!isAsBuilt && wanted.some(({ edit }) => edit === 'nonce'))
    changes.refuse('nonce', 'has another blockhash than the value of the nonce, and so ends')
  else if (!isAsBuilt && !hasNonce)
    changes.allow('blockhash', 'has another blockhash, and so ends at another time')
  return { id: encodeBase58(signature), isAsBuilt }
}

function wireOf(base64: string): WireTransaction | null {
  const bytes = decodeBase64(base64)
  if (bytes === null) return null
  const wire = new WireTransaction()
  return wire.parse(bytes, MAX_V1_TRANSACTION_BYTES) === null ? wire : null
}

function compareSigners(
  expected: WireTransaction,
  wire: WireTransaction,
  from: string,
  changes: Changes,
): void {
  const signersOf = (one: WireTransaction) =>
    Array.from({ length: one.requiredSignatures }, (_, i) => encodeBase58(one.key(i)))
  const [wanted, actual] = [signersOf(expected), signersOf(wire)]
  if (actual[0] !== from) changes.refuse('payer', `is paid for by ${actual[0]}`)
  for (const one of actual)
    if (!wanted.includes(one)) changes.refuse('signer', `has to be signed by ${one}, too`)
  for (const one of wanted)
    if (!actual.includes(one)) changes.refuse('signer', `is no longer signed by ${one}`)
}

type Tables = Awaited<ReturnType<NonNullable<ExplainOptions['tables']>>>

async function readTables(
  wires: readonly WireTransaction[],
  { tables }: SolanaLimits,
): Promise<Tables | undefined> {
  const named = wires.flatMap((wire) => (wire.lookupCount === 0 ? [] : wire.lookups()))
  if (named.length === 0) return undefined
  // Without them, accounts are compared by their place in a table.
  return tables?.([...new Set(named.map(({ table }) => encodeBase58(table)))]).catch(() => undefined)
}

function instructionsOf(wire: WireTransaction, tables: Tables | undefined): ReadInstruction[] {
  const all = accountsOf(wire, (table, i) => tables?.get(table)?.[i] ?? `${table} ${i}`)
  return wire.instructions().map(({ programIndex, accounts: indexes, data }, index) => {
    const program = all[programIndex]!.address
    const accounts = [...indexes].map((i) => all[i]!)
    return { index, program, accounts, data, edit: editKindOf(program, data, index) }
  })
}

const textOf = ({ program, accounts, data }: ReadInstruction): string =>
  JSON.stringify([program, accounts, [...data]])

/**
 * Whether each instruction of the order is there, in its place.
 * @param words  of an instruction of the built (0) or the signed (1) transaction
 * @returns the wallet's own instructions
 */
async function compareInstructions(
  built: readonly ReadInstruction[],
  signed: readonly ReadInstruction[],
  words: (side: 0 | 1, index: number) => Promise<string>,
  changes: Changes,
): Promise<readonly ReadInstruction[]> {
  const wanted = built.filter(({ edit }) => edit === null)
  const kept = built.filter(({ edit }) => edit !== null).map((one) => ({ ...one, text: textOf(one) }))
  const added: ReadInstruction[] = []
  let next = 0
  for (const one of signed) {
    if (one.edit === null) {
      if (next < wanted.length && textOf(one) === textOf(wanted[next]!)) next++
      else changes.refuse('instruction', `also ${await words(1, one.index)}`)
      continue
    }
    const known = kept.findIndex(({ text }) => text === textOf(one))
    if (known === -1) added.push(one)
    else kept.splice(known, 1)
  }
  const left = kept.filter(({ edit }) => edit !== 'budget')
  for (const { index } of [...wanted.slice(next), ...left])
    changes.refuse('missing', `lacks an instruction as it was built, which ${await words(0, index)}`)
  return added
}

/** The wallet's account for SOL, and its token accounts for all mints that either transaction names. */
function ownAccounts(
  instructions: readonly ReadInstruction[],
  mints: readonly string[],
  from: string,
): ReadonlySet<string> {
  const own = new Set([from])
  const names = instructions.flatMap(({ accounts }) => accounts.map(({ address }) => address))
  for (const mint of new Set([WRAPPED_SOL_MINT, ...mints, ...names])) {
    if (!isBase58Of(mint, 32)) continue
    for (const program of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) own.add(associatedAccount(from, mint, program))
  }
  return own
}

function judgeAdded(
  { edit, accounts, data }: ReadInstruction,
  own: ReadonlySet<string>,
  from: string,
  changes: Changes,
): void {
  switch (edit) {
    case 'guard': {
      const foreign = accounts.find(({ address }) => !own.has(address))
      if (foreign === undefined)
        changes.allow('guard', 'fails if accounts of the wallet are not as it expects (Lighthouse)')
      else
        changes.refuse(
          'guard',
          `fails if ${foreign.address} is not as somebody expects, which is not the wallet's`,
        )
      return
    }
    case 'memo': {
      const foreign = accounts.find(({ address }) => address !== from)
      if (foreign === undefined) changes.allow('memo', 'carries a memo, which moves nothing')
      else changes.refuse('memo', `carries a memo that ${foreign.address} has to sign`)
      return
    }
    case 'nonce': {
      const [nonce, , authority] = accounts
      if (accounts.length === 3 && authority!.address === from)
        changes.allow('nonce', `does not end until the wallet's nonce ${nonce!.address} is advanced`)
      else changes.refuse('nonce', `advances the nonce ${nonce?.address}, which is not the wallet's`)
      return
    }
    // Judged as a whole, by compareBudget.
    case 'budget':
      if (!(data[0]! >= 1 && data[0]! <= 4))
        changes.refuse('budget', 'sets a compute budget that is not known here')
  }
}

/** All that it pays for priority; the network's own fee depends on the signatures alone. */
function budgetIn(wire: WireTransaction): { readonly lamports: bigint; readonly limit: number | null } {
  const config = configOf(wire)
  if (config !== null) return { lamports: config.priorityFee ?? 0n, limit: config.computeUnitLimit }
  const { price, limit } = computeBudgetOf(wire)!
  return { lamports: priorityLamports(price, limit ?? MAX_COMPUTE_UNITS), limit }
}

function compareBudget(
  expected: WireTransaction,
  wire: WireTransaction,
  { maxPriorityFee }: SolanaLimits,
  changes: Changes,
): void {
  const [built, signed] = [budgetIn(expected), budgetIn(wire)]
  if (built.limit !== signed.limit)
    changes.allow('compute_limit', `sets a limit of ${signed.limit ?? 'as many as there are'} compute units`)
  if (built.lamports === signed.lamports) return
  const room = built.lamports * PRIORITY_ROOM
  const most = maxPriorityFee ?? (room > MAX_PRIORITY_LAMPORTS ? room : MAX_PRIORITY_LAMPORTS)
  const words = `pays ${signed.lamports} lamports for priority in place of ${built.lamports}`
  if (signed.lamports <= most) changes.allow('priority_fee', words)
  else changes.refuse('priority_fee', `${words}, more than ${most}`)
}
