/**
 * Transactions of version 1, checked as a validator checks them: the signatures come last, lengths have a
 * fixed size, there are no lookup tables, and the compute budget is in the message itself.
 *
 *   [0x81]                                      the signed message starts here
 *   [required u8][read-only signed u8][read-only unsigned u8][config mask u32][32-byte blockhash]
 *   [instructions u8][keys u8][32-byte key x keys][u32 x bits that are set in the mask]
 *   instructions x { [program u8][accounts u8][data u16] }
 *   instructions x { [u8 x accounts][u8 x data] }
 *   [64-byte signature x required]              the message has ended before them
 *
 * The numbers of the rules are those of the older versions, if the rule is the same; the first byte
 * distinguishes the versions, as no older transaction has 0x81 signatures.
 *
 * Source: solana-foundation/solana-improvement-documents proposals/0385 · rules R4, R6, R10, R11, R13 to R16,
 * R21 and R22 of codes.json · anza-xyz/solana-sdk message/src/versions/v1 (validate)
 */

import { type Cursor, readU32 } from './cursor.ts'
import { repeatsKey } from './locks.ts'
import type { WireRefusal } from './refusals.ts'
import { KEY_BYTES, MAX_INSTRUCTIONS, MAX_SIGNATURES, SIGNATURE_BYTES } from './sizes.ts'

/** The first byte. */
export const V1 = 0x81
/** The most keys. */
const MAX_KEYS = 64
const CONFIG_VALUE_BYTES = 4
const INSTRUCTION_HEADER_BYTES = 4

/** Bits of the config mask. The priority fee is a u64 and has two. */
const PRIORITY_FEE = 0b00011
const COMPUTE_UNIT_LIMIT = 0b00100
const DATA_LIMIT = 0b01000
const HEAP = 0b10000
const KNOWN_BITS = PRIORITY_FEE | COMPUTE_UNIT_LIMIT | DATA_LIMIT | HEAP

const MIN_HEAP_BYTES = 32_768
const MAX_HEAP_BYTES = 262_144
const HEAP_STEP = 1_024

/** The compute budget of a transaction of version 1; null if the message does not set a value. */
export type TransactionConfig = NonNullable<ReturnType<typeof configOf>>

const NO_BYTES = new Uint8Array(0)

/** What is known of a parsed transaction of any version. */
export class WireFields {
  bytes: Uint8Array = NO_BYTES
  version: 'legacy' | 0 | 1 = 'legacy'
  signatureCount = 0
  signaturesAt = 0
  messageAt = 0
  /** The offset after the message. */
  messageEnd = 0
  /** Equals signatureCount: R8. */
  requiredSignatures = 0
  readonlySigned = 0
  readonlyUnsigned = 0
  keyCount = 0
  keysAt = 0
  blockhashAt = 0
  instructionCount = 0
  instructionsAt = 0
  /** 0 in a legacy transaction. */
  lookupCount = 0
  lookupsAt = 0
  /** Version 1 only: which values are at `configAt`. See `configOf`. */
  configMask = 0
  configAt = 0
  /** Static and looked-up accounts together. */
  accountCount = 0
}

/** @returns why a validator would never execute these bytes, whose first is 0x81; null if it might */
export function parseV1(wire: WireFields, cursor: Cursor): WireRefusal | null {
  const { bytes } = wire
  wire.version = 1
  wire.messageAt = 0
  wire.lookupCount = 0
  cursor.open(bytes, 1)
  const required = cursor.u8()
  const readonlySigned = cursor.u8()
  const readonlyUnsigned = cursor.u8()
  const mask = cursor.u32()
  wire.blockhashAt = cursor.skip(KEY_BYTES)
  const instructionCount = cursor.u8()
  const keyCount = cursor.u8()
  if (cursor.failure !== null) return cursor.failure // R4
  wire.signatureCount = wire.requiredSignatures = required
  wire.readonlySigned = readonlySigned
  wire.readonlyUnsigned = readonlyUnsigned
  wire.configMask = mask
  wire.instructionCount = instructionCount
  wire.keyCount = wire.accountCount = keyCount
  if (required === 0 || required > MAX_SIGNATURES) return 'signature_count_invalid' // R6
  const feeBits = mask & PRIORITY_FEE
  const isHalfFee = feeBits !== 0 && feeBits !== PRIORITY_FEE
  if (mask > KNOWN_BITS || isHalfFee) return 'config_mask_invalid'
  if (keyCount === 0 || keyCount > MAX_KEYS) return 'account_count_invalid' // R12
  if (instructionCount > MAX_INSTRUCTIONS) return 'too_many_instructions' // R16

  wire.keysAt = cursor.skip(keyCount * KEY_BYTES)
  wire.configAt = cursor.skip(valuesIn(mask) * CONFIG_VALUE_BYTES)
  wire.instructionsAt = cursor.skip(instructionCount * INSTRUCTION_HEADER_BYTES)
  if (cursor.failure !== null) return cursor.failure // R4
  let lowestProgram = 0xff
  let highestProgram = 0
  let highestAccount = -1
  for (let i = 0; i < instructionCount; i++) {
    const header = wire.instructionsAt + i * INSTRUCTION_HEADER_BYTES
    const program = bytes[header]!
    if (program < lowestProgram) lowestProgram = program
    if (program > highestProgram) highestProgram = program
    const accountsAt = cursor.skip(bytes[header + 1]!)
    for (let at = accountsAt; at < cursor.at; at++) {
      if (bytes[at]! > highestAccount) highestAccount = bytes[at]!
    }
    cursor.skip(bytes[header + 2]! | (bytes[header + 3]! << 8))
  }
  wire.messageEnd = wire.signaturesAt = cursor.skip(required * SIGNATURE_BYTES)
  if (cursor.failure !== null) return cursor.failure // R4
  if (cursor.at !== bytes.length) return 'trailing_bytes' // R21

  if (readonlySigned >= required) return 'fee_payer_readonly' // R10
  if (required + readonlyUnsigned > keyCount) return 'header_out_of_range' // R11
  if ((mask & HEAP) !== 0 && !isHeap(readU32(bytes, offsetOf(wire, HEAP)))) return 'heap_size_invalid'
  if (lowestProgram === 0) return 'program_is_fee_payer' // R13
  if (highestProgram >= keyCount) return 'program_index_out_of_range' // R14
  if (highestAccount >= keyCount) return 'account_index_out_of_range' // R15
  return repeatsKey(bytes, wire.keysAt, keyCount) ? 'duplicate_account' : null // R22
}

/** The instructions, as views of the input. */
export function instructionsV1({ bytes, instructionsAt, instructionCount }: WireFields) {
  let at = instructionsAt + instructionCount * INSTRUCTION_HEADER_BYTES
  return Array.from({ length: instructionCount }, (_, i) => {
    const header = instructionsAt + i * INSTRUCTION_HEADER_BYTES
    const dataAt = at + bytes[header + 1]!
    const accounts = bytes.subarray(at, dataAt)
    at = dataAt + (bytes[header + 2]! | (bytes[header + 3]! << 8))
    return { programIndex: bytes[header]!, accounts, data: bytes.subarray(dataAt, at) }
  })
}

/** @returns null for a transaction of another version, whose compute budget is in its instructions */
export function configOf(wire: WireFields) {
  const { bytes, version } = wire
  if (version !== 1) return null
  const value = (bits: number): number | null =>
    (wire.configMask & bits) === 0 ? null : readU32(bytes, offsetOf(wire, bits))
  const lowFee = value(PRIORITY_FEE)
  return {
    /** Lamports for the whole transaction. */
    priorityFee:
      lowFee === null
        ? null
        : BigInt(lowFee) | (BigInt(readU32(bytes, wire.configAt + CONFIG_VALUE_BYTES)) << 32n),
    computeUnitLimit: value(COMPUTE_UNIT_LIMIT),
    /** The most bytes of accounts that may be loaded. */
    loadedAccountsDataSizeLimit: value(DATA_LIMIT),
    /** In bytes. */
    heapSize: value(HEAP),
  }
}

/** The values are in the order of their bits. */
function offsetOf({ configAt, configMask }: WireFields, bits: number): number {
  const lowest = bits & -bits
  return configAt + valuesIn(configMask & (lowest - 1)) * CONFIG_VALUE_BYTES
}

/** The number of bits that are set. */
function valuesIn(mask: number): number {
  let values = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) values++
  return values
}

const isHeap = (length: number): boolean =>
  length >= MIN_HEAP_BYTES && length <= MAX_HEAP_BYTES && length % HEAP_STEP === 0
