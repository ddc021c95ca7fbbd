/**
 * The methods that report a transaction's status.
 *
 * Source: anza-xyz/agave rpc/src/rpc.rs (get_signature_statuses, get_transaction)
 */

import { encodeBase58 } from '../../chains/solana/base58.ts'
import { describeMeta, describeStatus, describeTransaction, TRANSACTION_ENCODINGS } from './describe.ts'
import type { Landed } from './ledger/bank.ts'
import type { Json, JsonObject } from './ledger/json.ts'
import {
  invalidParams,
  type RpcConfig,
  RpcError,
  readAddress,
  readConfig,
  readCount,
  readFlag,
  readList,
  readSignature,
  readWord,
} from './ledger/params.ts'
import type { Commitment, NodeSlots } from './ledger/slots.ts'
import { type Method, method, withContext } from './method.ts'
import { readView } from './view.ts'

/** MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS */
const MAX_SIGNATURES = 256
/** MAX_GET_CONFIRMED_SIGNATURES_FOR_ADDRESS2_LIMIT */
const MAX_LISTED = 1_000
/** MAX_RECENT_BLOCKHASHES: how far back a node's status cache reaches, in slots. */
const STATUS_CACHE_SLOTS = 300

export const HISTORY: Readonly<Record<string, Method>> = {
  getSignatureStatuses: method(1, 2, (node, [signatures, options]) => {
    const ids = readList(signatures, MAX_SIGNATURES).map((signature) =>
      encodeBase58(readSignature(signature)),
    )
    const searchHistory = readSearchHistory(options)
    const slot = node.slots.slot('processed')
    const statuses = ids.map((id) => {
      const landed = node.find(id)
      if (landed === undefined) return null
      return searchHistory || slot - landed.slot <= STATUS_CACHE_SLOTS
        ? signatureStatus(landed, node.slots)
        : null
    })
    return withContext({ slot }, statuses)
  }),

  /** The newest first. Memos are not read. */
  getSignaturesForAddress: method(1, 2, (node, [address, options]) => {
    const config = readConfig(options)
    const key = encodeBase58(readAddress(address))
    const before = readOptionalId(config.before)
    const until = readOptionalId(config.until)
    const limit = readCount(config, 'limit') ?? MAX_LISTED
    if (limit === 0 || limit > MAX_LISTED) throw invalidParams(`Invalid limit; max ${MAX_LISTED}`)
    const { commitment, slot } = readView(node, config)
    refuseProcessed(commitment)
    const all = node.bank.landed()
    const start = before === null ? 0 : all.findIndex(({ sent }) => sent.signature === before) + 1
    if (before !== null && start === 0) return []
    const end = all.findIndex(({ sent }) => sent.signature === until)
    return all
      .slice(start, end < 0 ? undefined : end)
      .filter(
        (landed) =>
          landed.slot <= slot && landed.effects.accounts.keys.some((one) => encodeBase58(one) === key),
      )
      .slice(0, limit)
      .map((landed) => {
        const { err, confirmationStatus } = signatureStatus(landed, node.slots)
        const { slot, blockTime, sent } = landed
        return { signature: sent.signature, slot, err, memo: null, blockTime, confirmationStatus }
      })
  }),

  getTransaction: method(1, 2, (node, [signature, options]) => {
    const id = encodeBase58(readSignature(signature))
    // The deprecated form: the encoding alone.
    const config: RpcConfig = typeof options === 'string' ? { encoding: options } : readConfig(options)
    const encoding = readWord(config.encoding, TRANSACTION_ENCODINGS, 'encoding') ?? 'json'
    const maxVersion = readCount(config, 'maxSupportedTransactionVersion')
    const { commitment } = readView(node, { commitment: config.commitment })
    refuseProcessed(commitment)
    const landed = node.find(id)
    if (landed === undefined || landed.slot > node.slots.slot(commitment)) return null
    const { version } = landed.sent.wire
    if (version !== 'legacy' && (maxVersion === undefined || version > maxVersion))
      throw unsupportedVersion(version)
    return {
      slot: landed.slot,
      blockTime: landed.blockTime,
      transaction: describeTransaction(landed, encoding),
      meta: describeMeta(landed, encoding),
      version: maxVersion === undefined ? undefined : version,
    }
  }),
}

function refuseProcessed(commitment: Commitment): void {
  if (commitment === 'processed') {
    throw invalidParams('Method does not support commitment below `confirmed`')
  }
}

/** An optional signature, base58. */
function readOptionalId(value: unknown): string | null {
  return value === undefined || value === null ? null : encodeBase58(readSignature(value))
}

/** P7: an object without `searchTransactionHistory` is an error, no object at all means false. */
function readSearchHistory(options: unknown): boolean {
  if (options === undefined || options === null) return false
  const search = readFlag(readConfig(options), 'searchTransactionHistory')
  if (search === undefined) throw invalidParams('Invalid params: missing field `searchTransactionHistory`.')
  return search
}

function signatureStatus({ slot: landedIn, verdict }: Landed, slots: NodeSlots): JsonObject {
  const age = slots.slot('processed') - landedIn
  const isRooted = landedIn <= slots.slot('finalized')
  const confirmationStatus = isRooted
    ? 'finalized'
    : landedIn <= slots.slot('confirmed')
      ? 'confirmed'
      : 'processed'
  return {
    slot: landedIn,
    confirmations: isRooted ? null : age,
    ...describeStatus(verdict),
    confirmationStatus,
  }
}

function unsupportedVersion(version: Json): RpcError {
  return new RpcError(
    -32015,
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  )
}
