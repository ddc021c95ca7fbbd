/**
 * Solana addresses: base58 of 32 bytes, which has no second spelling.
 *
 * SOL is written as the mint of wrapped SOL, because Jupiter, whose word it
 * is, wraps and unwraps on its own: a swap of that mint is a swap of SOL. The
 * system program's address, which LI.FI writes for SOL, counts as native too.
 *
 * Source: jup-ag/docs, Swap API · docs.li.fi, native tokens
 */

import type { AddressFormat } from './address-format.ts'
import { isBase58Of } from './solana/base58.ts'

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112'
const SYSTEM_PROGRAM = '11111111111111111111111111111111'

export const SOLANA_ADDRESSES: AddressFormat = {
  native: WRAPPED_SOL,
  parseWallet(text) {
    return isBase58Of(text, 32) && text !== WRAPPED_SOL && text !== SYSTEM_PROGRAM ? text : null
  },
  parseToken(text) {
    if (!isBase58Of(text, 32)) return null
    return text === SYSTEM_PROGRAM ? WRAPPED_SOL : text
  },
}
