/**
 * A token's text as the cross-chain provider means it. To it wrapped SOL is a
 * token of its own, where Solana's canonical spelling takes it for SOL.
 */

import { parseToken } from './address.ts'
import type { XprovChain } from './find.ts'
import { WRAPPED_SOL_MINT } from './solana/programs.ts'

/** @returns null when the text is no token on this chain */
export function parseXprovToken(chain: XprovChain, text: string): ReturnType<typeof parseToken> {
  const token = parseToken(chain, text)
  return token !== null && text === WRAPPED_SOL_MINT ? { address: text, isNative: false } : token
}
