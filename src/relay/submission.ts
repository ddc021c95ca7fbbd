/**
 * Transactions as a caller sends them, to transactions that may be forwarded
 * once their signatures are verified.
 *
 * Source: §4.9
 */

import { encodeBase58 } from '../chains/solana/base58.ts'
import { decodeTransaction } from '../chains/solana/encoding.ts'
import type { TransactionRefusal } from '../chains/solana/refusals.ts'
import { WireTransaction } from '../chains/solana/wire.ts'
import { GatewayError } from '../runtime/errors.ts'
import { describeRefusal } from './refusals.ts'

/** Bounds of a signed batch (§8). */
export const MIN_BATCH = 2
export const MAX_BATCH = 10

export interface ParsedTransaction {
  readonly wire: WireTransaction
  /** The transaction for the upstream: exactly the bytes that were parsed. */
  readonly base64: string
  /** The first signature, which names the transaction; base58. */
  readonly signature: string
}

interface EncodingOption {
  readonly encoding?: 'base58' | 'base64' | null
}

/**
 * @param options      `encoding` is base58 where it is absent, as on a node
 * @param transaction  its place in a batch, undefined for a single one
 * @throws GatewayError  with the refusal's own code
 */
export function parseTransaction(
  text: string,
  options: EncodingOption | null | undefined,
  transaction?: number,
): ParsedTransaction {
  const encoding = options?.encoding ?? 'base58'
  const bytes = decodeTransaction(text, encoding)
  if (typeof bytes === 'string') throw refusal(bytes, transaction)
  const wire = new WireTransaction()
  const refused = wire.parse(bytes)
  if (refused !== null) throw refusal(refused, transaction)
  // Strict base64 has one spelling: the caller's text is what the bytes encode to.
  const base64 = encoding === 'base64' ? text : Buffer.from(bytes).toString('base64')
  return { wire, base64, signature: encodeBase58(wire.signature(0)) }
}

/** @throws GatewayError  for the first transaction that is refused, by its place; or for their number or a repetition */
export function parseBatch(
  texts: readonly string[],
  options: EncodingOption | null | undefined,
): readonly ParsedTransaction[] {
  if (texts.length < MIN_BATCH || texts.length > MAX_BATCH) {
    const message = `A signed batch must hold ${MIN_BATCH} to ${MAX_BATCH} transactions; send a single one with sendTransaction.`
    throw new GatewayError('batch_size_invalid', message, { field: 'params[0]' })
  }
  const batch = texts.map((text, transaction) => parseTransaction(text, options, transaction))
  const seen = new Set<string>()
  for (const [transaction, { signature }] of batch.entries()) {
    if (seen.has(signature)) {
      const message = 'The same transaction stands twice in the batch; send each one once.'
      throw new GatewayError('batch_duplicate', message, { transaction })
    }
    seen.add(signature)
  }
  return batch
}

function refusal(code: TransactionRefusal, transaction: number | undefined): GatewayError {
  return new GatewayError(code, describeRefusal(code), transaction === undefined ? {} : { transaction })
}
