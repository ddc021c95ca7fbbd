/**
 * Token-2022's ScaledUiAmount: a mint may say by what its amounts are to be
 * multiplied where they are shown. Base units stay what they are.
 *
 *   mint       base form, zeros up to 165 bytes, [1 mint], then the extensions
 *   extension  [type u16][length u16][authority 32][multiplier f64][effective i64][new multiplier f64]
 *
 * A multiplier that is set for a later time is not in force here.
 *
 * Source: solana-program/token-2022 interface/src/extension/scaled_ui_amount/mod.rs
 */
import type { JsonObject } from './json.ts'

export const SCALED_UI_AMOUNT = 25
const TOKEN_ACCOUNT_BYTES = 165
const KIND_MINT = 1
const VALUE_BYTES = 56
const MULTIPLIER_AT = 32
const NEW_MULTIPLIER_AT = 48

/** @param base  a mint's base form, of 82 bytes */
export function scaledMint(base: Uint8Array, multiplier: number): Buffer {
  const data = Buffer.alloc(TOKEN_ACCOUNT_BYTES + 1 + 4 + VALUE_BYTES)
  data.set(base)
  data[TOKEN_ACCOUNT_BYTES] = KIND_MINT
  const head = TOKEN_ACCOUNT_BYTES + 1
  data.writeUInt16LE(SCALED_UI_AMOUNT, head)
  data.writeUInt16LE(VALUE_BYTES, head + 2)
  data.writeDoubleLE(multiplier, head + 4 + MULTIPLIER_AT)
  data.writeDoubleLE(multiplier, head + 4 + NEW_MULTIPLIER_AT)
  return data
}

/** @param value  of the extension */
export function readMultiplier(value: DataView): number {
  return value.getFloat64(MULTIPLIER_AT, true)
}

/** A token amount in base units, as a node writes it for a scaled mint; in doubles, as the program does. */
export function scaledAmount(amount: bigint, decimals: number, multiplier: number): JsonObject {
  const scaled = Math.trunc(Number(amount) * multiplier) / 10 ** decimals
  const uiAmountString = scaled
    .toFixed(decimals)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '')
  return { uiAmount: Number(uiAmountString), decimals, amount: amount.toString(), uiAmountString }
}
