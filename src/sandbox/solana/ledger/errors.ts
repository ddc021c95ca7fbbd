/**
 * Translates LiteSVM's error values into the JSON of a node's `err`, and into the text
 * after "Transaction simulation failed: ".
 *
 * Source: anza-xyz/solana-sdk transaction-error/src/lib.rs, instruction-error/src/lib.rs
 */

import type { FailedTransactionMetadata } from 'litesvm/dist/internal.js'
import named from './error-texts.json' with { type: 'json' }
import type { JsonObject } from './json.ts'

export interface TransactionFailure {
  /** The error as serde writes it: a name, or an object of one name. */
  readonly err: string | JsonObject
  readonly message: string
}

export const BLOCKHASH_NOT_FOUND: TransactionFailure = {
  err: 'BlockhashNotFound',
  message: 'Blockhash not found',
}

export function describeFailure(failed: FailedTransactionMetadata): TransactionFailure {
  const err = failed.err()
  if (typeof err === 'number') return fieldless(err)
  if ('accountIndex' in err) {
    const at = { account_index: err.accountIndex }
    return err.constructor.name === 'TransactionErrorInsufficientFundsForRent'
      ? {
          err: { InsufficientFundsForRent: at },
          message: `Transaction results in an account (${err.accountIndex}) with insufficient funds for rent`,
        }
      : {
          err: { ProgramExecutionTemporarilyRestricted: at },
          message: `Execution of the program referenced by account at index ${err.accountIndex} is temporarily restricted.`,
        }
  }
  if (!('err' in err)) {
    return {
      err: { DuplicateInstruction: err.index },
      message: `Transaction contains a duplicate instruction (${err.index}) that is not allowed`,
    }
  }
  const cause = instructionError(err.err())
  return {
    err: { InstructionError: [err.index, cause.err] },
    message: `Error processing Instruction ${err.index}: ${cause.message}`,
  }
}

/** LiteSVM's number of an error without fields -> its name and English. */
function fieldless(code: number): TransactionFailure {
  const [err, message] = TRANSACTION_ERRORS[code]!
  return { err, message }
}

type InstructionError = ReturnType<
  Extract<ReturnType<FailedTransactionMetadata['err']>, { err(): unknown }>['err']
>

function instructionError(error: InstructionError): TransactionFailure {
  if (typeof error === 'number') {
    const [err, message] = INSTRUCTION_ERRORS[error]!
    return { err, message }
  }
  if ('code' in error) {
    return { err: { Custom: error.code }, message: `custom program error: 0x${error.code.toString(16)}` }
  }
  return { err: 'BorshIoError', message: 'Failed to serialize or deserialize account data' }
}

/** A name and its English; the errors without fields, in the order of LiteSVM's ...Fieldless enumerations. */
type NamedError = readonly [name: string, message: string]
const TRANSACTION_ERRORS = named.transaction as unknown as readonly NamedError[]
const INSTRUCTION_ERRORS = named.instruction as unknown as readonly NamedError[]
