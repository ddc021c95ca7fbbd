/**
 * Simulates a Solana transaction at a node. It compares what the wallet and its token accounts hold before,
 * from getMultipleAccounts, with what they hold after, from simulateTransaction. It looks at every writable
 * account, including those from lookup tables, because a program that receives the wallet's signature may
 * move anything that the wallet owns. Of each it reads no more than a token account's bytes, and afterwards
 * only the accounts that belong to the wallet or could have come to: accounts of other programs may be of any
 * length, and an answer that is too long for us would leave the transaction unexecuted.
 *
 * The lamports in the wallet's token accounts belong to the wallet: they come back when an account is closed,
 * and are lost if it is closed to another address.
 *
 * A lookup table has to be there, with every entry that the transaction names: entries are never changed, but
 * a table that is made later could name any account.
 *
 * No new permission may remain: the wallet's token accounts keep their owner, delegate and close authority,
 * no delegate may take more than before, and the System program still owns the wallet itself.
 *
 * Source: solana.com/docs/rpc, simulateTransaction, getMultipleAccounts · solana-program/token
 * interface/src/state.rs (Account)
 */
import { type Static, Type } from 'typebox'
import { jsonReader } from '../../chains/json/reader.ts'
import { isStaticWritable } from '../../chains/solana/accounts.ts'
import { encodeBase58 } from '../../chains/solana/base58.ts'
import { entriesOf } from '../../chains/solana/lookup-table.ts'
import { durableNonceOf } from '../../chains/solana/nonce.ts'
import {
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '../../chains/solana/programs.ts'
import { KEY_BYTES } from '../../chains/solana/sizes.ts'
import { WireTransaction } from '../../chains/solana/wire.ts'
import { type Agreed, refuseMaterial, type SeenAccount, type Spent } from '../terms/verification.ts'
import { type BalanceChange, type MaterialSimulation, summed, unreadable } from './simulation.ts'

/** The limit of getMultipleAccounts. */
const MAX_ACCOUNTS = 100

const OPTIONS = { commitment: 'confirmed', encoding: 'base64' } as const
/** What is executed is not signed yet. A nonce is only executed as one with its own value. */
const executed = (wire: WireTransaction) => ({
  ...OPTIONS,
  sigVerify: false,
  replaceRecentBlockhash: durableNonceOf(wire) === null,
})

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
    accounts: Type.Optional(Type.Union([Type.Null(), Type.Array(Account)])),
    unitsConsumed: Type.Optional(Type.Union([Type.Null(), Type.Integer({ minimum: 0, maximum: 1_400_000 })])),
    /** Lamports for signatures and priority; older nodes do not report them. */
    fee: Type.Optional(Type.Union([Type.Null(), Type.Integer({ minimum: 0 })])),
  }),
})

type RawAccount = NonNullable<Static<typeof Account>>

/** Asks a Solana node. @returns the result as JSON text */
export type AskSolana = (method: string, params: readonly unknown[]) => Promise<string>

/** The transaction fails against the current state, for example because the wallet lacks the funds. */
interface FailedSimulation {
  readonly failed: true
  /** The tokens of the wallet's that it could write to, if it did not fail; null for wrapped SOL. */
  readonly reaches: readonly (string | null)[]
}

/**
 * @param base64  one transaction that was parsed before
 * @param pays    another wallet that receives, and what
 * @throws GatewayError  material_refused, rule `permission`, `accounts`, `lookup_table` or `simulation`; upstream_*
 */
export async function simulateSolana(
  base64: string,
  wallet: string,
  ask: AskSolana,
  pays?: Agreed['pays'],
): Promise<MaterialSimulation | FailedSimulation> {
  const wire = new WireTransaction()
  if (wire.parse(Buffer.from(base64, 'base64')) !== null) throw refuseMaterial('parse')
  const { writable, tables } = await lookedUp(wire, ask)
  const addresses = [...staticWritable(wire), ...writable]
  // No valid transaction names so many, and an unread account could be drained.
  if (addresses.length > MAX_ACCOUNTS) throw refuseMaterial('accounts')
  const slice = { ...OPTIONS, dataSlice: { offset: 0, length: ACCOUNT_BYTES } }
  const before = readAccounts(await ask('getMultipleAccounts', [addresses, slice])).value
  if (before.length !== addresses.length) unusable()
  const looked = addresses.flatMap((address, i) =>
    address === wallet || address === pays?.account || mayBeOwn(before[i]!, wallet)
      ? [{ address, held: before[i]! }]
      : [],
  )
  const after = readSimulated(
    await ask('simulateTransaction', [
      base64,
      {
        ...executed(wire),
        accounts: { encoding: 'base64', addresses: looked.map(({ address }) => address) },
      },
    ]),
  )
  const { err, accounts: held = null, fee = null, unitsConsumed: units = null } = after.value
  if (err !== null || held === null) return { failed: true, reaches: tokensIn(before, wallet) }
  if (held.length !== looked.length) unusable()
  const changes: BalanceChange[] = []
  const rents: Spent['rents'][number][] = []
  const accounts: SeenAccount[] = []
  let lamports = 0n
  let paid = 0n
  for (const [i, { address, held: then }] of looked.entries()) {
    const now = open(held[i]!)
    if (open(then) === null && now !== null && now.owner !== SYSTEM_PROGRAM) rents.push(rentOf(now, wallet))
    if (address === wallet) {
      if (now !== null && now.owner !== SYSTEM_PROGRAM) throw refuseMaterial('permission')
      lamports = lamportsOf(now)
      changes.push({ token: null, amount: lamports - lamportsOf(then) })
    } else if (address === pays?.account) {
      const [had, has] = [then, now].map((one) => holdingOf(one, pays.owner)?.amount ?? 0n)
      paid = has! - had!
    } else {
      const [had, has] = [holdingOf(then, wallet), holdingOf(now, wallet)]
      changes.push(...tokenChanges(had, has, now !== null))
      // Frozen, it could not be guarded, and at landing it may not be.
      if (had?.isFrozen === false && has?.isFrozen === true) throw refuseMaterial('permission')
      if (has !== null && now !== null && !has.isFrozen) accounts.push(seenOf(address, now.owner, had, has))
    }
  }
  if (pays !== undefined && paid < pays.atLeast) throw refuseMaterial('simulation')
  const decimalsOf = (mints: readonly string[]) => readDecimals(mints, ask)
  return {
    by: 'simulateTransaction',
    at: after.context.slot,
    changes: summed(changes),
    gas: fee === null ? null : BigInt(fee),
    spent: { rents, seen: { lamports, accounts, tables, units, decimalsOf } },
  }
}

const seenOf = (
  address: string,
  program: string,
  had: WalletTokenAccount | null,
  { mint, amount, delegate, closer }: WalletTokenAccount,
): SeenAccount => ({
  address,
  program,
  mint,
  before: had?.amount ?? 0n,
  after: amount,
  hasDelegate: delegate !== null,
  hasCloseAuthority: closer !== null,
})

const DECIMALS_AT = 44

async function readDecimals(mints: readonly string[], ask: AskSolana): Promise<readonly number[]> {
  if (mints.length === 0) return []
  const slice = { ...OPTIONS, dataSlice: { offset: DECIMALS_AT, length: 1 } }
  const { value } = readAccounts(await ask('getMultipleAccounts', [mints, slice]))
  return mints.map((_, i) => Buffer.from(value[i]?.data[0] ?? '', 'base64')[0] ?? unusable())
}

/** The rent of a new account, without the wrapped SOL in it. */
function rentOf(account: RawAccount, wallet: string): Spent['rents'][number] {
  const lamports = lamportsOf(account)
  const holding = tokenAccountOf(account)
  const amount = holding?.mint === WRAPPED_SOL_MINT ? lamports - holding.amount : lamports
  return { amount, isOwn: holding?.owner === wallet }
}

/** The accounts that a transaction may write to. @throws GatewayError  material_refused, rule `lookup_table`; upstream_* */
export const writableIn = async (wire: WireTransaction, ask: AskSolana): Promise<string[]> => [
  ...staticWritable(wire),
  ...(await lookedUp(wire, ask)).writable,
]

/** Compute units that executing it takes; null if it fails, or the node does not say. @throws GatewayError  upstream_* */
export async function simulatedUnits(base64: string, ask: AskSolana): Promise<number | null> {
  const wire = new WireTransaction()
  wire.parse(Buffer.from(base64, 'base64'))
  const { value } = readSimulated(await ask('simulateTransaction', [base64, executed(wire)]))
  return value.err === null ? (value.unitsConsumed ?? null) : null
}

/** The tokens that the accounts hold for the wallet. */
function tokensIn(accounts: readonly (RawAccount | null)[], wallet: string): readonly (string | null)[] {
  return accounts.flatMap((account) => {
    const holding = holdingOf(account, wallet)
    if (holding === null || holding.amount === 0n) return []
    return [holding.mint === WRAPPED_SOL_MINT ? null : holding.mint]
  })
}

/** Whether it is a token account of the wallet's, or nothing yet, out of which one could be made. */
const mayBeOwn = (account: RawAccount | null, wallet: string): boolean =>
  account === null || account.owner === SYSTEM_PROGRAM || holdingOf(account, wallet) !== null

/** A node shows a closed account as one without lamports. */
const open = (account: RawAccount | null): RawAccount | null => (account?.lamports === 0 ? null : account)

/** The contents of a wallet's token account, and who else has access to it. */
type Holding = ReturnType<typeof tokenAccountOf>
type WalletTokenAccount = NonNullable<Holding>

/**
 * @param isOpen  whether the account exists afterwards
 * @throws GatewayError  material_refused, if it exists and is no longer the wallet's, or gives others new access
 */
function tokenChanges(then: Holding, now: Holding, isOpen: boolean): readonly BalanceChange[] {
  if (then !== null && now === null && isOpen) throw refuseMaterial('permission')
  if (now !== null && isLaxer(then, now)) throw refuseMaterial('permission')
  return [...owned(then, -1n), ...owned(now, 1n)]
}

/** Whether the account gives others more access than before. */
function isLaxer(then: WalletTokenAccount | null, now: WalletTokenAccount): boolean {
  const isOther = (key: 'delegate' | 'closer') => now[key] !== null && now[key] !== then?.[key]
  if (isOther('delegate') || isOther('closer')) return true
  return now.delegate !== null && now.delegated > (then?.delegated ?? 0n)
}

function owned(holding: WalletTokenAccount | null, times: bigint): readonly BalanceChange[] {
  if (holding === null) return []
  const { mint, amount, lamports } = holding
  const native = { token: null, amount: times * lamports }
  return mint === WRAPPED_SOL_MINT ? [native] : [native, { token: mint, amount: times * amount }]
}

const OWNER_AT = 32
const AMOUNT_AT = 64
const DELEGATE_AT = 72
const STATE_AT = 108
const FROZEN = 2
const DELEGATED_AT = 121
const CLOSE_AUTHORITY_AT = 129
const ACCOUNT_BYTES = 165

/** @returns null unless the account is a token account of the wallet's */
function holdingOf(account: RawAccount | null, wallet: string): WalletTokenAccount | null {
  const holding = tokenAccountOf(account)
  return holding?.owner === wallet ? holding : null
}

function tokenAccountOf(account: RawAccount | null) {
  if (account === null || (account.owner !== TOKEN_PROGRAM && account.owner !== TOKEN_2022_PROGRAM))
    return null
  const data = Buffer.from(account.data[0], 'base64')
  if (data.length < ACCOUNT_BYTES) return null
  return {
    owner: encodeBase58(data.subarray(OWNER_AT, OWNER_AT + KEY_BYTES)),
    mint: encodeBase58(data.subarray(0, KEY_BYTES)),
    amount: data.readBigUInt64LE(AMOUNT_AT),
    /** Rent, plus the amount if it holds wrapped SOL. */
    lamports: lamportsOf(account),
    /** The amount that the delegate may take. */
    delegated: data.readBigUInt64LE(DELEGATED_AT),
    /** The delegate's key in hex, and the close authority's. */
    delegate: optionalKey(data, DELEGATE_AT),
    closer: optionalKey(data, CLOSE_AUTHORITY_AT),
    isFrozen: data[STATE_AT] === FROZEN,
  }
}

/** A zero tag means none, even if an older key is still in the bytes. */
const optionalKey = (data: Buffer, at: number): string | null =>
  data.readUInt32LE(at) === 0 ? null : data.toString('hex', at + 4, at + 4 + KEY_BYTES)

/** @throws GatewayError  upstream_unusable, if a double cannot hold the number exactly */
function lamportsOf(account: RawAccount | null): bigint {
  if (account === null) return 0n
  if (!Number.isSafeInteger(account.lamports)) unusable()
  return BigInt(account.lamports)
}

const staticWritable = (wire: WireTransaction): string[] =>
  Array.from({ length: wire.keyCount }, (_, i) => i).flatMap((i) =>
    isStaticWritable(wire, i) ? [encodeBase58(wire.key(i))] : [],
  )

/** The writable accounts that come from lookup tables, and the tables. */
async function lookedUp(wire: WireTransaction, ask: AskSolana) {
  const tables = new Map<string, readonly Uint8Array[]>()
  if (wire.lookupCount === 0) return { writable: [], tables }
  const lookups = wire.lookups().map(({ table, writable, readonly }) => ({
    table: encodeBase58(table),
    writable: [...writable],
    readonly: [...readonly],
  }))
  const read = await readTables(
    lookups.map(({ table }) => table),
    ask,
  )
  const loaded = lookups.flatMap(({ table: address, writable, readonly }, i) => {
    const table = read[i]!
    const isThere = table !== null && [...writable, ...readonly].every((index) => index < table.length)
    if (!isThere) throw refuseMaterial('lookup_table')
    tables.set(address, table)
    return writable.map((index) => encodeBase58(table[index]!))
  })
  return { writable: loaded, tables }
}

/** @returns the addresses in each lookup table; null if it isn't a table */
export async function readTables(tables: readonly string[], ask: AskSolana) {
  const { value } = readAccounts(await ask('getMultipleAccounts', [tables, OPTIONS]))
  return tables.map((_, i) => entriesOf(value[i] ?? null))
}

const accountsIn = jsonReader(Accounts)
const simulatedIn = jsonReader(Simulated)

/** @throws GatewayError  upstream_unusable */
const readAccounts = (text: string) => accountsIn(text) ?? unusable()
/** @throws GatewayError  upstream_unusable */
const readSimulated = (text: string) => simulatedIn(text) ?? unusable()

function unusable(): never {
  throw unreadable('The Solana node')
}
