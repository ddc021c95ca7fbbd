/**
 * Digests of what a transaction does, so that a landed one is matched with the one that was built even if the wallet
 * rewrote it: on EVM chains its nonce, fees and the batch around it, on Solana what wallet-edits.ts lists. A digest
 * names no wallet.
 *
 * Source: ethereum/execution-apis, eth_getTransactionByHash · solana.com/docs/rpc/json-structures
 */
import { createHash } from 'node:crypto'
import { decodeBase58, encodeBase58 } from './solana/base58.ts'
import { budgetOf } from './solana/compute-budget.ts'
import { type EditKind, editKindOf } from './solana/wallet-edits.ts'
import type { WireTransaction } from './solana/wire.ts'

/** @returns 32 characters of base64url */
const digestOf = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 32)

interface EvmCall {
  readonly chainId: number
  readonly from: string
  readonly to: string
  readonly data: string
  readonly value: bigint
}

export const evmDigest = ({ chainId, from, to, data, value }: EvmCall): string =>
  digestOf([chainId, ...[from, to, data].map((text) => text.toLowerCase()), String(value)])

/** A message as nodes write it as JSON; `accountKeys` excludes the keys that come from lookup tables. */
type SolanaMessage = Omit<ReturnType<typeof messageOf>, 'addressTableLookups'> & {
  readonly addressTableLookups?: ReturnType<typeof messageOf>['addressTableLookups'] | null
}

/** What a wallet may set anew or add; two of the same transaction show what it changed. */
export type SolanaEdits = SolanaForm['edits']

export type SolanaForm = ReturnType<typeof solanaForm>

/** Decoding is quadratic, and what a wallet adds is short: longer data isn't read. */
const MAX_EDIT_BYTES = 256

export function solanaForm(message: SolanaMessage) {
  const { accountKeys, recentBlockhash, instructions } = message
  const lookups = message.addressTableLookups ?? []
  // By table and index, because a wallet's own keys move all that come after them.
  const accounts = [
    ...accountKeys,
    ...lookups.flatMap((one) => one.writableIndexes.map((index) => `${one.accountKey} ${index}`)),
    ...lookups.flatMap((one) => one.readonlyIndexes.map((index) => `${one.accountKey} ${index}`)),
  ]
  const budget: Uint8Array[] = []
  const counts: Record<EditKind, number> = { budget: 0, guard: 0, memo: 0, nonce: 0 }
  const rest: unknown[] = []
  for (const [i, { programIdIndex, accounts: indexes, data }] of instructions.entries()) {
    const program = accounts[programIdIndex] ?? ''
    const bytes = decodeBase58(data, MAX_EDIT_BYTES) ?? new Uint8Array(0)
    const kind = editKindOf(program, bytes, i)
    if (kind === null) rest.push([program, indexes.map((index) => accounts[index] ?? null), data])
    else counts[kind]++
    if (kind === 'budget') budget.push(bytes)
  }
  const { price, limit } = budgetOf(budget)
  return {
    /** Of everything else: the payer, and each instruction with its accounts. */
    digest: digestOf([accounts[0], rest]),
    edits: {
      blockhash: recentBlockhash,
      ...{ limit, price: String(price) },
      guards: counts.guard,
      memos: counts.memo,
      nonces: counts.nonce,
    },
  }
}

/** What wallets change on Solana, and what they wrap around a call on EVM chains, by the names that receipts have. */
export const SOLANA_CHANGES = [
  'blockhash',
  'nonce',
  'compute_price',
  'compute_limit',
  'guards',
  'memo',
] as const
export const WRAPPER_KINDS = ['batch', 'delegation', 'safe', 'user_operation'] as const

type SolanaChange = (typeof SOLANA_CHANGES)[number]
export type WrapperKind = (typeof WRAPPER_KINDS)[number]
export type WalletChange = SolanaChange | WrapperKind

export function changesBetween(built: SolanaEdits, landed: SolanaEdits): readonly SolanaChange[] {
  const isNonce = built.nonces !== landed.nonces
  const isChanged: Readonly<Record<SolanaChange, boolean>> = {
    // A nonce stands in its place.
    blockhash: !isNonce && built.blockhash !== landed.blockhash,
    nonce: isNonce,
    compute_price: built.price !== landed.price,
    compute_limit: built.limit !== landed.limit,
    guards: built.guards !== landed.guards,
    memo: built.memos !== landed.memos,
  }
  return SOLANA_CHANGES.filter((name) => isChanged[name])
}

/** @param wire  parsed */
export const messageOf = (wire: WireTransaction) => ({
  recentBlockhash: encodeBase58(wire.blockhash()),
  accountKeys: Array.from({ length: wire.keyCount }, (_, i) => encodeBase58(wire.key(i))),
  instructions: wire.instructions().map(({ programIndex, accounts, data }) => ({
    programIdIndex: programIndex,
    accounts: [...accounts],
    data: encodeBase58(data),
  })),
  addressTableLookups:
    wire.lookupCount === 0
      ? []
      : wire.lookups().map(({ table, writable, readonly }) => ({
          accountKey: encodeBase58(table),
          writableIndexes: [...writable],
          readonlyIndexes: [...readonly],
        })),
})
