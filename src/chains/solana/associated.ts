/**
 * The address of a wallet's associated token account.
 *
 * Source: solana-program/associated-token-account interface/src/address.rs
 */

import { decodeBase58 } from './base58.ts'
import { programAddress } from './program-address.ts'
import { ASSOCIATED_TOKEN_PROGRAM } from './programs.ts'

const PROGRAM = decodeBase58(ASSOCIATED_TOKEN_PROGRAM, 32)!

/** @param tokenProgram  which of the two token programs owns the mint */
export function associatedAddress(owner: Uint8Array, mint: Uint8Array, tokenProgram: Uint8Array): Uint8Array {
  return programAddress(PROGRAM, owner, tokenProgram, mint)
}
