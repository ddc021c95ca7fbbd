/**
 * A quote travels through its caller's hands before it is built from. The seal
 * proves that what comes back is what went out: an HMAC over the request and
 * the provider's answer. Whoever holds QUOTE_SECRET can seal; nobody else can.
 */

import type { Order } from '../proof/order.ts'
import { Mac } from '../runtime/mac.ts'

/** What is sealed beside `raw`, in this order. */
const HEAD = [
  'provider',
  'chain',
  'side',
  'token',
  'amountIn',
  'slippageBps',
  'expectedOut',
  'minOut',
  'asOf',
] as const satisfies readonly (keyof Sealed)[]

/** What the provider answered. Amounts are decimal base units. */
interface Answered {
  readonly provider: string
  readonly expectedOut: string
  readonly minOut: string
  /** Unix ms at which the provider answered. */
  readonly asOf: number
  /** The provider's answer, byte for byte. */
  readonly raw: string
}

/** An order, and what was answered to it. */
export interface Sealed extends Answered {
  readonly chain: string
  readonly side: string
  /** The one that is not the chain's native coin. */
  readonly token: string
  readonly amountIn: string
  readonly slippageBps: number
}

export function sealedOf(
  { chain, side, tokenIn, tokenOut, amountIn, slippageBps }: Order,
  answered: Answered,
): Sealed {
  const { address: token } = tokenIn.isNative ? tokenOut : tokenIn
  return { ...answered, chain: chain.key, side, token, amountIn: String(amountIn), slippageBps }
}

/** SHA-256's. */
const SEAL_BYTES = 32

export class Sealer {
  readonly #mac: Mac

  /** @param secret  shared by instances that accept each other's quotes; null for one that dies with the process */
  constructor(secret: string | null) {
    this.#mac = new Mac(secret)
  }

  /** @returns 43 characters of base64url */
  seal(quote: Sealed): string {
    return this.#mac.of(headOf(quote), quote.raw).toString('base64url')
  }

  isSealed(quote: Sealed, seal: string): boolean {
    return this.#mac.isOf(Buffer.from(seal, 'base64url'), SEAL_BYTES, headOf(quote), quote.raw)
  }
}

/** As a JSON array the fields cannot run into each other, nor into what follows it. */
function headOf(quote: Sealed): string {
  return JSON.stringify(HEAD.map((name) => quote[name]))
}
