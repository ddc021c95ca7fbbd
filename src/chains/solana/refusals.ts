/**
 * The reasons for refusing a transaction, with their messages. Each is a code of `codes.json`, which has the number of
 * its rule.
 */
import messages from './refusal-messages.json' with { type: 'json' }

export type TransactionRefusal = keyof typeof messages

/** What is wrong, and what would be accepted. */
export const REFUSAL_MESSAGES: Readonly<Record<TransactionRefusal, string>> = messages

/** Reasons in the text that encodes the bytes: R1 to R3. */
export type EncodingRefusal = 'transaction_too_large' | 'transaction_encoding_invalid'

/** Reasons in the signatures: R26, R27. */
export type SignatureRefusal = 'signature_invalid' | 'transaction_not_signed'

/** Reasons in the bytes alone, as `WireTransaction.parse` returns them. */
export type WireRefusal = Exclude<TransactionRefusal, 'transaction_encoding_invalid' | SignatureRefusal>
