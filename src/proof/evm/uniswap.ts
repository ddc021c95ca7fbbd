/** What Uniswap's versions share, without an ABI coder. Source: Uniswap/v3-periphery contracts/libraries/Path.sol */
import type { BuildOrder } from '../terms/order.ts'

/** What the routers tell apart: the side of the native coin, if any. */
export type SwapKind = 'native-in' | 'native-out' | 'tokens'

export function swapKind({ tokenIn, tokenOut }: BuildOrder): SwapKind {
  if (tokenIn.isNative) return 'native-in'
  return tokenOut.isNative ? 'native-out' : 'tokens'
}

/** The tokens of a swap, and for V3 the fee of the pool between each two, in millionths. */
export interface UniswapPath {
  readonly path: readonly string[]
  readonly fees: readonly number[]
}

/** The same path from its end, as V3 has it for an exact output. */
export const backwards = ({ path, fees }: UniswapPath): UniswapPath => ({
  path: [...path].reverse(),
  fees: [...fees].reverse(),
})

/** @returns V3's path, hex without 0x: a token of 20 bytes, a fee of 3, a token, and so on */
export const packV3Path = ({ path, fees }: UniswapPath): string =>
  path
    .map((token, i) => (i === 0 ? '' : fees[i - 1]!.toString(16).padStart(FEE_DIGITS, '0')) + token.slice(2))
    .join('')
    .toLowerCase()

/** @param hex  of bytes that are no path, it reads a path that packs to other bytes */
export function unpackV3Path(hex: string): UniswapPath {
  const hops = Math.floor(hex.length / HOP_DIGITS)
  const at = Array.from({ length: hops + 1 }, (_, i) => i * HOP_DIGITS)
  return {
    path: at.map((start) => `0x${hex.slice(start, start + ADDRESS_DIGITS)}`),
    fees: at.slice(1).map((end) => Number(`0x${hex.slice(end - FEE_DIGITS, end)}`)),
  }
}

const ADDRESS_DIGITS = 40
const FEE_DIGITS = 6
const HOP_DIGITS = ADDRESS_DIGITS + FEE_DIGITS
