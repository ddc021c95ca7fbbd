/**
 * A Solana transaction, executed at a node: what the wallet and its token
 * accounts hold before, from getMultipleAccounts, and after, from
 * simulateTransaction. Every account that the transaction may write is looked
 * at, also those that it finds through lookup tables, because a program that
 * the wallet signs for may move whatever the wallet owns.
 *
 * The lamports in a token account of the wallet's are the wallet's: they come
 * back when it is closed, or are gone where it is closed in favour of another.
 *
 * Nor may a permission stay behind: a token account of the wallet keeps its
 * owner, its delegate and its close authority, no delegate may take more than
 * before, and the wallet itself stays the System program's.
 *
 * Source: solana.com/docs/rpc, simulateTransaction, getMultipleAccounts · solana-program/token
 * interface/src/state.rs (Account) · anza-xyz/solana-sdk address-lookup-table-interface/src/state.rs
 */
import { Type } from 'typebox'
import { parsedOrNone } from '../../chains/json/parse.ts'
import { encodeBase58 } from '../../chains/solana/base58.ts'
import {
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '../../chains/solana/programs.ts'
import { KEY_BYTES, WireTransaction } from '../../chains/solana/wire.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { compile, type Validator } from '../../runtime/validate.ts'
import { refuseMaterial } from '../verification.ts'
import { type BalanceChange, type Simulation, summed } from './simulation.ts'

/** A lookup table's addresses begin behind its metadata. */
const TABLE_HEADER_BYTES = 56
/** getMultipleAccounts takes no more. */
const MAX_ACCOUNTS = 100

const Account = Type.Union([
  Type.Null(),
  Type.Object({
    lamports: Type.Number({ minimum: 0 }),
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
 * @throws GatewayError  material_refused, rule `permission` or `accounts`; upstream_*
 */
export async function simulateSolana(
  base64: string,
  wallet: string,
  ask: AskSolana,
): Promise<Simulation | null> {
  const wire = new WireTransaction()
  if (wire.parse(Buffer.from(base64, 'base64')) !== null) throw refuseMaterial('parse')
  const addresses = [...staticWritable(wire), ...(await lookedUpWritable(wire, ask))]
  // No transaction that lands names as many, and what is not looked at could be taken.
  if (addresses.length > MAX_ACCOUNTS) throw refuseMaterial('accounts')
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
    const [then, now] = [before.value[i]!, open(after.value.accounts[i]!)]
    if (address === wallet) {
      if (now !== null && now.owner !== SYSTEM_PROGRAM) throw refuseMaterial('permission')
      changes.push({ token: null, amount: lamportsOf(now) - lamportsOf(then) })
    } else {
      changes.push(...tokenChanges(holdingOf(then, wallet), holdingOf(now, wallet), now !== null))
    }
  }
  return { by: 'simulateTransaction', at: after.context.slot, changes: summed(changes) }
}

/** A node shows an account that was closed as one without lamports. */
const open = (account: RawAccount | null): RawAccount | null => (account?.lamports === 0 ? null : account)

/** What a wallet's token account holds, and who else may touch it. */
interface Holding {
  readonly mint: string
  readonly amount: bigint
  /** Rent, and of wrapped SOL the amount. */
  readonly lamports: bigint
  /** The key of the delegate, in hex. */
  readonly delegate: string | null
  /** What the delegate may take. */
  readonly delegated: bigint
  /** The key of who may close it, in hex. */
  readonly closer: string | null
}

/**
 * @param isOpen  the account is there afterwards
 * @throws GatewayError  material_refused, where it is there and no longer the wallet's, or lets others in who were not
 */
function tokenChanges(then: Holding | null, now: Holding | null, isOpen: boolean): readonly BalanceChange[] {
  if (then !== null && now === null && isOpen) throw refuseMaterial('permission')
  if (now !== null && isLaxer(then, now)) throw refuseMaterial('permission')
  return [...owned(then, -1n), ...owned(now, 1n)]
}

/** Does it let anybody in who was not, or further in? */
function isLaxer(then: Holding | null, now: Holding): boolean {
  const isOther = (key: 'delegate' | 'closer') => now[key] !== null && now[key] !== then?.[key]
  if (isOther('delegate') || isOther('closer')) return true
  return now.delegate !== null && now.delegated > (then?.delegated ?? 0n)
}

function owned(holding: Holding | null, times: bigint): readonly BalanceChange[] {
  if (holding === null) return []
  const { mint, amount, lamports } = holding
  const native = { token: null, amount: times * lamports }
  return mint === WRAPPED_SOL_MINT ? [native] : [native, { token: mint, amount: times * amount }]
}

const OWNER_AT = 32
const AMOUNT_AT = 64
const DELEGATE_AT = 72
const DELEGATED_AT = 121
const CLOSE_AUTHORITY_AT = 129
const ACCOUNT_BYTES = 165

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
    lamports: lamportsOf(account),
    delegated: data.readBigUInt64LE(DELEGATED_AT),
    delegate: optionalKey(data, DELEGATE_AT),
    closer: optionalKey(data, CLOSE_AUTHORITY_AT),
  }
}

/** What stood there before stays behind a zero. */
const optionalKey = (data: Buffer, at: number): string | null =>
  data.readUInt32LE(at) === 0 ? null : data.toString('hex', at + 4, at + 4 + KEY_BYTES)

/** @throws GatewayError  upstream_unusable, for more than a double holds exactly */
function lamportsOf(account: RawAccount | null): bigint {
  if (account === null) return 0n
  if (!Number.isSafeInteger(account.lamports)) throw unusable()
  return BigInt(account.lamports)
}

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
  const value = parsedOrNone(text)
  if (!accountsValidator.Check(value)) throw unusable()
  return value
}

function readSimulated(text: string) {
  simulatedValidator ??= compile(Simulated)
  const value = parsedOrNone(text)
  if (!simulatedValidator.Check(value)) throw unusable()
  return value
}

function unusable(): GatewayError {
  return new GatewayError(
    'upstream_unusable',
    'The Solana node did not answer what a simulation tells. Try again later.',
  )
}
