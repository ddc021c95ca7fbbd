/**
 * Readers of BCS and of Borsh, which differ in how they write lengths. Both are
 * strict: every value has exactly one encoding, and these functions accept no
 * other. Bytes that do not parse throw MalformedBytes.
 *
 * Source: diem/bcs README (Binary Canonical Serialization) · borsh.io
 */

/** The bytes are not the encoding of the expected type. Never leaves proof/. */
export class MalformedBytes extends Error {}

export class StrictReader {
  readonly #bytes: Uint8Array
  readonly #lengthOf: (reader: StrictReader) => number
  #at = 0

  /** @param lengthOf  reads a length, or the index of an enum's variant */
  constructor(bytes: Uint8Array, lengthOf: (reader: StrictReader) => number) {
    this.#bytes = bytes
    this.#lengthOf = lengthOf
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  u8(): number {
    return this.fixed(1)[0]!
  }

  u16(): number {
    return this.#view(2).getUint16(0, true)
  }

  u32(): number {
    return this.#view(4).getUint32(0, true)
  }

  u64(): bigint {
    return this.#view(8).getBigUint64(0, true)
  }

  bool(): boolean {
    const byte = this.u8()
    if (byte > 1) throw new MalformedBytes('not a bool')
    return byte === 1
  }

  /** A view of the input. */
  fixed(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw new MalformedBytes('truncated')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  /** A list of bytes, a view of the input. */
  bytes(): Uint8Array {
    return this.fixed(this.#lengthOf(this))
  }

  string(): string {
    const bytes = this.bytes()
    try {
      return UTF8.decode(bytes)
    } catch {
      throw new MalformedBytes('not UTF-8')
    }
  }

  /** @param most  items: more is malformed */
  vector<T>(item: () => T, most = Infinity): readonly T[] {
    const length = this.#lengthOf(this)
    if (length > most) throw new MalformedBytes('too long')
    // Every item takes at least one byte, so a longer list cannot fit in the remaining bytes.
    if (length > this.#bytes.length - this.#at) throw new MalformedBytes('truncated')
    return Array.from({ length }, item)
  }

  option<T>(some: () => T): T | null {
    return this.bool() ? some() : null
  }

  /** The index of an enum's variant. */
  variant(count: number): number {
    const index = this.#lengthOf(this)
    if (index >= count) throw new MalformedBytes('unknown variant')
    return index
  }

  #view(length: number): DataView {
    const bytes = this.fixed(length)
    return new DataView(bytes.buffer, bytes.byteOffset, length)
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** @returns null unless `read` accepts the bytes and consumes all of them */
export function readBorsh<T>(bytes: Uint8Array, read: (reader: StrictReader) => T): T | null {
  const reader = new StrictReader(bytes, (it) => it.u32())
  try {
    const value = read(reader)
    return reader.isAtEnd ? value : null
  } catch (error) {
    if (error instanceof MalformedBytes) return null
    throw error
  }
}

export const bcsReader = (bytes: Uint8Array): StrictReader => new StrictReader(bytes, uleb128)

/** At most 2^32 - 1, encoded in the fewest bytes. */
function uleb128(reader: StrictReader): number {
  let value = 0
  for (let scale = 1; scale <= 2 ** 28; scale *= 128) {
    const byte = reader.u8()
    value += (byte & 0x7f) * scale
    if (byte < 0x80) {
      if ((byte === 0 && scale > 1) || value > 0xffff_ffff) break
      return value
    }
  }
  throw new MalformedBytes('length')
}
