/**
 * Message authentication codes, for values that clients carry and send back: the MAC shows whether a value is
 * the one that was issued. Only holders of the secret can make one.
 *
 * Source: RFC 2104
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export class Mac {
  readonly #key: string | Buffer

  /** @param secret  shared by instances that accept each other's MACs; null: random, for this process */
  constructor(secret: string | Buffer | null) {
    this.#key = secret ?? randomBytes(32)
  }

  /**
   * A MAC under a key derived from the secret for one purpose. It rejects the MACs of every other purpose.
   * @param purpose  unique to each kind of value
   */
  static for(purpose: string, secret: string | null): Mac {
    return new Mac(secret === null ? null : createHmac('sha256', secret).update(purpose).digest())
  }

  /** @param parts  hashed as one text; the caller makes their boundaries unambiguous */
  of(...parts: readonly string[]): Buffer {
    const mac = createHmac('sha256', this.#key)
    for (const part of parts) mac.update(part)
    return mac.digest()
  }

  /** @param bytes  the length that the MAC was truncated to: at least 16 of its 32 bytes */
  isOf(given: Uint8Array, bytes: number, ...parts: readonly string[]): boolean {
    return given.length === bytes && timingSafeEqual(given, this.of(...parts).subarray(0, bytes))
  }
}
