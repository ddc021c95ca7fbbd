/**
 * A landed transaction as a node shows it.
 *
 * Under jsonParsed every instruction has the form that a node uses for programs without a parser: program,
 * accounts and data.
 *
 * Source: anza-xyz/agave transaction-status-client-types/src/lib.rs
 */

import { encodeBase58 } from '../../chains/solana/base58.ts'
import type { Instruction, WireTransaction } from '../../chains/solana/wire.ts'
import { configOf } from '../../chains/solana/wire-v1.ts'
import type { Landed, TransactionBalances } from './ledger/bank.ts'
import type { Json, JsonObject } from './ledger/json.ts'
import { tokenAmount } from './ledger/tokens.ts'
import type { LoadedAccounts } from './ledger/transaction.ts'
import type { Verdict } from './ledger/vm.ts'

export const TRANSACTION_ENCODINGS = ['json', 'jsonParsed', 'base64', 'base58', 'binary'] as const
type TransactionEncoding = (typeof TRANSACTION_ENCODINGS)[number]

/** The depth at which an instruction was called: 1 at the top, one more for each program in between. */
const TOP_LEVEL = 1

export function describeTransaction({ sent, effects }: Landed, encoding: TransactionEncoding): Json {
  const { wire } = sent
  switch (encoding) {
    case 'base64':
      return [Buffer.from(wire.bytes).toString('base64'), 'base64']
    case 'base58':
      return [encodeBase58(wire.bytes), 'base58']
    case 'binary':
      return encodeBase58(wire.bytes)
    default: {
      const isParsed = encoding === 'jsonParsed'
      const signatures = Array.from({ length: wire.signatureCount }, (_, i) =>
        encodeBase58(wire.signature(i)),
      )
      return { signatures, message: describeMessage(wire, effects.accounts, isParsed) }
    }
  }
}

export function describeMeta({ verdict, effects }: Landed, encoding: TransactionEncoding): JsonObject {
  const { accounts, before, after, fee } = effects
  const isParsed = encoding === 'jsonParsed'
  return {
    ...describeStatus(verdict),
    fee,
    preBalances: before.lamports,
    postBalances: after.lamports,
    innerInstructions: describeInner(verdict, accounts, isParsed),
    logMessages: verdict.logs,
    preTokenBalances: describeTokens(before),
    postTokenBalances: describeTokens(after),
    rewards: [],
    loadedAddresses: isParsed ? undefined : describeLoaded(accounts),
    computeUnitsConsumed: verdict.unitsConsumed,
    returnData: describeReturnData(verdict) ?? undefined,
  }
}

/** `err`, and the older `status` that says the same. */
export function describeStatus({ failure }: Verdict): { err: Json; status: JsonObject } {
  return failure === null
    ? { err: null, status: { Ok: null } }
    : { err: failure.err, status: { Err: failure.err } }
}

export function describeReturnData({ returnData }: Verdict): Json {
  if (returnData === null) return null
  const data = Buffer.from(returnData.data).toString('base64')
  return { programId: encodeBase58(returnData.programId), data: [data, 'base64'] }
}

/** The top-level instructions that called others: their index, and what they called. */
export function describeInner(verdict: Verdict, { keys }: LoadedAccounts, isParsed: boolean): JsonObject[] {
  return verdict.innerInstructions.flatMap((calls, index) => {
    if (calls.length === 0) return []
    const instructions = calls.map((call) => describeInstruction(call, call.stackHeight, keys, isParsed))
    return [{ index, instructions }]
  })
}

export function describeTokens({ tokens }: TransactionBalances): JsonObject[] {
  return tokens.map(({ amount, decimals, ...balance }) => ({
    ...balance,
    uiTokenAmount: tokenAmount(amount, decimals),
  }))
}

export function describeLoaded({ loadedWritable, loadedReadonly }: LoadedAccounts): JsonObject {
  return { writable: loadedWritable.map(encodeBase58), readonly: loadedReadonly.map(encodeBase58) }
}

function describeMessage(wire: WireTransaction, accounts: LoadedAccounts, isParsed: boolean): JsonObject {
  const instructions = wire
    .instructions()
    .map((instruction) => describeInstruction(instruction, TOP_LEVEL, accounts.keys, isParsed))
  const recentBlockhash = encodeBase58(wire.blockhash())
  const lookups = wire.lookups().map(({ table, writable, readonly }) => ({
    accountKey: encodeBase58(table),
    writableIndexes: [...writable],
    readonlyIndexes: [...readonly],
  }))
  const addressTableLookups = wire.version === 0 ? lookups : undefined
  const config = configOf(wire)
  const transactionConfig = config === null ? undefined : { ...config }
  if (isParsed) {
    const accountKeys = describeKeys(wire, accounts)
    return { accountKeys, recentBlockhash, instructions, addressTableLookups, transactionConfig }
  }
  const header = {
    numRequiredSignatures: wire.requiredSignatures,
    numReadonlySignedAccounts: wire.readonlySigned,
    numReadonlyUnsignedAccounts: wire.readonlyUnsigned,
  }
  const accountKeys = accounts.keys.slice(0, wire.keyCount).map(encodeBase58)
  return { header, accountKeys, recentBlockhash, instructions, addressTableLookups, transactionConfig }
}

function describeInstruction(
  { programIndex, accounts, data }: Instruction,
  stackHeight: number,
  keys: readonly Uint8Array[],
  isParsed: boolean,
): JsonObject {
  const called = isParsed
    ? {
        programId: encodeBase58(keys[programIndex]!),
        accounts: Array.from(accounts, (index) => encodeBase58(keys[index]!)),
      }
    : { programIdIndex: programIndex, accounts: [...accounts] }
  return { ...called, data: encodeBase58(data), stackHeight }
}

/** Writable as the header and the lookups declare it. */
function describeKeys(wire: WireTransaction, { keys, loadedWritable }: LoadedAccounts): JsonObject[] {
  const { keyCount, requiredSignatures } = wire
  return keys.map((key, i) => {
    const writableUntil =
      i < requiredSignatures
        ? requiredSignatures - wire.readonlySigned
        : i < keyCount
          ? keyCount - wire.readonlyUnsigned
          : keyCount + loadedWritable.length
    return {
      pubkey: encodeBase58(key),
      signer: i < requiredSignatures,
      writable: i < writableUntil,
      source: i < keyCount ? 'transaction' : 'lookupTable',
    }
  })
}
