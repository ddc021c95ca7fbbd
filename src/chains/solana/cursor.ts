/**
 * A reader over untrusted bytes. Failure is sticky, not thrown: a read past the end, or of a malformed
 * length, returns 0 and sets `failure`, and so does every read after it. Code reads a few fields, then checks
 * once.
 *
 * Source: rules R4, R5 of codes.json · anza-xyz/solana-sdk short-vec/src/lib.rs (visit_byte) ·
 * anza-xyz/agave transaction-view/src/bytes.rs
 */

export class Cursor {
  /** Offset of the next byte. */
  at = 0
  failure: 'transaction_truncated' | 'compact_u16_malformed' | null = null
  #bytes: Uint8Array = NO_BYTES

  /** Restarts at `at` in `bytes`, which are not copied. */
  open(bytes: Uint8Array, at: number): void {
    this.#bytes = bytes
    this.at = at
    this.failure = null
  }

  u8(): number {
    if (this.failure !== null || this.at >= this.#bytes.length) return this.#fail('transaction_truncated')
    return this.#bytes[this.at++]!
  }

  /** Little-endian. */
  u32(): number {
    const at = this.skip(4)
    return this.failure === null ? readU32(this.#bytes, at) : 0
  }

  /** @returns the offset of the bytes that were skipped; on failure none are */
  skip(length: number): number {
    const start = this.at
    if (length > this.#bytes.length - start) this.#fail('transaction_truncated')
    if (this.failure === null) this.at += length
    return start
  }

  /** R5: the counts of signatures, keys and lookup tables are one byte each. */
  shortCount(): number {
    const count = this.u8()
    return count < 0x80 ? count : this.#fail('compact_u16_malformed')
  }

  /**
   * Compact-u16: little-endian base 128, high bit = more, shortest form only. The third byte that the
   * encoding allows is refused (R5): a transaction cannot hold 16,384 of anything, and a leader reads two
   * bytes.
   *
   *   0x00..0x7f       0xxxxxxx
   *   0x80..0x3fff     1xxxxxxx 0xxxxxxx
   */
  compactU16(): number {
    const low = this.u8()
    if (low < 0x80) return low
    const high = this.u8()
    if (this.failure !== null) return 0
    if (high === 0 || high >= 0x80) return this.#fail('compact_u16_malformed')
    return (low & 0x7f) | (high << 7)
  }

  /** Only the first failure is kept. */
  #fail(failure: 'transaction_truncated' | 'compact_u16_malformed'): 0 {
    this.failure ??= failure
    return 0
  }
}

/** A little-endian u32. The bytes must be there. */
export const readU32 = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0

const NO_BYTES = new Uint8Array(0)
