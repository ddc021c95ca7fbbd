/**
 * The messages for transactions that are refused before they are forwarded.
 * `codes.json` has the codes and their rule numbers. The console shows the same
 * messages before a transaction is sent.
 */

import { REFUSAL_MESSAGES, type TransactionRefusal } from '../../chains/solana/refusals.ts'
import { MAX_TRANSACTION_BYTES } from '../../chains/solana/sizes.ts'

/**
 * @param maxV1Bytes  the most bytes of a transaction of version 1
 * @returns the message of the Error body: what is wrong, and what would be accepted
 */
export function describeRefusal(
  code: TransactionRefusal,
  maxV1Bytes: number = MAX_TRANSACTION_BYTES,
): string {
  if (code !== 'transaction_too_large' || maxV1Bytes === MAX_TRANSACTION_BYTES) return REFUSAL_MESSAGES[code]
  return `${REFUSAL_MESSAGES[code]} A version 1 transaction may have ${maxV1Bytes.toLocaleString('en')} bytes, in base64.`
}

/** The message of `preflight_required`. */
export const PREFLIGHT_REQUIRED = 'Preflight is required: leave `skipPreflight` out, or set it to false.'
