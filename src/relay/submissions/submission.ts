/**
 * Parses transactions as clients send them. One that is parsed without refusal may be forwarded once its
 * signatures are verified.
 *
 * Source: §4.9
 */

import { encodeBase58 } from '../../chains/solana/base58.ts'
import { decodeTransaction } from '../../chains/solana/encoding.ts'
import type { TransactionRefusal } from '../../chains/solana/refusals.ts'
import { MAX_TRANSACTION_BYTES } from '../../chains/solana/sizes.ts'
import { WireTransaction } from '../../chains/solana/wire.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { describeRefusal } from './refusals.ts'

/** Bounds of a signed batch (§8). */
export const MIN_BATCH = 2
export const MAX_BATCH = 10

/**
 * `base64` has exactly the bytes that were parsed, as the nodes get them; the transaction is named by its first
 * signature, in base58.
 */
export type ParsedTransaction = Readonly<ReturnType<typeof parseTransaction>>

interface EncodingOption {
  readonly encoding?: 'base58' | 'base64' | null
}

/**
 * @param options      `encoding` is base58 if absent, as on a node
 * @param transaction  its index in a batch, undefined for a single one
 * @param maxV1Bytes   the most bytes of a transaction of version 1
 * @throws GatewayError  with the refusal's own code
 */
export function parseTransaction(
  text: string,
  options: EncodingOption | null | undefined,
  transaction?: number,
  maxV1Bytes: number = MAX_TRANSACTION_BYTES,
) {
  const encoding = options?.encoding ?? 'base58'
  const bytes = decodeTransaction(text, encoding, maxV1Bytes)
  if (typeof bytes === 'string') throw refusal(bytes, transaction, maxV1Bytes)
  const wire = new WireTransaction()
  const refused = wire.parse(bytes, maxV1Bytes)
  if (refused !== null) throw refusal(refused, transaction, maxV1Bytes)
  // Strict base64 has one spelling: encoding the bytes again gives the client's text.
  const base64 = encoding === 'base64' ? text : Buffer.from(bytes).toString('base64')
  return { wire, base64, signature: encodeBase58(wire.signature(0)) }
}

/**
 * @throws GatewayError  for the first transaction that is refused, with its index; for their number or
 * a repetition
 */
export function parseBatch(
  texts: readonly string[],
  options: EncodingOption | null | undefined,
  maxV1Bytes: number = MAX_TRANSACTION_BYTES,
): readonly ParsedTransaction[] {
  if (texts.length < MIN_BATCH || texts.length > MAX_BATCH) {
    const message = `A signed batch must hold ${MIN_BATCH} to ${MAX_BATCH} transactions. Send a single one with sendTransaction.`
    throw new GatewayError('batch_size_invalid', message, { field: 'params[0]' })
  }
  const batch = texts.map((text, transaction) => parseTransaction(text, options, transaction, maxV1Bytes))
  const seen = new Set<string>()
  for (const [transaction, { signature }] of batch.entries()) {
    if (seen.has(signature)) {
      const message = 'The same transaction is in the batch twice. Send each one once.'
      throw new GatewayError('batch_duplicate', message, { transaction })
    }
    seen.add(signature)
  }
  return batch
}

function refusal(
  code: TransactionRefusal,
  transaction: number | undefined,
  maxV1Bytes: number,
): GatewayError {
  const fields = transaction === undefined ? {} : { transaction }
  return new GatewayError(code, describeRefusal(code, maxV1Bytes), fields)
}
