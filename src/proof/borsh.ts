/**
 * A strict Borsh reader: every value has exactly one encoding, and these
 * functions accept no other. Bytes that do not parse throw MalformedBorsh.
 *
 * Source: borsh.io
 */

/** The bytes are not the Borsh encoding of the expected type. Never leaves proof/. */
class MalformedBorsh extends Error {}

class BorshReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
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
    if (byte > 1) throw new MalformedBorsh('not a bool')
    return byte === 1
  }

  /** A view of the input. */
  fixed(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw new MalformedBorsh('truncated')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  /** `Vec<u8>`, a view of the input. */
  bytes(): Uint8Array {
    return this.fixed(this.u32())
  }

  option<T>(some: () => T): T | null {
    return this.bool() ? some() : null
  }

  #view(length: number): DataView {
    const bytes = this.fixed(length)
    return new DataView(bytes.buffer, bytes.byteOffset, length)
  }
}

/** @returns null unless `read` accepts the bytes and consumes all of them */
export function readBorsh<T>(bytes: Uint8Array, read: (reader: BorshReader) => T): T | null {
  const reader = new BorshReader(bytes)
  try {
    const value = read(reader)
    return reader.isAtEnd ? value : null
  } catch (error) {
    if (error instanceof MalformedBorsh) return null
    throw error
  }
}
