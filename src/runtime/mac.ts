/**
 * What goes out through strangers' hands and comes back: a MAC tells whether it is what went out. Whoever has
 * the secret can make one; nobody else can.
 *
 * Source: RFC 2104
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export class Mac {
  readonly #key: string | Buffer

  /** @param secret  shared by instances that take each other's; null for one that dies with the process */
  constructor(secret: string | Buffer | null) {
    this.#key = secret ?? randomBytes(32)
  }

  /**
   * A MAC for another purpose under the same secret: neither takes what the other made.
   * @param purpose  one for each kind of thing that is made
   */
  static for(purpose: string, secret: string | null): Mac {
    return new Mac(secret === null ? null : createHmac('sha256', secret).update(purpose).digest())
  }

  /** @param parts  taken as one text: where one ends and the next begins is for the caller to make plain */
  of(...parts: readonly string[]): Buffer {
    const mac = createHmac('sha256', this.#key)
    for (const part of parts) mac.update(part)
    return mac.digest()
  }

  /** @param bytes  how many of the MAC's first bytes are kept: at least half of the 32 */
  isOf(given: Uint8Array, bytes: number, ...parts: readonly string[]): boolean {
    return given.length === bytes && timingSafeEqual(given, this.of(...parts).subarray(0, bytes))
  }
}
