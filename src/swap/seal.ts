/**
 * A quote travels through its client's hands before it is built from. The seal
 * proves that the quote that comes back is the one that went out: an HMAC over
 * the order and the provider's answer. Only a holder of QUOTE_SECRET can seal.
 */

import type { OrderTerms } from '../proof/terms/order.ts'
import { Mac } from '../runtime/mac.ts'
import type { Quote } from '../runtime/resources/quote.ts'

/** The part of a quote that is sealed in addition to its order. Amounts are decimal base units. */
export type SealableQuote = Pick<Quote, 'provider' | 'expectedOut' | 'minOut' | 'maxIn'> & {
  readonly route: Pick<Quote['route'], 'asOf' | 'raw'>
}

/** SHA-256's. */
const SEAL_BYTES = 32

/** With an exact output its input is of the quote. */
type Sealed = OrderTerms & { readonly amountIn?: bigint; readonly amountOut?: bigint }

export class Sealer {
  readonly #mac: Mac

  /**
   * @param secret  shared by instances that accept each other's quotes; null for a random one that lasts as
   * long as the process
   */
  constructor(secret: string | null) {
    this.#mac = new Mac(secret)
  }

  /** @returns 43 characters of base64url */
  seal(order: Sealed, quote: SealableQuote): string {
    return this.#mac.of(headOf(order, quote), quote.route.raw).toString('base64url')
  }

  isSealed(order: Sealed, quote: SealableQuote, seal: string): boolean {
    const { raw } = quote.route
    return this.#mac.isOf(Buffer.from(seal, 'base64url'), SEAL_BYTES, headOf(order, quote), raw)
  }
}

/** What is sealed before `raw`. As a JSON array, its fields cannot run into each other, nor into `raw`. */
function headOf(
  { chain, side, tokenIn, tokenOut, amountIn, amountOut, slippageBps }: Sealed,
  { provider, expectedOut, minOut, maxIn, route }: SealableQuote,
): string {
  const [token, other] = side === 'buy' ? [tokenOut, tokenIn] : [tokenIn, tokenOut]
  const amount = String(amountOut ?? amountIn)
  const { asOf } = route
  const terms = [provider, chain.key, side, token.address, amount, slippageBps, expectedOut, minOut, asOf]
  if (amountOut !== undefined) return JSON.stringify([...terms, other.address, maxIn])
  return JSON.stringify(other.isNative ? terms : [...terms, other.address])
}
