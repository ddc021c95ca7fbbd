/**
 * Seals a quote of the sandbox's Jupiter, which must come back with the same terms. Jupiter
 * refuses a quote that lost its inner details.
 *
 * Source: jup-ag/docs (500, "Dynamic swap is missing dynamic swap details")
 */

import { sha256 } from '@noble/hashes/sha2.js'

interface SealedQuote {
  readonly inputMint: string
  readonly outputMint: string
  readonly inAmount: string
  readonly outAmount: string
  readonly slippageBps: number
}

/** What makes a quote another one. */
const FIELDS = ['inputMint', 'outputMint', 'inAmount', 'outAmount', 'slippageBps'] as const

/**
 * Appends an undocumented id, of which Jupiter's answers have several. It depends on the terms, so that it detects a
 * quote that was edited, and is above 2^53: clients that parse it round it.
 */
export function sealQuote(quote: SealedQuote & Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(quote).slice(0, -1)},"quoteId":${quoteId(quote)}}`
}

/** Takes a quote that a client has parsed and written anew, with its id rounded, or without the id. */
export function isSealed(quote: unknown): quote is SealedQuote {
  if (typeof quote !== 'object' || quote === null || FIELDS.some((name) => !(name in quote))) return false
  const { quoteId: id } = quote as { readonly quoteId?: unknown }
  return id === undefined || id === Number(quoteId(quote as SealedQuote))
}

/** Odd and above 2^63: no float is equal to it. */
function quoteId(quote: SealedQuote): bigint {
  const text = FIELDS.map((name) => quote[name]).join()
  return Buffer.from(sha256(Buffer.from(text))).readBigUInt64LE() | (1n << 63n) | 1n
}
