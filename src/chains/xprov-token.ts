/**
 * Parses a token as the cross-chain provider means it: for LI.FI wrapped SOL is a separate token, while
 * Solana's canonical spelling here treats it as SOL.
 */

import { parseToken } from './address.ts'
import type { XprovChain } from './find.ts'
import { WRAPPED_SOL_MINT } from './solana/programs.ts'

/** @returns null if the text is not a token's address on this chain */
export function parseXprovToken(chain: XprovChain, text: string): ReturnType<typeof parseToken> {
  const token = parseToken(chain, text)
  return token !== null && text === WRAPPED_SOL_MINT ? { address: text, isNative: false } : token
}
