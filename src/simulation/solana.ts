/**
 * A Solana transaction, executed at a node: what the wallet and its token
 * accounts hold before, from getMultipleAccounts, and after, from
 * simulateTransaction. Every account that the transaction may write is looked
 * at, also those that it finds through lookup tables, because a program that
 * the wallet signs for may move whatever the wallet owns.
 *
 * Nor may a permission stay behind: a token account of the wallet keeps its
 * owner, its delegate and its close authority, and the wallet itself stays the
 * System program's.
 *
 * Source: solana.com/docs/rpc, simulateTransaction, getMultipleAccounts · solana-program/token
 * interface/src/state.rs (Account) · anza-xyz/solana-sdk address-lookup-table-interface/src/state.rs
 */
import { Type } from 'typebox'
import { GatewayError } from '../errors.ts'
import { refuseMaterial } from '../proof/verification.ts'
import { encodeBase58 } from '../solana/base58.ts'
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '../solana/programs.ts'
import { KEY_BYTES, WireTransaction } from '../solana/wire.ts'
import { compile, type Validator } from '../validate.ts'
import { type BalanceChange, type Simulation, summed } from './simulation.ts'

/** A lookup table's addresses begin behind its metadata. */
const TABLE_HEADER_BYTES = 56
/** getMultipleAccounts takes no more. */
const MAX_ACCOUNTS = 100

const Account = Type.Union([
  Type.Null(),
  Type.Object({
    // Above it a double is not exact.
    lamports: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    owner: Type.String(),
    data: Type.Tuple([Type.String(), Type.Literal('base64')]),
  }),
])
const Accounts = Type.Object({
  context: Type.Object({ slot: Type.Integer() }),
  value: Type.Array(Account),
})
const Simulated = Type.Object({
  context: Type.Object({ slot: Type.Integer() }),
  value: Type.Object({
    err: Type.Unknown(),
    accounts: Type.Union([Type.Null(), Type.Array(Account)]),
  }),
})

interface RawAccount {
  readonly lamports: number
  readonly owner: string
  readonly data: readonly [string, 'base64']
}

/** Asks a Solana node, and answers the result's JSON text. */
export type AskSolana = (method: string, params: readonly unknown[]) => Promise<string>

/**
 * @param base64  one transaction that was parsed before
 * @returns null where it fails against the present state, as one does whose wallet lacks the funds
 * @throws GatewayError  material_refused, rule `permission`; upstream_*
 */
export async function simulateSolana(
  base64: string,
  wallet: string,
  ask: AskSolana,
): Promise<Simulation | null> {
  const wire = new WireTransaction()
  if (wire.parse(Buffer.from(base64, 'base64')) !== null) throw refuseMaterial('parse')
  const addresses = [...staticWritable(wire), ...(await lookedUpWritable(wire, ask))].slice(0, MAX_ACCOUNTS)
  const options = { commitment: 'confirmed', encoding: 'base64' }
  const [before, after] = await Promise.all([
    ask('getMultipleAccounts', [addresses, options]).then(readAccounts),
    ask('simulateTransaction', [
      base64,
      {
        ...options,
        sigVerify: false,
        replaceRecentBlockhash: true,
        accounts: { encoding: 'base64', addresses },
      },
    ]).then(readSimulated),
  ])
  if (after.value.err !== null || after.value.accounts === null) return null
  if (before.value.length !== addresses.length || after.value.accounts.length !== addresses.length) {
    throw unusable()
  }
  const changes: BalanceChange[] = []
  for (const [i, address] of addresses.entries()) {
    const [then, now] = [before.value[i]!, after.value.accounts[i]!]
    if (address === wallet) {
      if (now !== null && now.owner !== SYSTEM_PROGRAM) throw refuseMaterial('permission')
      changes.push({ token: null, amount: lamportsOf(now) - lamportsOf(then) })
    } else {
      changes.push(...tokenChanges(holdingOf(then, wallet), holdingOf(now, wallet), now !== null))
    }
  }
  return { by: 'simulateTransaction', at: after.context.slot, changes: summed(changes) }
}

/** What a wallet's token account holds, and who else may touch it. */
interface Holding {
  readonly mint: string
  readonly amount: bigint
  /** Delegate and close authority, as they stand in the account. */
  readonly permissions: string
}

/**
 * @param isOpen  the account is there afterwards
 * @throws GatewayError  material_refused, where it is there and no longer the wallet's, or lets others in who were not
 */
function tokenChanges(then: Holding | null, now: Holding | null, isOpen: boolean): readonly BalanceChange[] {
  if (then !== null && now === null && isOpen) throw refuseMaterial('permission')
  if (now !== null && now.permissions !== (then?.permissions ?? NO_PERMISSIONS))
    throw refuseMaterial('permission')
  const changes: BalanceChange[] = []
  if (then !== null) changes.push({ token: tokenOf(then), amount: -then.amount })
  if (now !== null) changes.push({ token: tokenOf(now), amount: now.amount })
  return changes
}

/** Wrapped lamports are lamports. */
const tokenOf = ({ mint }: Holding): string | null => (mint === WRAPPED_SOL_MINT ? null : mint)

const OWNER_AT = 32
const AMOUNT_AT = 64
const DELEGATE_AT = 72
const DELEGATE_END = 108
const CLOSE_AUTHORITY_AT = 129
const ACCOUNT_BYTES = 165
/** Two absent options of 36 bytes, in hex. */
const NO_PERMISSIONS = `${'00'.repeat(DELEGATE_END - DELEGATE_AT)}${'00'.repeat(ACCOUNT_BYTES - CLOSE_AUTHORITY_AT)}`

/** @returns null for what is no token account of the wallet */
function holdingOf(account: RawAccount | null, wallet: string): Holding | null {
  if (account === null || (account.owner !== TOKEN_PROGRAM && account.owner !== TOKEN_2022_PROGRAM))
    return null
  const data = Buffer.from(account.data[0], 'base64')
  if (data.length < ACCOUNT_BYTES) return null
  if (encodeBase58(data.subarray(OWNER_AT, OWNER_AT + KEY_BYTES)) !== wallet) return null
  return {
    mint: encodeBase58(data.subarray(0, KEY_BYTES)),
    amount: data.readBigUInt64LE(AMOUNT_AT),
    permissions:
      data.toString('hex', DELEGATE_AT, DELEGATE_END) +
      data.toString('hex', CLOSE_AUTHORITY_AT, ACCOUNT_BYTES),
  }
}

const lamportsOf = (account: RawAccount | null): bigint => (account === null ? 0n : BigInt(account.lamports))

/** Signers first, each group with its read-only keys at its end. */
function staticWritable(wire: WireTransaction): string[] {
  const { keyCount, requiredSignatures, readonlySigned, readonlyUnsigned } = wire
  return Array.from({ length: keyCount }, (_, i) => i).flatMap((i) => {
    const isWritable =
      i < requiredSignatures ? i < requiredSignatures - readonlySigned : i < keyCount - readonlyUnsigned
    return isWritable ? [encodeBase58(wire.key(i))] : []
  })
}

async function lookedUpWritable(wire: WireTransaction, ask: AskSolana): Promise<string[]> {
  if (wire.lookupCount === 0) return []
  const lookups = wire
    .lookups()
    .map(({ table, writable }) => ({ table: encodeBase58(table), writable: [...writable] }))
  const options = { commitment: 'confirmed', encoding: 'base64' }
  const { value } = readAccounts(
    await ask('getMultipleAccounts', [lookups.map(({ table }) => table), options]),
  )
  return lookups.flatMap(({ writable }, i) => {
    const table = value[i] ?? null
    const data = table === null ? Buffer.alloc(0) : Buffer.from(table.data[0], 'base64')
    return writable.flatMap((index) => {
      const at = TABLE_HEADER_BYTES + index * KEY_BYTES
      return at + KEY_BYTES <= data.length ? [encodeBase58(data.subarray(at, at + KEY_BYTES))] : []
    })
  })
}

let accountsValidator: Validator<typeof Accounts> | null = null
let simulatedValidator: Validator<typeof Simulated> | null = null

function readAccounts(text: string) {
  accountsValidator ??= compile(Accounts)
  const value: unknown = JSON.parse(text)
  if (!accountsValidator.Check(value)) throw unusable()
  return value
}

function readSimulated(text: string) {
  simulatedValidator ??= compile(Simulated)
  const value: unknown = JSON.parse(text)
  if (!simulatedValidator.Check(value)) throw unusable()
  return value
}

function unusable(): GatewayError {
  return new GatewayError(
    'upstream_unusable',
    'The Solana node did not answer what a simulation tells. Try again later.',
  )
}
