/**
 * Solana addresses: base58 of 32 bytes, which has only one spelling.
 *
 * SOL is written as the mint of wrapped SOL, as Jupiter does: Jupiter wraps and unwraps by itself, so a swap
 * of that mint is a swap of SOL. The address of the system program, as LI.FI writes SOL, also means the
 * native coin.
 *
 * Source: jup-ag/docs, Swap API · docs.li.fi, native tokens
 */

import type { AddressFormat } from './address-format.ts'
import { isBase58Of } from './solana/base58.ts'
import { SYSTEM_PROGRAM, WRAPPED_SOL_MINT } from './solana/programs.ts'

export const SOLANA_ADDRESSES: AddressFormat = {
  native: WRAPPED_SOL_MINT,
  parseWallet(text) {
    return isBase58Of(text, 32) && text !== WRAPPED_SOL_MINT && text !== SYSTEM_PROGRAM ? text : null
  },
  parseToken(text) {
    if (!isBase58Of(text, 32)) return null
    return text === SYSTEM_PROGRAM ? WRAPPED_SOL_MINT : text
  },
}
