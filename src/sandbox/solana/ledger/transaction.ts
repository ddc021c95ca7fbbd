/**
 * A transaction as a node takes it in: text, bytes, fields, and the accounts that its lookup tables add.
 * `WireTransaction` stands in front of the virtual machine, so what a node only finds by running it passes
 * (AccountLoadedTwice), with one difference: bytes after the last field are refused here, where a node takes
 * them and its leaders lose the transaction.
 *
 * Source: anza-xyz/agave rpc/src/rpc.rs (decode_and_deserialize, sanitize_transaction)
 */

import { encodeBase58 } from '../../../chains/solana/base58.ts'
import { decodeTransaction } from '../../../chains/solana/encoding.ts'
import type { WireRefusal } from '../../../chains/solana/refusals.ts'
import {
  KEY_BYTES,
  MAX_TRANSACTION_BYTES,
  MAX_V1_TRANSACTION_BYTES,
  SIGNATURE_BYTES,
} from '../../../chains/solana/sizes.ts'
import { WireTransaction } from '../../../chains/solana/wire.ts'
import { V1 } from '../../../chains/solana/wire-v1.ts'
import { invalidParams, type RpcConfig, type RpcError, readText, readWord } from './params.ts'
import type { ReadAccount } from './tokens.ts'

export interface SubmittedTransaction {
  readonly wire: WireTransaction
  readonly isSanitary: boolean
  /** The first signature, base58: the transaction's id. */
  readonly signature: string
  readonly blockhash: string
}

/** Every account that a transaction loads: the static keys, then the looked-up ones, writable before read-only. */
export interface LoadedAccounts {
  readonly keys: readonly Uint8Array[]
  readonly loadedWritable: readonly Uint8Array[]
  readonly loadedReadonly: readonly Uint8Array[]
}

const TYPE = 'solana_transaction::versioned::VersionedTransaction'
const MESSAGE_TYPE = 'solana_message::versions::VersionedMessage'
/** Set in the first byte of a message that is not a legacy one. */
const VERSIONED = 0x80
/** The refusals of bytes that do not even divide into fields; sanitizing gives any other. */
const NOT_FRAMED: ReadonlySet<WireRefusal> = new Set([
  'transaction_truncated',
  'compact_u16_malformed',
  'transaction_version_unsupported',
  'config_mask_invalid',
  'trailing_bytes',
])
/** The bytes are sound; only locking the accounts will fail. A message of version 1 has no key twice. */
const LEFT_TO_THE_RUNTIME: ReadonlySet<WireRefusal> = new Set(['duplicate_account', 'duplicate_lookup'])
/** LookupTableMeta: the addresses follow it. */
const TABLE_META_BYTES = 56

/**
 * First half: the text, its size, and the division into fields.
 *
 * @throws -32602
 */
export function readTransaction(value: unknown, config: RpcConfig): SubmittedTransaction {
  const encoding = readWord(config.encoding, ['base58', 'binary', 'base64'], 'encoding') ?? 'base58'
  const name = encoding === 'base64' ? 'base64' : 'base58'
  const bytes = decodeTransaction(readText(value), name, MAX_V1_TRANSACTION_BYTES)
  if (bytes === 'transaction_too_large') throw tooLarge(TYPE)
  if (bytes === 'transaction_encoding_invalid') throw invalidParams(`invalid ${encoding} encoding`)
  return openTransaction(bytes)
}

export function openTransaction(bytes: Uint8Array, type = TYPE): SubmittedTransaction {
  const wire = new WireTransaction()
  const refusal = wire.parse(bytes, MAX_V1_TRANSACTION_BYTES)
  if (refusal === 'transaction_too_large') throw tooLarge(type)
  if (refusal !== null && NOT_FRAMED.has(refusal)) throw invalidParams(`failed to deserialize ${type}`)
  return {
    wire,
    isSanitary: refusal === null || (wire.version !== 1 && LEFT_TO_THE_RUNTIME.has(refusal)),
    signature: encodeBase58(wire.signature(0)),
    blockhash: encodeBase58(wire.blockhash()),
  }
}

/**
 * A message alone, in base64, as if nobody had signed it yet.
 *
 * @throws -32602
 */
export function readMessage(value: unknown): SubmittedTransaction {
  const message = decodeTransaction(readText(value), 'base64', MAX_V1_TRANSACTION_BYTES)
  if (message === 'transaction_too_large') throw tooLarge(MESSAGE_TYPE)
  if (message === 'transaction_encoding_invalid') throw invalidParams('invalid base64 encoding')
  const signatures = message[message[0]! < VERSIONED ? 0 : 1] ?? 1
  const unsigned = new Uint8Array(signatures * SIGNATURE_BYTES)
  const parts = message[0] === V1 ? [message, unsigned] : [Uint8Array.of(signatures), unsigned, message]
  const sent = openTransaction(Buffer.concat(parts), MESSAGE_TYPE)
  sanitize(sent, 'invalid transaction message')
  return sent
}

function tooLarge(type: string): RpcError {
  return invalidParams(
    `decoded ${type} too large: more than ${MAX_TRANSACTION_BYTES} bytes, or ${MAX_V1_TRANSACTION_BYTES} in version 1`,
  )
}

/**
 * Second half: do the fields fit each other? Nothing else may reach the virtual machine.
 *
 * @throws -32602
 */
export function sanitize(sent: SubmittedTransaction, refusal = 'invalid transaction'): void {
  if (!sent.isSanitary) {
    throw invalidParams(`${refusal}: Transaction failed to sanitize accounts offsets correctly`)
  }
}

/** @returns null if a lookup cannot be resolved; the virtual machine says why */
export function resolveAccounts({ wire }: SubmittedTransaction, read: ReadAccount): LoadedAccounts | null {
  const loadedWritable: Uint8Array[] = []
  const loadedReadonly: Uint8Array[] = []
  for (const lookup of wire.lookups()) {
    const table = read(lookup.table)
    if (table === null) return null
    for (const [indexes, loaded] of [
      [lookup.writable, loadedWritable],
      [lookup.readonly, loadedReadonly],
    ] as const) {
      for (const index of indexes) {
        const at = TABLE_META_BYTES + index * KEY_BYTES
        if (at + KEY_BYTES > table.data.length) return null
        loaded.push(table.data.subarray(at, at + KEY_BYTES))
      }
    }
  }
  const keys = Array.from({ length: wire.keyCount }, (_, i) => wire.key(i))
  return { keys: [...keys, ...loadedWritable, ...loadedReadonly], loadedWritable, loadedReadonly }
}
