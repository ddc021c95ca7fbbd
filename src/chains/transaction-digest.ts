/**
 * Digests of what a transaction does, so that a landed one can be matched with the one that was built. They
 * cover all that the sender signs, except the nonce and the fees on EVM chains. A digest names no wallet.
 *
 * Source: ethereum/execution-apis, eth_getTransactionByHash · solana.com/docs/rpc/json-structures
 */
import { createHash } from 'node:crypto'
import { encodeBase58 } from './solana/base58.ts'
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
export interface SolanaMessage {
  readonly accountKeys: readonly string[]
  readonly recentBlockhash: string
  readonly instructions: readonly {
    readonly programIdIndex: number
    readonly accounts: readonly number[]
    /** Base58. */
    readonly data: string
  }[]
  readonly addressTableLookups?:
    | readonly {
        readonly accountKey: string
        readonly writableIndexes: readonly number[]
        readonly readonlyIndexes: readonly number[]
      }[]
    | null
}

export const solanaDigest = (message: SolanaMessage): string =>
  digestOf([
    message.recentBlockhash,
    message.accountKeys,
    message.instructions.map(({ programIdIndex, accounts, data }) => [programIdIndex, accounts, data]),
    (message.addressTableLookups ?? []).map((one) => [
      one.accountKey,
      one.writableIndexes,
      one.readonlyIndexes,
    ]),
  ])

/** @param wire  parsed */
export const messageOf = (wire: WireTransaction): SolanaMessage => ({
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
