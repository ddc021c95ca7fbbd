/**
 * The reasons for refusing a transaction. Each is a code of `codes.json`, which has the number of its rule;
 * the relay has the messages.
 */

/** Reasons in the bytes alone, as `WireTransaction.parse` returns them. */
export type WireRefusal =
  | 'transaction_too_large'
  | 'transaction_truncated'
  | 'compact_u16_malformed'
  | 'signature_count_invalid'
  | 'transaction_version_unsupported'
  | 'signature_count_mismatch'
  | 'account_keys_missing'
  | 'fee_payer_readonly'
  | 'header_out_of_range'
  | 'account_count_invalid'
  | 'program_is_fee_payer'
  | 'program_index_out_of_range'
  | 'account_index_out_of_range'
  | 'too_many_instructions'
  | 'lookup_empty'
  | 'too_many_accounts'
  | 'too_many_lookups'
  | 'trailing_bytes'
  | 'duplicate_account'
  | 'duplicate_lookup'
  | 'config_mask_invalid'
  | 'heap_size_invalid'

/** Reasons in the text that encodes the bytes: R1 to R3. */
export type EncodingRefusal = 'transaction_too_large' | 'transaction_encoding_invalid'

/** Reasons in the signatures: R26, R27. */
export type SignatureRefusal = 'signature_invalid' | 'transaction_not_signed'

export type TransactionRefusal = WireRefusal | EncodingRefusal | SignatureRefusal
