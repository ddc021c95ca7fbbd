/**
 * Reads and writes a token as the cross-chain provider means it: for LI.FI wrapped SOL is a separate token, while
 * Solana's canonical spelling here treats it as SOL.
 */

import { parseToken } from './address.ts'
import type { Family } from './definition.ts'
import type { XprovChain } from './find.ts'
import { WRAPPED_SOL_MINT } from './solana/programs.ts'

/** @returns null if the text is not a token's address on this chain */
export function parseXprovToken(chain: XprovChain, text: string): ReturnType<typeof parseToken> {
  const token = parseToken(chain, text)
  return token !== null && text === WRAPPED_SOL_MINT ? { address: text, isNative: false } : token
}

/** The native coin as LI.FI writes it. */
const NATIVE: Readonly<Record<Exclude<Family, 'ton'>, string>> = {
  evm: '0x0000000000000000000000000000000000000000',
  solana: '11111111111111111111111111111111',
  sui: `0x${'2'.padStart(64, '0')}::sui::SUI`,
}

/** The address by which the provider is asked for a token, and by which an answer names it: `parseXprovToken` reads it. */
export function xprovTokenText(
  chain: XprovChain,
  { address, isNative }: { readonly address: string; readonly isNative: boolean },
): string {
  return isNative ? NATIVE[chain.family as keyof typeof NATIVE] : address
}
