/**
 * Solana's wire format, checked as a validator checks it: transactions that are certain to fail or to be
 * dropped are refused, and no others. One pass records offsets and builds no objects (bench: Parser). This is
 * the layout of legacy transactions and version 0; wire-v1.ts has that of version 1.
 *
 *   [n u8][64-byte signature x n]
 *   [0x80, version 0 only]                      the signed message starts here
 *   [required u8][read-only signed u8][read-only unsigned u8]
 *   [keys u8][32-byte key x keys][32-byte blockhash]
 *   [instructions c16] x { [program u8][accounts c16][u8...][data c16][...] }
 *   version 0: [tables u8] x { [32-byte table][c16][u8...][c16][u8...] }
 *
 * Source: rules R2, R4 to R16, R18 to R23 of codes.json · anza-xyz/agave transaction-view/src ·
 * anza-xyz/solana-sdk message/src/versions
 */

import { Cursor } from './cursor.ts'
import { repeatsKey, repeatsLookup } from './locks.ts'
import type { WireRefusal } from './refusals.ts'
import {
  KEY_BYTES,
  MAX_ACCOUNTS,
  MAX_INSTRUCTIONS,
  MAX_LOOKUPS,
  MAX_SIGNATURES,
  MAX_TRANSACTION_BYTES,
  SIGNATURE_BYTES,
} from './sizes.ts'
import { instructionsV1, parseV1, V1, WireFields } from './wire-v1.ts'

/** The most static keys: floor(1232 / 32), as in transaction-view. */
const MAX_STATIC_KEYS = 38

export interface Instruction {
  readonly programIndex: number
  /** Indexes into the static keys followed by the looked-up accounts. A view of the input. */
  readonly accounts: Uint8Array
  /** A view of the input. */
  readonly data: Uint8Array
}

/**
 * The transaction that was parsed last. One object can parse many, one after the other: its fields and views
 * are valid for the last `parse`, and only if that returned null. Code that awaits in between needs its own
 * object.
 */
export class WireTransaction extends WireFields {
  readonly #cursor = new Cursor()
  // Gathered in the pass for rules that are decided at its end.
  #lowestProgram = 0
  #highestProgram = 0
  #highestAccount = 0
  #hasEmptyLookup = false

  /**
   * @param maxV1Bytes  the most bytes of a transaction of version 1
   * @returns why a validator would never execute these bytes; null if it might
   */
  parse(bytes: Uint8Array, maxV1Bytes: number = MAX_TRANSACTION_BYTES): WireRefusal | null {
    this.bytes = bytes
    if (bytes.length > 0 && bytes[0] === V1) {
      return bytes.length > maxV1Bytes ? 'transaction_too_large' : parseV1(this, this.#cursor)
    }
    return this.#frame() ?? this.#sanitize() ?? this.#lock()
  }

  /** The i-th signature, a view of the input. */
  signature(i: number): Uint8Array {
    const at = this.signaturesAt + i * SIGNATURE_BYTES
    return this.bytes.subarray(at, at + SIGNATURE_BYTES)
  }

  /** The i-th static key, a view of the input. The first is the fee payer's. */
  key(i: number): Uint8Array {
    const at = this.keysAt + i * KEY_BYTES
    return this.bytes.subarray(at, at + KEY_BYTES)
  }

  /** The signed message, version byte included, a view of the input. */
  message(): Uint8Array {
    return this.bytes.subarray(this.messageAt, this.messageEnd)
  }

  blockhash(): Uint8Array {
    return this.bytes.subarray(this.blockhashAt, this.blockhashAt + KEY_BYTES)
  }

  /** The instructions, as views of the input. Makes a new list each time, so it is for cold paths. */
  instructions(): Instruction[] {
    if (this.version === 1) return instructionsV1(this)
    this.#cursor.open(this.bytes, this.instructionsAt)
    return Array.from({ length: this.instructionCount }, () => ({
      programIndex: this.#cursor.u8(),
      accounts: this.#list(),
      data: this.#list(),
    }))
  }

  /** The lookups, as views of the input. Makes a new list each time, so it is for cold paths. */
  lookups() {
    this.#cursor.open(this.bytes, this.lookupsAt)
    return Array.from({ length: this.lookupCount }, () => {
      const at = this.#cursor.skip(KEY_BYTES)
      return {
        table: this.bytes.subarray(at, at + KEY_BYTES),
        writable: this.#list(),
        readonly: this.#list(),
      }
    })
  }

  #list(): Uint8Array {
    const length = this.#cursor.compactU16()
    const at = this.#cursor.skip(length)
    return this.bytes.subarray(at, at + length)
  }

  /** First stage of legacy and version 0: do the bytes divide into fields without a remainder? */
  #frame(): WireRefusal | null {
    const { bytes } = this
    const cursor = this.#cursor
    if (bytes.length > MAX_TRANSACTION_BYTES) return 'transaction_too_large' // R2
    if (bytes.length === 0) return 'transaction_truncated'

    const signatureCount = bytes[0]!
    if (signatureCount === 0 || signatureCount > MAX_SIGNATURES) return 'signature_count_invalid' // R6
    this.signatureCount = signatureCount
    this.signaturesAt = 1
    this.messageAt = 1 + signatureCount * SIGNATURE_BYTES
    this.messageEnd = bytes.length
    if (this.messageAt >= bytes.length) return 'transaction_truncated'

    const prefix = bytes[this.messageAt]!
    if (prefix > 0x80) return 'transaction_version_unsupported' // R7
    this.version = prefix === 0x80 ? 0 : 'legacy'
    cursor.open(bytes, this.messageAt + (prefix === 0x80 ? 1 : 0))

    this.requiredSignatures = cursor.u8()
    this.readonlySigned = cursor.u8()
    this.readonlyUnsigned = cursor.u8()
    this.keyCount = cursor.shortCount() // R5
    if (cursor.failure !== null) return cursor.failure
    if (this.keyCount === 0 || this.keyCount > MAX_STATIC_KEYS) return 'account_count_invalid' // R12
    this.accountCount = this.keyCount
    this.keysAt = cursor.skip(this.keyCount * KEY_BYTES)
    this.blockhashAt = cursor.skip(KEY_BYTES)

    this.#frameInstructions()
    if (cursor.failure !== null) return cursor.failure // R4, R5
    this.lookupCount = 0
    this.#hasEmptyLookup = false
    if (this.version === 0) {
      this.lookupCount = cursor.shortCount() // R5
      if (this.lookupCount > MAX_LOOKUPS) return 'too_many_lookups' // R20
      this.#frameLookups()
      if (cursor.failure !== null) return cursor.failure // R4, R5
    }
    return cursor.at === bytes.length ? null : 'trailing_bytes' // R21
  }

  #frameInstructions(): void {
    const { bytes } = this
    const cursor = this.#cursor
    let lowestProgram = 0xff
    let highestProgram = 0
    let highestAccount = -1
    this.instructionCount = cursor.compactU16()
    this.instructionsAt = cursor.at
    for (let i = 0; i < this.instructionCount && cursor.failure === null; i++) {
      const program = cursor.u8()
      if (program < lowestProgram) lowestProgram = program
      if (program > highestProgram) highestProgram = program
      const accountsAt = cursor.skip(cursor.compactU16())
      for (let at = accountsAt; at < cursor.at; at++) {
        if (bytes[at]! > highestAccount) highestAccount = bytes[at]!
      }
      cursor.skip(cursor.compactU16())
    }
    this.#lowestProgram = lowestProgram
    this.#highestProgram = highestProgram
    this.#highestAccount = highestAccount
  }

  #frameLookups(): void {
    const cursor = this.#cursor
    this.lookupsAt = cursor.at
    for (let i = 0; i < this.lookupCount && cursor.failure === null; i++) {
      cursor.skip(KEY_BYTES)
      const writable = cursor.compactU16()
      cursor.skip(writable)
      const readonly = cursor.compactU16()
      cursor.skip(readonly)
      if (writable + readonly === 0) this.#hasEmptyLookup = true
      this.accountCount += writable + readonly
    }
  }

  /** Second stage: do the fields fit each other? */
  #sanitize(): WireRefusal | null {
    if (this.requiredSignatures !== this.signatureCount) return 'signature_count_mismatch' // R8
    if (this.keyCount < this.signatureCount) return 'account_keys_missing' // R9
    if (this.readonlySigned >= this.requiredSignatures) return 'fee_payer_readonly' // R10
    if (this.requiredSignatures + this.readonlyUnsigned > this.keyCount) return 'header_out_of_range' // R11
    if (this.#hasEmptyLookup) return 'lookup_empty' // R18
    if (this.accountCount > MAX_ACCOUNTS) return 'too_many_accounts' // R19
    if (this.instructionCount > MAX_INSTRUCTIONS) return 'too_many_instructions' // R16
    if (this.#lowestProgram === 0) return 'program_is_fee_payer' // R13
    if (this.#highestProgram >= this.keyCount) return 'program_index_out_of_range' // R14
    if (this.#highestAccount >= this.accountCount) return 'account_index_out_of_range' // R15
    return null
  }

  /** Third stage: could the accounts be locked, as far as the bytes show? */
  #lock(): WireRefusal | null {
    if (repeatsKey(this.bytes, this.keysAt, this.keyCount)) return 'duplicate_account' // R22
    if (repeatsLookup(this.bytes, this.lookupsAt, this.lookupCount)) return 'duplicate_lookup' // R23
    return null
  }
}
