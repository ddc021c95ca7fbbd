/**
 * The address of a wallet's associated token account.
 *
 * Source: solana-program/associated-token-account interface/src/address.rs
 */

import { decodeKey, encodeBase58 } from './base58.ts'
import { programAddress } from './program-address.ts'
import { ASSOCIATED_TOKEN_PROGRAM } from './programs.ts'

const PROGRAM = decodeKey(ASSOCIATED_TOKEN_PROGRAM)

/** @param tokenProgram  which of the two token programs owns the mint */
export function associatedAddress(owner: Uint8Array, mint: Uint8Array, tokenProgram: Uint8Array): Uint8Array {
  return programAddress(PROGRAM, owner, tokenProgram, mint)
}

/** The same for addresses in base58. */
export const associatedAccount = (owner: string, mint: string, tokenProgram: string): string =>
  encodeBase58(associatedAddress(decodeKey(owner), decodeKey(mint), decodeKey(tokenProgram)))
