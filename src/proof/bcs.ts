/**
 * A strict BCS reader: every value has exactly one encoding, and these
 * functions accept no other. Bytes that do not parse throw MalformedBcs.
 *
 * Source: diem/bcs README (Binary Canonical Serialization)
 */

/** The bytes are not the BCS encoding of the expected type. Never leaves proof/. */
export class MalformedBcs extends Error {}

export class BcsReader {
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
    const bytes = this.fixed(2)
    return bytes[0]! | (bytes[1]! << 8)
  }

  u64(): bigint {
    const bytes = this.fixed(8)
    return new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true)
  }

  bool(): boolean {
    return this.variant(2) === 1
  }

  /** A view of the input. */
  fixed(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw new MalformedBcs('truncated')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  /** `vector<u8>`, a view of the input. */
  bytes(): Uint8Array {
    return this.fixed(this.#uleb128())
  }

  string(): string {
    try {
      return UTF8.decode(this.bytes())
    } catch (error) {
      if (error instanceof MalformedBcs) throw error
      throw new MalformedBcs('not UTF-8')
    }
  }

  vector<T>(item: () => T): T[] {
    const length = this.#uleb128()
    // Every item takes at least one byte, so a longer list cannot fit in the remaining bytes.
    if (length > this.#bytes.length - this.#at) throw new MalformedBcs('truncated')
    return Array.from({ length }, item)
  }

  option<T>(some: () => T): T | null {
    return this.bool() ? some() : null
  }

  /** The index of an enum's variant. */
  variant(count: number): number {
    const index = this.#uleb128()
    if (index >= count) throw new MalformedBcs('unknown variant')
    return index
  }

  /** At most 2^32 - 1, encoded in the fewest bytes. */
  #uleb128(): number {
    let value = 0
    for (let scale = 1; scale <= 2 ** 28; scale *= 128) {
      const byte = this.u8()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) {
        if ((byte === 0 && scale > 1) || value > 0xffff_ffff) break
        return value
      }
    }
    throw new MalformedBcs('length')
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
