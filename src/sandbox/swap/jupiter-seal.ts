/**
 * Seals a quote of the sandbox's Jupiter, which must come back as the same text. Jupiter
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

/**
 * Appends an undocumented id, of which Jupiter's answers have several. It depends on all
 * other fields and is above 2^53, which detects a quote that was edited, or only parsed
 * and serialized again.
 */
export function sealQuote(quote: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(quote)
  return `${text.slice(0, -1)},"quoteId":${quoteId(text)}}`
}

/** @param text  of the request that holds the quote, with the id as it was written */
export function isSealed(quote: unknown, text: string): quote is SealedQuote {
  if (typeof quote !== 'object' || quote === null) return false
  const { quoteId: _rounded, ...rest } = quote as Readonly<Record<string, unknown>>
  return text.includes(`"quoteId":${quoteId(JSON.stringify(rest))}}`)
}

/** Odd and above 2^63: no float is equal to it. */
function quoteId(text: string): bigint {
  return Buffer.from(sha256(Buffer.from(text))).readBigUInt64LE() | (1n << 63n) | 1n
}
