/**
 * A quote travels through its caller's hands before it is built from. The seal
 * proves that what comes back is what went out: an HMAC over the request and
 * the provider's answer. Whoever holds QUOTE_SECRET can seal; nobody else can.
 *
 * Source: RFC 2104
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** What is sealed. Amounts are decimal base units; `raw` is the provider's answer, byte for byte. */
export interface Sealed {
  readonly provider: string
  readonly chain: string
  readonly side: string
  readonly token: string
  readonly amountIn: string
  readonly slippageBps: number
  readonly expectedOut: string
  readonly minOut: string
  /** Unix ms at which the provider answered. */
  readonly asOf: number
  readonly raw: string
}

export class Sealer {
  readonly #secret: string | Buffer

  /** @param secret  shared by instances that accept each other's quotes; null for one that dies with the process */
  constructor(secret: string | null) {
    this.#secret = secret ?? randomBytes(32)
  }

  /** @returns 43 characters of base64url */
  seal(quote: Sealed): string {
    return this.#mac(quote).toString('base64url')
  }

  isSealed(quote: Sealed, seal: string): boolean {
    const given = Buffer.from(seal, 'base64url')
    const right = this.#mac(quote)
    return given.length === right.length && timingSafeEqual(given, right)
  }

  #mac(quote: Sealed): Buffer {
    const { provider, chain, side, token, amountIn, slippageBps, expectedOut, minOut, asOf, raw } = quote
    // As a JSON array the fields cannot run into each other.
    const head = [provider, chain, side, token, amountIn, slippageBps, expectedOut, minOut, asOf]
    return createHmac('sha256', this.#secret).update(JSON.stringify(head)).update(raw).digest()
  }
}
