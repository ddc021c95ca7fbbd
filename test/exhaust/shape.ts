/**
 * Writes a transaction as it is described, right or wrong: every count may differ from what follows it. One object
 * writes all cases into one buffer.
 */

import { BLOCKHASH, keyOf, tableOf } from './keys.ts'

/** More than any case has. */
const BUFFER_BYTES = 16_384
const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
const SIGNATURE_FILL = 0x5a
const DATA_FILL = 7
const V1 = 0x81
/** A value of the config that is not the heap. */
const CONFIG_VALUE = 1
const HEAP_BIT = 16
const MIN_HEAP_BYTES = 32_768
const MOST_PARTS = 512

export type Version = 'legacy' | 0 | 1

export class Shape {
  readonly buffer = new Uint8Array(BUFFER_BYTES)
  length = 0
  version: Version = 'legacy'
  /** How many signatures there are. */
  signatures = 1
  /** The count in front of them; version 1 has none. */
  signatureCount = 1
  required = 1
  readonlySigned = 0
  readonlyUnsigned = 0
  /** How many keys there are. */
  keys = 1
  keyCount = 1
  instructionCount = 0
  lookupCount = 0
  mask = 0
  /** How many values the config has. */
  values = 0
  heap = MIN_HEAP_BYTES
  /** Where the last case has its message, keys and lookups. */
  messageAt = 0
  keysAt = 0
  lookupsAt = 0

  #instructions = 0
  readonly #program = new Uint8Array(MOST_PARTS)
  readonly #accounts = new Uint16Array(MOST_PARTS)
  readonly #data = new Uint16Array(MOST_PARTS)
  /** The accounts of all instructions, one after the other. */
  readonly #indexes = new Uint8Array(BUFFER_BYTES)
  #indexCount = 0

  #lookups = 0
  readonly #table = new Uint8Array(MOST_PARTS)
  readonly #writable = new Uint16Array(MOST_PARTS)
  readonly #readonly = new Uint16Array(MOST_PARTS)
  readonly #loaded = new Uint8Array(BUFFER_BYTES)
  #loadedCount = 0

  readonly #views: Uint8Array<ArrayBuffer>[] = []

  /** Starts another case: one that is right, with this number of signers and keys. */
  start(version: Version, signers: number, keys: number): void {
    this.version = version
    this.signatures = this.signatureCount = this.required = signers
    this.readonlySigned = this.readonlyUnsigned = 0
    this.keys = this.keyCount = keys
    this.mask = this.values = 0
    this.heap = MIN_HEAP_BYTES
    this.instructionCount = this.lookupCount = 0
    this.#instructions = this.#lookups = this.#indexCount = this.#loadedCount = 0
  }

  /** Its accounts are added after it. */
  addInstruction(program: number, dataLength: number): void {
    const i = this.#instructions++
    this.#program[i] = program
    this.#accounts[i] = 0
    this.#data[i] = dataLength
    this.instructionCount = this.#instructions
  }

  addAccount(index: number): void {
    this.#indexes[this.#indexCount++] = index
    this.#accounts[this.#instructions - 1]!++
  }

  /** Its indexes are added after it: those of writable accounts first. */
  addLookup(table: number): void {
    const i = this.#lookups++
    this.#table[i] = table
    this.#writable[i] = this.#readonly[i] = 0
    this.lookupCount = this.#lookups
  }

  addWritable(index: number): void {
    this.#loaded[this.#loadedCount++] = index
    this.#writable[this.#lookups - 1]!++
  }

  addReadonly(index: number): void {
    this.#loaded[this.#loadedCount++] = index
    this.#readonly[this.#lookups - 1]!++
  }

  /** Sets the mask, and as many values as it has bits. */
  configure(mask: number): void {
    this.mask = mask
    this.values = 0
    for (let rest = mask; rest !== 0; rest &= rest - 1) this.values++
  }

  /** Static and looked-up accounts. */
  get accountCount(): number {
    return this.keys + this.#loadedCount
  }

  write(): void {
    this.length = 0
    if (this.version === 1) this.#writeV1()
    else this.#writeOlder()
  }

  /** The case: a view of the buffer. */
  bytes(): Uint8Array<ArrayBuffer> {
    return (this.#views[this.length] ??= this.buffer.subarray(0, this.length))
  }

  u8(value: number): void {
    this.buffer[this.length++] = value
  }

  u32(value: number): void {
    for (let shift = 0; shift < 32; shift += 8) this.u8(value >>> shift)
  }

  fill(value: number, count: number): void {
    this.buffer.fill(value, this.length, this.length + count)
    this.length += count
  }

  key(i: number): void {
    this.#append(keyOf(i))
  }

  table(i: number): void {
    this.#append(tableOf(i))
  }

  blockhash(): void {
    this.#append(BLOCKHASH)
  }

  /** A compact-u16 below 0x4000, in its shortest form. */
  compact(value: number): void {
    if (value >= 0x80) this.u8((value & 0x7f) | 0x80)
    this.u8(value >= 0x80 ? value >> 7 : value)
  }

  writeKeys(): void {
    this.keysAt = this.length
    for (let i = 0; i < this.keys; i++) this.key(i)
  }

  #append(key: Uint8Array): void {
    this.buffer.set(key, this.length)
    this.length += KEY_BYTES
  }

  #writeOlder(): void {
    this.u8(this.signatureCount)
    this.fill(SIGNATURE_FILL, this.signatures * SIGNATURE_BYTES)
    this.messageAt = this.length
    if (this.version === 0) this.u8(0x80)
    this.#writeHeader()
    this.compact(this.keyCount)
    this.writeKeys()
    this.blockhash()
    this.compact(this.instructionCount)
    let index = 0
    for (let i = 0; i < this.#instructions; i++) {
      this.u8(this.#program[i]!)
      this.compact(this.#accounts[i]!)
      for (let j = 0; j < this.#accounts[i]!; j++) this.u8(this.#indexes[index++]!)
      this.compact(this.#data[i]!)
      this.fill(DATA_FILL, this.#data[i]!)
    }
    if (this.version === 'legacy') return
    this.compact(this.lookupCount)
    this.lookupsAt = this.length
    let loaded = 0
    for (let i = 0; i < this.#lookups; i++) {
      this.table(this.#table[i]!)
      this.compact(this.#writable[i]!)
      for (let j = 0; j < this.#writable[i]!; j++) this.u8(this.#loaded[loaded++]!)
      this.compact(this.#readonly[i]!)
      for (let j = 0; j < this.#readonly[i]!; j++) this.u8(this.#loaded[loaded++]!)
    }
  }

  #writeV1(): void {
    this.messageAt = 0
    this.u8(V1)
    this.#writeHeader()
    this.u32(this.mask)
    this.blockhash()
    this.u8(this.instructionCount)
    this.u8(this.keyCount)
    this.writeKeys()
    this.#writeConfig()
    for (let i = 0; i < this.#instructions; i++) {
      this.u8(this.#program[i]!)
      this.u8(this.#accounts[i]!)
      this.u8(this.#data[i]!)
      this.u8(this.#data[i]! >> 8)
    }
    let index = 0
    for (let i = 0; i < this.#instructions; i++) {
      for (let j = 0; j < this.#accounts[i]!; j++) this.u8(this.#indexes[index++]!)
      this.fill(DATA_FILL, this.#data[i]!)
    }
    this.fill(SIGNATURE_FILL, this.signatures * SIGNATURE_BYTES)
  }

  #writeHeader(): void {
    this.u8(this.required)
    this.u8(this.readonlySigned)
    this.u8(this.readonlyUnsigned)
  }

  /** The heap is the last value of those that the mask asks for. */
  #writeConfig(): void {
    const asked = (this.mask & HEAP_BIT) === 0 ? -1 : onesBelow(this.mask, HEAP_BIT)
    for (let i = 0; i < this.values; i++) this.u32(i === asked ? this.heap : CONFIG_VALUE)
  }
}

function onesBelow(mask: number, bit: number): number {
  let ones = 0
  for (let rest = mask & (bit - 1); rest !== 0; rest &= rest - 1) ones++
  return ones
}
