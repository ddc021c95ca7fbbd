/**
 * The messages for transactions that are refused before they are forwarded.
 * `codes.json` has the codes and their rule numbers. The console shows the same
 * messages before a transaction is sent.
 */

import type { TransactionRefusal } from '../../chains/solana/refusals.ts'
import { MAX_TRANSACTION_BYTES } from '../../chains/solana/sizes.ts'

/**
 * @param maxV1Bytes  the most bytes of a transaction of version 1
 * @returns the message of the Error body: what is wrong, and what would be accepted
 */
export function describeRefusal(
  code: TransactionRefusal,
  maxV1Bytes: number = MAX_TRANSACTION_BYTES,
): string {
  if (code !== 'transaction_too_large' || maxV1Bytes === MAX_TRANSACTION_BYTES) return MESSAGES[code]
  return `${MESSAGES[code]} A version 1 transaction may have ${maxV1Bytes.toLocaleString('en')} bytes, in base64.`
}

/** The message of `preflight_required`. */
export const PREFLIGHT_REQUIRED = 'Preflight is required: leave `skipPreflight` out, or set it to false.'

const MESSAGES = {
  transaction_too_large:
    'The transaction is longer than 1,232 bytes. ' +
    'Send at most 1,232 bytes, which is 1,644 characters of base64 or 1,683 of base58.',
  transaction_encoding_invalid:
    'The transaction is not in the encoding that the options name. ' +
    'Send base58 (the default), or base64 in the standard alphabet with padding and `"encoding": "base64"`.',
  transaction_truncated:
    'The transaction ends before its last field does. Send the whole serialized transaction.',
  compact_u16_malformed:
    'A length in the transaction is not a compact-u16 in its shortest form, or is too large for its field. ' +
    'Serialize every length in its shortest form.',
  signature_count_invalid: 'The transaction does not have 1 to 12 signatures. Send 1 to 12.',
  transaction_version_unsupported:
    'The transaction has a version that is not supported. Send a legacy, version 0 or version 1 transaction.',
  signature_count_mismatch:
    "The number of signatures is not the number that the message's header requires. " +
    'Send exactly one signature for each required signer.',
  account_keys_missing:
    'The message has fewer account keys than signatures. Every signer must be among the static account keys.',
  fee_payer_readonly:
    'The header makes every signer read-only, so nobody can pay the fee. The first signer must be writable.',
  header_out_of_range:
    "The message's header counts more accounts than there are keys. " +
    'Signers and read-only non-signers together must not outnumber the static account keys.',
  account_count_invalid:
    'The message does not have 1 to 38 static account keys, or 1 to 64 in version 1. Send as many.',
  program_is_fee_payer:
    'An instruction names the fee payer as its program. A program must be another static account key.',
  program_index_out_of_range:
    'An instruction names a program that is not among the static account keys. ' +
    'A program cannot come from a lookup table.',
  account_index_out_of_range:
    'An instruction names an account that the transaction does not load. ' +
    'Account indexes must be below the number of static and looked-up accounts.',
  too_many_instructions: 'The transaction has more than 64 top-level instructions. Send at most 64.',
  lookup_empty: 'A lookup table entry loads no account. Every entry must load at least one.',
  too_many_accounts:
    'The transaction loads more than 256 accounts. Static and looked-up keys must be at most 256.',
  too_many_lookups: 'The transaction names more lookup tables than it has room for. Send at most 31.',
  trailing_bytes:
    'The transaction has bytes after its last field; a leader would drop it silently. ' +
    'Send exactly the serialized transaction.',
  duplicate_account:
    'The message has the same static account key twice, so its account could not be locked. ' +
    'List every key once.',
  duplicate_lookup:
    'The same entry of the same lookup table is loaded twice, so its account could not be locked. ' +
    'Load every entry once.',
  config_mask_invalid:
    'The config mask of the message has a bit that is not known, or one alone of the two for the priority fee. ' +
    'Set none but the lowest five bits, and the lowest two together.',
  heap_size_invalid:
    'The heap that the message asks for is not possible. ' +
    'Ask for a multiple of 1,024 bytes from 32,768 to 262,144, or leave it out.',
  signature_invalid:
    'A signature does not verify against its signer and the message. ' +
    'Send the bytes exactly as they were signed.',
  transaction_not_signed:
    'A required signature is still missing: its 64 bytes are all zero. ' +
    'Send the transaction after every required signer has signed it.',
} as const satisfies Record<TransactionRefusal, string>
