/**
 * What a transaction offers to leaders: its limit of compute units, and its price for one. Both are instructions of
 * the Compute Budget program; they are read from the bytes of a transaction, and set in those of an unsigned one.
 *
 * Source: anza-xyz/solana-sdk compute-budget-interface · solana.com/docs/core/fees
 */
import { decodeKey, encodeBase58 } from './base58.ts'
import { compactU16, lengthPrefixed } from './message.ts'
import { durableNonceOf } from './nonce.ts'
import { COMPUTE_BUDGET_PROGRAM } from './programs.ts'
import { KEY_BYTES } from './sizes.ts'
import type { Instruction, WireTransaction } from './wire.ts'

export const SET_LIMIT = 2
export const SET_PRICE = 3
const LIMIT_BYTES = 5
const PRICE_BYTES = 9
/** The most that a transaction can get. */
export const MAX_COMPUTE_UNITS = 1_400_000
const MICRO = 1_000_000n

export interface ComputeBudget {
  /** Micro-lamports per unit. */
  readonly price: bigint
  /** Units; null if the transaction leaves it to the runtime. */
  readonly limit: number | null
}

/** Lamports that a budget costs, rounded up as the runtime does. */
export const priorityLamports = (price: bigint, units: number): bigint =>
  (price * BigInt(units) + MICRO - 1n) / MICRO

/** The highest price that costs no more than this many lamports. */
export const highestPrice = (lamports: bigint, units: number): bigint =>
  (lamports * MICRO) / BigInt(Math.max(units, 1))

/** @returns null for version 1, which has no such instructions */
export function computeBudgetOf(wire: WireTransaction): ComputeBudget | null {
  if (wire.version === 1) return null
  return budgetOf(
    wire
      .instructions()
      .filter(({ programIndex }) => isProgram(wire, programIndex))
      .map(({ data }) => data),
  )
}

/** @param data  of the program's instructions, in their order */
export function budgetOf(data: readonly Uint8Array[]): ComputeBudget {
  let budget: ComputeBudget = { price: 0n, limit: null }
  for (const one of data) {
    const view = new DataView(one.buffer, one.byteOffset, one.byteLength)
    if (isLimit(one)) budget = { ...budget, limit: Math.min(view.getUint32(1, true), MAX_COMPUTE_UNITS) }
    if (isPrice(one)) budget = { ...budget, price: view.getBigUint64(1, true) }
  }
  return budget
}

/**
 * The same transaction with another budget. Nothing else changes, except the program's place among the keys
 * if it was not there. A price of zero or a limit of null has no instruction.
 * @param wire  parsed, unsigned, not of version 1
 */
export function withComputeBudget(wire: WireTransaction, { price, limit }: ComputeBudget): Buffer {
  const { bytes, messageAt, keyCount, keysAt, blockhashAt } = wire
  const instructions = wire.instructions()
  const known = Array.from({ length: keyCount }, (_, i) => i).find((i) => isProgram(wire, i))
  const isAdded = known === undefined
  const programIndex = known ?? keyCount
  const budget = (data: Buffer): Instruction => ({ programIndex, accounts: new Uint8Array(0), data })
  const kept = instructions.filter(
    ({ programIndex, data }) => programIndex !== known || !(isLimit(data) || isPrice(data)),
  )
  // The key is the last of the static ones: indexes into lookup tables move up by one.
  const moved = (index: number): number => (isAdded && index >= keyCount ? index + 1 : index)
  // A nonce counts only in the first instruction.
  const first = durableNonceOf(wire) === null ? 0 : 1
  const all = [
    ...kept.slice(0, first),
    ...(limit === null ? [] : [budget(limitData(limit))]),
    ...(price === 0n ? [] : [budget(priceData(price))]),
    ...kept.slice(first),
  ].map((one) => ({ ...one, accounts: one.accounts.map(moved) }))
  const last = instructions.at(-1)?.data
  const end = last === undefined ? wire.instructionsAt : last.byteOffset - bytes.byteOffset + last.length
  const headerAt = messageAt + (wire.version === 0 ? 1 : 0)
  return Buffer.concat([
    bytes.subarray(0, headerAt),
    Buffer.of(wire.requiredSignatures, wire.readonlySigned, wire.readonlyUnsigned + (isAdded ? 1 : 0)),
    compactU16(keyCount + (isAdded ? 1 : 0)),
    bytes.subarray(keysAt, blockhashAt),
    ...(isAdded ? [PROGRAM_KEY] : []),
    bytes.subarray(blockhashAt, blockhashAt + KEY_BYTES),
    compactU16(all.length),
    ...all.flatMap(({ programIndex, accounts, data }) => [
      Buffer.of(programIndex),
      lengthPrefixed(accounts),
      lengthPrefixed(data),
    ]),
    bytes.subarray(end),
  ])
}

const PROGRAM_KEY = decodeKey(COMPUTE_BUDGET_PROGRAM)

const isProgram = (wire: WireTransaction, index: number): boolean =>
  encodeBase58(wire.key(index)) === COMPUTE_BUDGET_PROGRAM
// The runtime reads no further, and ignores trailing bytes.
const isLimit = (data: Uint8Array): boolean => data[0] === SET_LIMIT && data.length >= LIMIT_BYTES
const isPrice = (data: Uint8Array): boolean => data[0] === SET_PRICE && data.length >= PRICE_BYTES

export function limitData(limit: number): Buffer {
  const data = Buffer.alloc(LIMIT_BYTES, SET_LIMIT)
  data.writeUInt32LE(limit, 1)
  return data
}

export function priceData(price: bigint): Buffer {
  const data = Buffer.alloc(PRICE_BYTES, SET_PRICE)
  data.writeBigUInt64LE(price, 1)
  return data
}
